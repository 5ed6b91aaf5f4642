"""Publishers of joint states in a process of their own: `python -m robustness.harness.flood`.

Every n-th message is old on purpose, and must not be processed.
"""

import argparse
import time

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from modular_dynamics_ros.messages.stamps import stamp_message
from robustness.harness.robots import joint_names, state_at


def main() -> None:
    """Publish until the end of the time, or of the process."""
    parser = argparse.ArgumentParser()
    for name in ("publishers", "joints", "old_every"):
        parser.add_argument(f"--{name}", type=int, default=0)
    for name in ("rate", "seconds", "age"):
        parser.add_argument(f"--{name}", type=float, default=0.0)
    options = parser.parse_args()
    rclpy.init()
    node = Node("flood")
    kinds = (ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT)
    publishers = [
        node.create_publisher(JointState, "joint_states", QoSProfile(depth=500, reliability=kinds[k % 2]))
        for k in range(options.publishers)
    ]
    names, number, begin = joint_names(options.joints), 0, time.monotonic()
    end = begin + options.seconds
    while time.monotonic() < end:
        for publisher in publishers:
            number += 1
            old = options.old_every and number % options.old_every == 0
            stamp = time.time_ns() - int(options.age * 1e9 if old else 0)
            q, v = state_at(len(names), stamp)
            message = JointState(name=names, position=q.tolist(), velocity=v.tolist())
            message.header.stamp = stamp_message(stamp)
            publisher.publish(message)
        pause = begin + number / len(publishers) / options.rate - time.monotonic()
        if pause > 0.0:
            time.sleep(pause)
    print(number, flush=True)
    node.destroy_node()
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()

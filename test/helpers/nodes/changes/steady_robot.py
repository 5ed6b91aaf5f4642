"""A process that publishes 500 joint states a second, and what holds a black box, until its input ends.

States are of urdf/four_link.urdf without its right branch. Then it prints their stamps.
"""

import json
import sys
import threading
import time

import numpy as np
import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState

from helpers.nodes.answer_brake import AnswerBrake
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message

PERIOD = 0.002  # [s]
NAMES, FRAME, BOX = ["turn", "bend", "left"], "upper_stem", "right_branch"
#: [N, N m] What the robot exerts on the box, at and in the frame.
WRENCH = np.array([3.0, -4.0, 5.0, 0.6, -0.7, 0.8])
EVERY = 50  # joint states between two wrenches


def state_at(stamp: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities at a stamp [ns]; at any time a joint is faster than 0.7 rad/s."""
    phase = 2.0 * (stamp % 10**12) * 1e-9 + 0.5 * np.pi * np.arange(3)
    return 0.5 * np.sin(phase), np.cos(phase)


def main() -> None:
    rclpy.init()
    ended, node, brake = threading.Event(), Node("robot"), AnswerBrake()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    states = node.create_publisher(JointState, "joint_states", 1000)
    wrenches = node.create_publisher(WrenchStamped, f"dynamics_node/black_box/{BOX}/wrench", 10)
    node.create_subscription(JointState, "dynamics_node/joint_torques", brake.hear, 1000)
    spinning = threading.Thread(target=lambda: rclpy.spin(node), daemon=True)
    spinning.start()
    writer, stamps, due = WrenchWriter(), list[int](), time.monotonic()
    while not ended.is_set():
        stamp = time.time_ns()
        if len(stamps) % EVERY == 0:
            wrenches.publish(writer.write(stamp_message(stamp), FRAME, WRENCH))
        q, v = state_at(stamp)
        message = JointState(name=NAMES, position=q.tolist(), velocity=v.tolist())
        message.header.stamp = stamp_message(stamp)
        states.publish(message)
        stamps.append(stamp)
        due = max(due + PERIOD, time.monotonic())
        time.sleep(max(0.0, due - time.monotonic()))
        brake.hold(stamps)
    print(json.dumps(stamps), flush=True)
    sys.stdin.close()
    rclpy.shutdown()
    spinning.join()  # a thread that is still in the middleware ends the process with an error
    node.destroy_node()


if __name__ == "__main__":
    main()

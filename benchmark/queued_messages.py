"""What reading queued joint states without rclpy's executor gains: how fast dynamics_node answers a backlog.

`python benchmark/queued_messages.py` lets joint states wait in the node's queue, then times the
answers. Medians.
"""

import argparse
import os
import random
import statistics
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState

from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.joint_states import arrivals

URDF = Path(__file__).resolve().parents[1] / "urdf" / "charmie.urdf"
BACKLOG, TIMES = 200, 9
QUIET = 0.3  # [s] without an answer: the queue is empty


def main() -> None:
    """Print both times."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))  # the states must reach no robot
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init()
    parameters = {"robot_description_file": str(URDF), "stale_after": 60.0}  # what waits counts
    node = DynamicsNode(
        parameter_overrides=[Parameter(name, value=value) for name, value in parameters.items()]
    )
    node.trigger_configure()
    node.trigger_activate()
    sender, executor = Node("sender"), SingleThreadedExecutor()
    executor.add_node(node)
    publisher = sender.create_publisher(JointState, "joint_states", BACKLOG)
    while not publisher.get_subscription_count():
        executor.spin_once(timeout_sec=0.1)
    times: dict[str, list[float]] = {"read by the node": [], "by the executor alone": []}
    for _ in range(TIMES):
        times["read by the node"].append(_time_per_answer(node, publisher, executor))
        with patch.object(arrivals, "pending_messages", lambda *of: ()):
            times["by the executor alone"].append(_time_per_answer(node, publisher, executor))
    for name, seconds in times.items():
        print(f"{1e6 * statistics.median(seconds):.0f} us for each queued joint state, {name}")
    rclpy.shutdown()


def _time_per_answer(node: DynamicsNode, publisher: Publisher, executor: SingleThreadedExecutor) -> float:
    """Seconds from one answer to the next while the queue is emptied."""
    names = node.session.robot.state_names
    zeros = np.zeros(len(names)).tolist()
    for _ in range(BACKLOG):
        message = JointState(name=names, position=zeros, velocity=zeros)
        message.header.stamp = stamp_message(time.time_ns())
        publisher.publish(message)
    time.sleep(QUIET)  # what is on its way arrives
    counts = node.session.record.counts
    before, began = counts.answered, time.perf_counter()
    last = began
    while time.perf_counter() - last < QUIET:
        answered = counts.answered
        executor.spin_once(timeout_sec=QUIET)
        if counts.answered > answered:
            last = time.perf_counter()
    return (last - began) / (counts.answered - before)


if __name__ == "__main__":
    main()

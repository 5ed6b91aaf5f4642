"""What an executor takes for each message of a node, rclpy's and that of the nodes here.

    python -m benchmark.executors

A node with as many services as dynamics_node gets messages one after the other, each when the one before was
received, and does nothing with them. Medians over rounds.
"""

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Empty
from std_srvs.srv import Trigger

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.lifecycle.direct_executor import DirectExecutor

SERVICES, MESSAGES, ROUNDS = 20, 500, 9


def main() -> None:
    """Print both times."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init()
    node = Node("executors")
    for number in range(SERVICES):
        node.create_service(Trigger, f"service_{number}", lambda request, response: response)
    received: list[Empty] = []
    node.create_subscription(Empty, "messages", received.append, 10)
    publisher = node.create_publisher(Empty, "messages", 10)
    kinds: dict[str, Callable[[], SingleThreadedExecutor]] = {
        "rclpy": SingleThreadedExecutor,
        "direct": lambda: DirectExecutor(ChangeLog(node.get_logger(), time.monotonic), lambda: False),
    }
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        for name, make in kinds.items():
            executor = make()
            executor.add_node(node)
            _exchange(executor, publisher.publish, received, 20)
            times[name].append(_exchange(executor, publisher.publish, received, MESSAGES))
            executor.remove_node(node)
            executor.shutdown()
    medians = {name: statistics.median(of) for name, of in times.items()}
    for name, seconds in medians.items():
        print(f"{name:8s} {1e6 * seconds:6.0f} us of processor time for each message")
    print(f"{'ratio':8s} {medians['rclpy'] / medians['direct']:6.1f}")
    rclpy.shutdown()


def _exchange(
    executor: SingleThreadedExecutor, publish: Callable[[Empty], None], received: list[Empty], count: int
) -> float:
    """Processor time of this thread for each message [s], publishing included."""
    began = time.thread_time()
    for _ in range(count):
        received.clear()
        publish(Empty())
        while not received:
            executor.spin_once(timeout_sec=1.0)
    return (time.thread_time() - began) / count


if __name__ == "__main__":
    main()

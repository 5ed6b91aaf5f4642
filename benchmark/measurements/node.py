"""dynamics_node under load: does it answer every joint state of the 38-joint robot, and how fast?

Three processes: a sender (this file with `--send`), dynamics_node, and this one, which receives. By itself:
`python -m benchmark.measurements.node`.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from array import array
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import rclpy
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemGraph
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

import modular_dynamics as md
from modular_dynamics_ros.demo.playing import spin_until
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.diagnostics.statuses import summarise
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.node.topics import LATCHED

ROOT = Path(__file__).resolve().parents[2]
NODE = "dynamics_node"
START_LIMIT = 60.0  # [s] for the node to start
STARTING = 5  # joint states that dynamics_node's filter must have seen before it answers


@dataclass(frozen=True)
class NodeFigures:
    """Counts, and the latency [ms] from the stamp of a joint state, given just before it is published, to the
    arrival of its torques at the receiver: the computation and two ways through ROS 2."""

    robot: str
    rate: float
    seconds: float
    sent: int
    answered: int
    wrenches: int
    p50: float
    p99: float
    max: float


def measure_node(
    rate: float = 500.0, seconds: float = 10.0, urdf: Path = ROOT / "urdf/branched_38dof.urdf"
) -> NodeFigures:
    """Run dynamics_node on sinusoidal joint states, every connection wrench subscribed to as by a viewer."""
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    graph = md.load_urdf(urdf)
    expected = round(rate * seconds)
    arrivals: dict[int, int] = {}
    graphs: list[SubsystemGraph] = []  # published on activation
    wrenches = 0

    def on_torques(message: JointState, info: dict) -> None:
        arrivals[stamp_nanoseconds(message.header.stamp)] = info["received_timestamp"]

    def on_wrench(message: WrenchStamped) -> None:
        nonlocal wrenches
        wrenches += 1

    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = rclpy.create_node("benchmark_receiver")
        node.create_subscription(SubsystemGraph, "dynamics_node/subsystem_graph", graphs.append, LATCHED)
        node.create_subscription(JointState, "dynamics_node/joint_torques", on_torques, 2 * expected)
        for subsystem in graph.subsystems:
            topic = f"dynamics_node/connections/{subsystem.name}/wrench"
            node.create_subscription(WrenchStamped, topic, on_wrench, 2 * expected)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        with tempfile.TemporaryDirectory() as logs, Processes(Path(logs)) as processes:
            parameters = f"robot_description_file:={urdf}", "autostart:=true"
            processes.start(NODE, *parameters, params_file=ROOT / "config/branched_38dof.yaml")
            spin_until(executor, processes, lambda: len(graphs) > 0, START_LIMIT, "compilation", [NODE])
            load = "--rate", str(rate), "--seconds", str(seconds), "--urdf", str(urdf)
            processes.start_file("sender", Path(__file__), "--send", *load)
            limit = 30.0 + 2 * seconds
            spin_until(executor, processes, lambda: processes.code("sender") == 0, limit, "sending", [NODE])
            quiet_since, seen = time.monotonic(), -1
            while len(arrivals) < expected and time.monotonic() - quiet_since < 2.0:
                executor.spin_once(timeout_sec=0.1)
                if len(arrivals) != seen:
                    quiet_since, seen = time.monotonic(), len(arrivals)
    finally:
        rclpy.try_shutdown()
    stamps = np.array(sorted(arrivals), dtype=np.int64)
    arrived = np.array([arrivals[stamp] for stamp in stamps.tolist()], dtype=np.int64)
    summary = summarise(arrived - stamps, arrived)
    latencies = (1e3 * value for value in (summary.p50, summary.p99, summary.max))
    return NodeFigures(graph.name, rate, seconds, expected, len(arrivals), wrenches, *latencies)


def send(rate: float, seconds: float, urdf: Path) -> None:
    """Publish velocities sin(2 pi t) rad/s of all joints, as in the paper, stamped when sent."""
    names = md.load_urdf(urdf).joint_names
    rclpy.init()
    node = rclpy.create_node("benchmark_sender")
    publisher = node.create_publisher(JointState, "joint_states", 500)
    while publisher.get_subscription_count() < 1:
        time.sleep(0.01)
    time.sleep(0.5)  # the subscriber must have discovered this publisher, too, which cannot be queried
    message = JointState(name=list(names))
    start = time.perf_counter()
    for k in range(-STARTING, round(rate * seconds)):  # the first ones start the filter and are not counted
        t = k / rate
        message.position = array("d", [(1.0 - np.cos(2 * np.pi * t)) / (2 * np.pi)] * len(names))
        message.velocity = array("d", [np.sin(2 * np.pi * t)] * len(names))
        wait = start + t - time.perf_counter()
        if wait > 0.0:
            time.sleep(wait)
        message.header.stamp = stamp_message(time.time_ns())
        publisher.publish(message)
    time.sleep(1.0)  # a publisher that leaves at once drops what is still on its way
    node.destroy_node()
    rclpy.try_shutdown()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--send", action="store_true", help="only send")
    parser.add_argument("--rate", type=float, default=500.0, help="joint states per second")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--urdf", type=Path, default=ROOT / "urdf/branched_38dof.urdf")
    options = parser.parse_args()
    if options.send:
        send(options.rate, options.seconds, options.urdf)
    else:
        print(asdict(measure_node(options.rate, options.seconds, options.urdf)), file=sys.stdout)

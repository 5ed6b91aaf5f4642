"""Robots as one subsystem_node per subsystem: how late are the torques of the first one, by depth?

The motion goes from node to node to the last subsystem, and the wrenches come back: a robot of depth d takes
2 (d - 1) ways from node to node, besides those of the joint state and of the torques. By itself:
`python -m benchmark.measurements.distributed`.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run by its path, from any folder
import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

import modular_dynamics as md
from benchmark.setting.robots import ROOT, rod
from modular_dynamics_ros.demo.playing import spin_until
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.demo.subsystems import start_subsystem, started_nodes
from modular_dynamics_ros.diagnostics.statuses import summarise
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

__all__ = ["DistributedFigures", "chain", "measure_distributed", "send"]

DEPTHS = 1, 2, 3, 4, 6
JOINTS = 12  # of the chain, whatever its depth
START_LIMIT = 60.0  # [s] for the nodes to start
LEAD = 3.0  # [s] of joint states that are not counted: DDS makes the nodes known to each other meanwhile


@dataclass(frozen=True)
class DistributedFigures:
    """Of one robot: counts, and the latency [ms] from the stamp of a joint state, given just before it is
    published, to the arrival of the torques of the subsystem on the ground, which are the last."""

    robot: str
    nodes: int
    depth: int
    rate: float
    sent: int
    answered: int
    p50: float
    p99: float
    max: float


def measure_distributed(
    rate: float = 100.0, seconds: float = 5.0, tick: Callable[[str], None] = lambda what: None
) -> list[DistributedFigures]:
    """Chains of JOINTS joints in DEPTHS subsystems, then the care robot."""
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for depth in DEPTHS:
            urdf = Path(folder) / f"chain_{depth}.urdf"
            urdf.write_text(chain(JOINTS, depth), encoding="utf-8")
            tick(f"{depth} subsystems in a chain")
            figures.append(_measure(urdf, depth, "part_1", rate, seconds))
        tick("the care robot")
        figures.append(_measure(ROOT / "urdf/charmie.urdf", 3, "base", rate, seconds))
    return figures


def chain(joints: int, depth: int) -> str:
    """A URDF of rods, one after the other, in as many subsystems as the depth, part_1 on the ground."""
    rods = [f"rod_{k + 1}" for k in range(joints)]
    before = ["ground", *rods]
    parts = [rod(name, before[k], 0.0 if k == 0 else 1.0) for k, name in enumerate(rods)]
    tags = []
    for number, names in enumerate(np.array_split(rods, depth), start=1):
        inside = "".join(f'<joint name="{name}"/>' for name in names)
        tags.append(f'<subsystem name="part_{number}">{inside}</subsystem>')
    tagged = f'<modular_dynamics version="1">{"".join(tags)}</modular_dynamics>'
    return f'<robot name="chain"><link name="ground"/>{"".join(parts)}{tagged}</robot>'


def _measure(urdf: Path, depth: int, first: str, rate: float, seconds: float) -> DistributedFigures:
    arrivals: dict[int, int] = {}
    expected = round(rate * seconds)

    def on_torques(message: JointState, info: dict) -> None:
        arrivals[stamp_nanoseconds(message.header.stamp)] = info["received_timestamp"]

    nodes = started_nodes(urdf, None)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = rclpy.create_node("benchmark_receiver")
        node.create_subscription(JointState, f"{nodes[first]}/joint_torques", on_torques, 2 * expected)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        with tempfile.TemporaryDirectory() as logs, Processes(Path(logs)) as processes:
            for subsystem, name in nodes.items():
                start_subsystem(processes, subsystem, name, urdf)

            def connected() -> bool:
                heard = [f"{name}/wrench_out" for subsystem, name in nodes.items() if subsystem != first]
                return node.count_subscribers("joint_states") == len(nodes) and all(
                    node.count_subscribers(topic) == 1 for topic in heard
                )

            spin_until(executor, processes, connected, START_LIMIT, "compilation", list(nodes.values()))
            load = "--rate", str(rate), "--seconds", str(seconds), "--urdf", str(urdf)
            processes.start_file("sender", Path(__file__), *load)
            limit, needed = 30.0 + 2 * (LEAD + seconds), list(nodes.values())
            spin_until(executor, processes, lambda: processes.code("sender") == 0, limit, "sending", needed)
            start = int(processes.log("sender").split()[-1])
            quiet = time.monotonic()
            while time.monotonic() - quiet < 1.0:
                executor.spin_once(timeout_sec=0.1)
    finally:
        rclpy.try_shutdown()
    stamps = np.array(sorted(stamp for stamp in arrivals if stamp >= start), dtype=np.int64)
    arrived = np.array([arrivals[stamp] for stamp in stamps.tolist()], dtype=np.int64)
    summary = summarise(arrived - stamps, arrived)
    latencies = (1e3 * value for value in (summary.p50, summary.p99, summary.max))
    return DistributedFigures(urdf.stem, len(nodes), depth, rate, expected, len(stamps), *latencies)


def send(rate: float, seconds: float, urdf: Path) -> None:
    """Publish sinusoidal joint states, and print the stamp of the first that counts."""
    names = md.load_urdf(urdf).joint_names
    rclpy.init()
    node = rclpy.create_node("benchmark_sender")
    publisher = node.create_publisher(JointState, "joint_states", 500)
    message = JointState(name=list(names))
    start, first = time.perf_counter(), round(rate * LEAD)
    for k in range(first + round(rate * seconds)):
        t = k / rate
        message.position = array("d", [(1.0 - np.cos(2 * np.pi * t)) / (2 * np.pi)] * len(names))
        message.velocity = array("d", [np.sin(2 * np.pi * t)] * len(names))
        time.sleep(max(0.0, start + t - time.perf_counter()))
        stamp = time.time_ns()
        message.header.stamp = stamp_message(stamp)
        publisher.publish(message)
        if k == first:
            print(stamp, flush=True)
    time.sleep(1.0)  # a publisher that leaves at once drops what is still on its way
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urdf", type=Path, help="send joint states of this robot")
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args()
    if given.urdf:
        send(given.rate, given.seconds, given.urdf)
    else:
        for one in measure_distributed(given.rate, given.seconds, lambda what: print(what, flush=True)):
            print(one)

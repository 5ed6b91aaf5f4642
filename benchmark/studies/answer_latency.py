"""How late are a node's answers, beside a node that only sends each joint state back?

    python -m benchmark.studies.answer_latency [--rate 200] [--seconds 20] [--loads topics|computed]
    python -m benchmark.studies.answer_latency --branched --rate 1000

The torso's reactions come by way of dynamics_node; with --branched dynamics_node alone answers the robot with
38 joints, as in `make bench`. Sender, nodes and echo run as processes. All times are those of the middleware,
from the stamp of a joint state, given just before it is published, and as ratios to the echo of the same run.
"""

import argparse
import os
import random
import sys
import time
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
import rclpy
from modular_dynamics_interfaces.msg import TorsoReactions
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from sensor_msgs.msg import JointState

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the sender is run by its path
import modular_dynamics as md
from benchmark.setting.robots import ROOT
from benchmark.setting.timing import print_table
from examples.demo.playing import spin_until
from examples.demo.processes import Processes
from modular_dynamics.loops import solver_of
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

URDF, RULES = ROOT / "urdf/charmie_torso.urdf", ROOT / "urdf/charmie_torso_rules.yaml"
BRANCHED = ROOT / "urdf/branched_38dof.urdf"
DYNAMICS, TORSO, ECHO = "dynamics_node", "torso_reaction_node", "echo"
START_LIMIT = 60.0  # [s] for the nodes to start
Times = dict[int, tuple[int, int]]
"""By stamp: when a message was published and when it was received [ns of the system]."""


class Listener:
    """Publishes joint states, and keeps the times of all answers."""

    def __init__(self, *, branched: bool) -> None:
        self._nodes = [DYNAMICS, ECHO] if branched else [DYNAMICS, TORSO, ECHO]
        self._more = ("--branched",) if branched else ()
        self.node, self._executor = Node("answer_latency"), SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self.times: dict[str, Times] = {}
        self._listen("echo", JointState, f"{ECHO}/joint_states")
        self._listen("torques", JointState, f"{DYNAMICS}/joint_torques")
        if not branched:
            self._listen("reactions", TorsoReactions, f"{TORSO}/reactions")

    def _listen(self, name: str, kind: type, topic: str) -> None:
        times = self.times[name] = {}

        def on_message(message: Any, info: dict[str, int]) -> None:
            stamp = stamp_nanoseconds(message.header.stamp)
            times[stamp] = info["source_timestamp"], info["received_timestamp"]

        self.node.create_subscription(kind, topic, on_message, 5000)

    def _all_heard(self) -> bool:
        return all(self.times.values())

    def run(self, processes: Processes, rate: float, seconds: float) -> dict[str, float]:
        """Send and receive; return the processor time of each process for one joint state [s]."""
        needed, load = self._nodes, ("--rate", str(rate), "--seconds", str(seconds), *self._more)
        processes.start_file(
            "warm-up", Path(__file__), "--send", *self._more, "--rate", "20", "--seconds", str(START_LIMIT)
        )
        spin_until(
            self._executor, processes, self._all_heard, START_LIMIT, "the first answers", [*needed, "warm-up"]
        )
        processes.end("warm-up")
        for times in self.times.values():
            times.clear()
        before = {name: _processor_time(processes.pid(name)) for name in needed}
        processes.start_file("sender", Path(__file__), "--send", *load)
        limit = 60.0 + 2.0 * seconds
        spin_until(
            self._executor, processes, lambda: processes.code("sender") is not None, limit, "sending", needed
        )
        used = {name: _processor_time(processes.pid(name)) - before[name] for name in needed}
        quiet = time.monotonic() + 1.0
        while time.monotonic() < quiet:
            self._executor.spin_once(timeout_sec=0.1)
        return {name: taken / (rate * seconds) for name, taken in used.items()}


def _processor_time(pid: int) -> float:
    """Return the processor time of a process and all its threads until now [s]."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def stages(times: dict[str, Times]) -> dict[str, np.ndarray]:
    """Return the times [ns] of each state that all processed, by way."""
    stamps = sorted(set.intersection(*(set(of) for of in times.values())))

    def column(name: str, index: int) -> np.ndarray:
        return np.array([times[name][stamp][index] for stamp in stamps], np.int64)

    sent = np.array(stamps, np.int64)
    ways = {"echo": column("echo", 1) - sent, "torques": column("torques", 1) - sent}
    if "reactions" not in times:
        return ways
    return ways | {
        "torques published": column("torques", 0) - sent,
        "then reactions published": column("reactions", 0) - column("torques", 0),
        "reactions": column("reactions", 1) - sent,
    }


def send(rate: float, seconds: float, *, branched: bool) -> None:
    """Publish small motions around the first configuration, stamped when sent."""
    graph = md.load_urdf(BRANCHED if branched else URDF)
    names = graph.independent_joint_names
    rest = graph.neutral() if branched else solver_of(graph).reference()
    q0 = np.array([rest[graph.q_slice(name).start] for name in names])
    rclpy.init()
    node = Node("sender")
    publisher = node.create_publisher(JointState, "joint_states", 500)
    while publisher.get_subscription_count() < (2 if branched else 3):
        time.sleep(0.01)
    time.sleep(0.5)  # the subscribers must have discovered this publisher, too, which cannot be queried
    message, begin = JointState(name=list(names)), time.perf_counter()
    for k in range(round(rate * seconds)):
        t = k / rate
        wait = begin + t - time.perf_counter()
        if wait > 0.0:
            time.sleep(wait)
        message.position = array("d", (q0 + 0.01 * np.sin(2.0 * np.pi * t)).tolist())
        message.velocity = array("d", np.full(len(names), 0.02 * np.pi * np.cos(2.0 * np.pi * t)).tolist())
        message.header.stamp = stamp_message(time.time_ns())
        publisher.publish(message)
    time.sleep(1.0)  # a publisher that leaves at once drops what is still on its way
    rclpy.shutdown()


@contextmanager
def ros_processes() -> Iterator[Processes]:
    """Initialise ROS where no robot hears it; yield processes, which end with the context."""
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        with TemporaryDirectory() as folder, Processes(Path(folder)) as processes:
            yield processes
    finally:
        rclpy.try_shutdown()


@dataclass(frozen=True)
class AnswerFigures:
    """Of one run: what was sent, how much of it was received by topic, times, and processor time.

    Attributes:
        milliseconds: way -> p50, p99, largest. processor_ms: of each process, for one joint state.
    """

    what: str
    sent: int
    received: dict[str, int]
    milliseconds: dict[str, tuple[float, ...]]
    processor_ms: dict[str, float]


def measure_answers(rate: float, seconds: float, *, branched: bool, loads: str = "topics") -> AnswerFigures:
    """Start nodes, echo and sender; send joint states at a rate [Hz] for so many seconds."""
    with ros_processes() as processes:
        listener = Listener(branched=branched)
        robot = f"robot_description_file:={BRANCHED if branched else URDF}", "autostart:=true"
        own = *robot, "acceleration_source:=zero"
        config = ROOT / "config" / ("branched_38dof.yaml" if branched else "charmie_torso.yaml")
        processes.start(DYNAMICS, *own, params_file=config)
        if not branched:
            rules = f"rules_file:={RULES}", f"loads:={loads}"
            processes.start(TORSO, *own, *rules, params_file=config)
        processes.start_file(ECHO, ROOT / "benchmark/echo_node.py")
        used = listener.run(processes, rate, seconds)
    ways = stages(listener.times).items()
    return AnswerFigures(
        f"{'38 joints' if branched else f'the torso, loads: {loads}'}, {rate:g} Hz for {seconds:g} s",
        round(rate * seconds),
        {name: len(of) for name, of in listener.times.items()},
        {name: tuple(np.quantile(way * 1e-6, (0.5, 0.99, 1.0)).tolist()) for name, way in ways},
        {name: 1e3 * taken for name, taken in used.items()},
    )


def print_answers(console: Console, figures: AnswerFigures) -> None:
    """Print one row for each way of a joint state."""
    echo = figures.milliseconds["echo"]
    rows = [
        (name, *(f"{value:.2f} ({value / least:.1f})" for value, least in zip(times, echo, strict=True)))
        for name, times in figures.milliseconds.items()
    ]
    columns = "in ms (ratio to the echo)", "p50", "p99", "largest"
    print_table(console, f"answers of nodes: {figures.what}", columns, rows)
    counts = ", ".join(f"{name} {count}" for name, count in figures.received.items())
    console.print(f"  sent {figures.sent}; received: {counts}", highlight=False)
    cpu = ", ".join(f"{name} {taken:.2f} ms" for name, taken in figures.processor_ms.items())
    console.print(f"  processor time for each joint state: {cpu}\n", highlight=False)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rate", type=float, default=200.0, help="joint states per second (200)")
    parser.add_argument("--seconds", type=float, default=20.0, help="(20)")
    parser.add_argument("--loads", choices=("topics", "computed"), default="topics")
    parser.add_argument("--branched", action="store_true", help="dynamics_node alone, 38 joints")
    parser.add_argument("--send", action="store_true", help="only send")
    options = parser.parse_args()
    given = options.rate, options.seconds
    if options.send:
        send(*given, branched=options.branched)
    else:
        figures = measure_answers(*given, branched=options.branched, loads=options.loads)
        print_answers(Console(width=100), figures)


if __name__ == "__main__":
    main()

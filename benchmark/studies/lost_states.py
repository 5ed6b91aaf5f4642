"""What becomes of joint states that are large, or that come while the robot's description changes?

    python -m benchmark.studies.lost_states [--only TEXT] [--seconds 10]

Each line is a run of one node: joint states with 10,000 joints of another robot in them, or 200 changes of
the description. Received, superseded and lost are what the node reports.
"""

import argparse
import os
import random
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from modular_dynamics_interfaces.msg import TorsoReactions
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rich.console import Console
from rich.table import Table
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import modular_dynamics as md
from modular_dynamics.urdf import stamped
from modular_dynamics_ros.demo.playing import spin_until
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.node.topics import DESCRIPTIONS

ROOT = Path(__file__).resolve().parents[2]
DYNAMICS, TORSO = "dynamics_node", "torso_reaction_node"
ROBOTS = {DYNAMICS: ROOT / "urdf/branched_38dof.urdf", TORSO: ROOT / "urdf/charmie_torso.urdf"}
ANSWERS = {DYNAMICS: (JointState, "joint_torques"), TORSO: (TorsoReactions, "reactions")}
RULES = f"rules_file:={ROOT / 'urdf/charmie_torso_rules.yaml'}"
START_LIMIT = 60.0  # [s] for a node to start
EXTRA, CHANGES = 10_000, 200


@dataclass(frozen=True)
class Case:
    """One run: rate of the joint states [Hz], further joints in them, changes of the description."""

    node: str
    rate: float
    extra: int = 0
    changes: int = 0
    stamped: bool = False

    def __str__(self) -> str:
        what = f"{self.extra} further joints" if self.extra else f"{self.changes} descriptions"
        return f"{self.node}, {self.rate:g} Hz, {what}{', stamped' if self.stamped else ''}"


CASES = [
    *(Case(node, rate, extra=EXTRA) for node in (DYNAMICS, TORSO) for rate in (50.0, 100.0)),
    *(
        Case(node, rate, changes=CHANGES, stamped=mark)
        for node, rates in ((DYNAMICS, (200.0, 500.0)), (TORSO, (200.0,)))
        for rate in rates
        for mark in (False, True)
    ),
]
COLUMNS = {
    "received": "messages in",
    "answered": "messages out",
    "superseded": "superseded by a newer joint state",
    "rejected": "messages rejected",
    "lost on the way": "lost on the way",
}


class Observer:
    """Publishes descriptions, hears answers and diagnostics."""

    def __init__(self, case: Case, processes: Processes) -> None:
        self.node, self._executor = Node("lost_states"), SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._case, self._processes = case, processes
        self.answers: set[int] = set()
        self.values: dict[str, str] = {}
        kind, topic = ANSWERS[case.node]
        self.node.create_subscription(kind, f"{case.node}/{topic}", self._on_answer, 5000)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self._descriptions = self.node.create_publisher(String, "robot_description", DESCRIPTIONS)
        self._text = ROBOTS[case.node].read_text(encoding="utf-8")
        self._sent = 0

    def _on_answer(self, message: JointState) -> None:
        self.answers.add(stamp_nanoseconds(message.header.stamp))

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.values |= {pair.key: pair.value for status in message.status for pair in status.values}

    def spin_until(self, reached: Callable[[], bool], limit: float, what: str) -> None:
        """See `demo/playing.py`."""
        spin_until(self._executor, self._processes, reached, limit, what, [self._case.node])

    def change(self) -> None:
        """Publish the next description: one and the same robot with two different masses."""
        old, new = '<mass value="', ('<mass value="1', '<mass value="2')[self._sent % 2]
        text = self._text.replace(old, new, 1)
        self._sent += 1
        data = stamped(text, self.node.get_clock().now().nanoseconds) if self._case.stamped else text
        self._descriptions.publish(String(data=data))

    def run(self, seconds: float) -> dict[str, str]:
        """Send, and return what the node reports at the end, with the number of joint states sent."""
        case = self._case
        self.change()
        own = str(case.rate), str(seconds), str(case.extra)
        self._processes.start_file(
            "warm-up", Path(__file__), "--send", case.node, "20", str(START_LIMIT), "0"
        )
        self.spin_until(lambda: len(self.answers) > 0, START_LIMIT, "the first answer")
        self._processes.end("warm-up")
        settled = self._settled()
        self.answers.clear()
        self._processes.start_file("sender", Path(__file__), "--send", case.node, *own)
        self.spin_until(lambda: len(self.answers) > 0, 60.0, "the sender")
        for k in range(case.changes):
            due = time.monotonic() + seconds / case.changes
            self.change()
            self.spin_until(lambda due=due: time.monotonic() >= due, 60.0, f"change {k}")
        limit = 60.0 + 3.0 * seconds
        self.spin_until(lambda: self._processes.code("sender") is not None, limit, "sending")
        after = self._settled()
        counted = {
            name: str(int(after[key]) - int(settled.get(key, 0)))
            if after.get(key, "").isdigit()
            else "unknown"
            for name, key in COLUMNS.items()
        }
        return {"sent": str(round(case.rate * seconds)), **counted, "heard": str(len(self.answers))}

    def _settled(self) -> dict[str, str]:
        """The diagnostics after nothing has come for a while."""
        last, since = -1, time.monotonic()
        while time.monotonic() - since < 2.5:
            self._executor.spin_once(timeout_sec=0.1)
            if (count := int(self.values.get(COLUMNS["received"], -1))) != last:
                last, since = count, time.monotonic()
        return dict(self.values)


def send(node_name: str, rate: float, seconds: float, extra: int) -> None:
    """Publish joint states at rest, stamped when sent, with joints of another robot in them."""
    graph = md.load_urdf(ROBOTS[node_name])
    names = [*graph.independent_joint_names, *(f"another_robots_joint_{k}" for k in range(extra))]
    rclpy.init()
    node = Node("sender")
    publisher = node.create_publisher(JointState, "joint_states", 500)
    while publisher.get_subscription_count() < 1:
        time.sleep(0.01)
    time.sleep(0.5)  # the subscriber must have discovered this publisher, too, which cannot be queried
    message, begin = JointState(name=names), time.perf_counter()
    message.position = message.velocity = array("d", np.zeros(len(names)).tolist())
    for k in range(round(rate * seconds)):
        wait = begin + k / rate - time.perf_counter()
        if wait > 0.0:
            time.sleep(wait)
        message.header.stamp = stamp_message(time.time_ns())
        publisher.publish(message)
    time.sleep(1.0)  # a publisher that leaves at once drops what is still on its way
    rclpy.shutdown()


def measure(case: Case, seconds: float) -> dict[str, str]:
    """One run."""
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))  # the states must reach no robot
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init()
    try:
        with TemporaryDirectory() as logs, Processes(Path(logs)) as processes:
            own = (RULES,) if case.node == TORSO else ()
            processes.start(case.node, "autostart:=true", "stale_after:=2.0", *own)
            return Observer(case, processes).run(seconds)
    finally:
        rclpy.shutdown()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="runs whose title has this text")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each run (10)")
    parser.add_argument("--send", nargs=4, metavar=("NODE", "RATE", "SECONDS", "EXTRA"), help="only send")
    options = parser.parse_args()
    if options.send:
        name, rate, seconds, extra = options.send
        send(name, float(rate), float(seconds), int(extra))
        return
    table = Table("", "sent", *COLUMNS, "heard", title="Joint states")
    for case in CASES:
        if options.only in str(case):
            figures = measure(case, options.seconds)
            table.add_row(str(case), *figures.values())
    Console(width=150).print(table)


if __name__ == "__main__":
    main()

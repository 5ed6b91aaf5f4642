"""Seconds and memory until the first torques: of Python, and of nodes beside one that only subscribes.

    python -m benchmark.measurements.readiness [--times 5]

Each time a process of its own is started. Of Python: from its start to its end, and its largest resident
memory. Of nodes: from the start of the process to the arrival of the first answer, while joint states come at
100 Hz; then the node is killed (SIGKILL), as it may be on a robot. The bare subscriber has the defaults of
rclpy and of the middleware.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from modular_dynamics_interfaces.msg import TorsoReactions
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rich.console import Console
from sensor_msgs.msg import JointState

import modular_dynamics as md
from benchmark.setting.robots import ROOT
from benchmark.setting.ros_processes import ros_processes
from benchmark.setting.timing import print_table, verdict
from examples.demo.playing import spin_until
from examples.demo.processes import Processes
from modular_dynamics_ros.messages.stamps import stamp_message

__all__ = ["Start", "measure_starts", "print_starts"]

#: Programs of `python -c`, and the seconds and megabytes that each may take.
IMPORTS = "import numpy"
TREE = """
import modular_dynamics as md
graph = md.load_urdf("urdf/{robot}.urdf")
md.inverse_dynamics(graph, graph.neutral(), [0.1] * graph.nv, [0.1] * graph.nv)
"""
LOOPS = """
import modular_dynamics as md
graph = md.load_urdf("urdf/charmie_torso.urdf")
md.inverse_dynamics(graph, *[[0.0] * len(graph.independent_joint_names)] * 3)
"""
MEMORY = """
print([line for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""
PROGRAMS = {
    "python -c 'import numpy'": (IMPORTS, None),
    "first torques, 4 joints": (TREE.format(robot="four_link"), (0.25, 90.0)),
    "first torques, 38 joints": (TREE.format(robot="branched_38dof"), None),
    "first torques, closed loops": (LOOPS, None),
}
BARE = "a bare subscriber"
#: Robot and parameters of each node, and the answer that counts.
NODES = {
    "dynamics_node": ("branched_38dof", JointState, "joint_torques", ()),
    "torso_reaction_node": (
        *("charmie_torso", TorsoReactions, "reactions"),
        (f"rules_file:={ROOT}/urdf/charmie_torso_rules.yaml", "loads:=computed"),
    ),
}
LIMIT = 60.0  # [s] for a start
PAUSE = 0.5  # [s] from the end of a process to the next start


@dataclass(frozen=True)
class Start:
    """Of several starts the seconds; megabytes of Python; what they may be, or None."""

    name: str
    seconds: list[float]
    megabytes: float | None = None
    allowed: tuple[float, float] | None = None


def measure_starts(times: int, tick: Callable[[str], None]) -> list[Start]:
    """Start everything so many times, after a start of each that is not counted and reads its files."""
    found = []
    for name, (program, allowed) in PROGRAMS.items():
        tick(name)
        runs = [_run(program) for _ in range(times + 1)][1:]
        found.append(Start(name, [run[0] for run in runs], max(run[1] for run in runs), allowed))
    with ros_processes() as (processes, _):
        for name in (BARE, *NODES):
            tick(name)
            seconds = NodeStarts(name, processes).measure(times + 1)[1:]
            found.append(Start(f"{name}: first {'message' if name == BARE else 'answer'}", seconds))
    return found


def _run(program: str) -> tuple[float, float]:
    """Run a program of Python; return its seconds and its largest resident memory [MB]."""
    command, start = [sys.executable, "-c", program + MEMORY], time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return time.perf_counter() - start, int(done.stdout.split()[1]) / 1024


class NodeStarts:
    """Starts one kind of node again and again, and publishes joint states all the while."""

    def __init__(self, name: str, processes: Processes) -> None:
        self._name, self._processes, self._heard = name, processes, list[float]()
        self._node, self._executor = Node("start_listener"), SingleThreadedExecutor()
        self._executor.add_node(self._node)
        robot, kind, topic, _ = NODES.get(name, NODES["dynamics_node"])
        self._node.create_subscription(kind, f"{name.replace(' ', '_')}/{topic}", self._on_answer, 1000)
        self._urdf = ROOT / "urdf" / f"{robot}.urdf"
        names = md.load_urdf(self._urdf).independent_joint_names
        self._state = JointState(name=list(names), position=[0.0] * len(names), velocity=[0.0] * len(names))
        self._publisher = self._node.create_publisher(JointState, "joint_states", 10)
        self._node.create_timer(0.01, self._publish)

    def _publish(self) -> None:
        self._state.header.stamp = stamp_message(time.time_ns())
        self._publisher.publish(self._state)

    def _on_answer(self, _: object, info: dict[str, int]) -> None:
        self._heard.append(info["received_timestamp"] * 1e-9)

    def measure(self, times: int) -> list[float]:
        """Return the seconds of so many starts."""
        seconds = []
        for _ in range(times):
            self._heard.clear()
            began = time.time()
            self._start()
            self._wait(self._first)
            seconds.append(self._heard[0] - began)
            os.kill(self._processes.pid(self._name), signal.SIGKILL)
            self._processes.end(self._name)
            until = time.monotonic() + PAUSE
            self._wait(lambda until=until: time.monotonic() > until)
        self._executor.shutdown()
        self._node.destroy_node()
        return seconds

    def _start(self) -> None:
        if self._name == BARE:
            self._processes.start_file(BARE, ROOT / "benchmark/bare_subscriber.py")
            return
        robot = f"robot_description_file:={self._urdf}", "autostart:=true", "acceleration_source:=zero"
        self._processes.start(self._name, *robot, *NODES[self._name][3])

    def _first(self) -> bool:
        """Return whether the first answer has come; the bare subscriber prints when its message came."""
        if self._name == BARE:
            found = re.search(r"heard at (\d+)", self._processes.log(BARE))
            self._heard[:] = [int(found[1]) * 1e-9] if found else []
        return bool(self._heard)

    def _wait(self, reached: Callable[[], bool]) -> None:
        needed = [] if reached is not self._first else [self._name]
        spin_until(self._executor, self._processes, reached, LIMIT, "an answer", needed)


def print_starts(console: Console, starts: list[Start]) -> None:
    """Print one row for each."""
    rows = []
    for one in starts:
        seconds, judged = float(np.median(one.seconds)), ""
        if one.allowed:
            most, size = one.allowed
            judged = verdict(f"<= {most:g} s, {size:g} MB", seconds <= most and one.megabytes <= size)
        memory = "" if one.megabytes is None else f"{one.megabytes:.0f}"
        figures = (f"{x:.3f}" for x in (seconds, min(one.seconds), max(one.seconds)))
        rows.append((one.name, *figures, memory, judged))
    columns = "", "median [s]", "least", "most", "MB", "target"
    print_table(console, f"a process started {len(starts[0].seconds)} times", columns, rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--times", type=int, default=5, help="how often each is started (5)")
    times = parser.parse_args().times
    if times < 1:
        parser.error("--times must be at least 1")
    print_starts(Console(width=100), measure_starts(times, lambda name: None))


if __name__ == "__main__":
    main()

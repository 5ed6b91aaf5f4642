"""Time until the distributed care robot is whole again after one of its processes was killed.

    python benchmark/restart_subsystems.py [--times 3] [--busy]

Joint states come at 50 Hz all the while. Each process of subsystem_node is killed in turn (SIGKILL) and
started again. "ready": it has loaded its subsystem; "whole": a joint state that is younger than the new
process has the torques of all subsystems. All times are from the start of the new process.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rich.console import Console
from rich.table import Table
from sensor_msgs.msg import JointState

import modular_dynamics as md
from modular_dynamics_ros.demo.playing import spin_until
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.demo.subsystems import start_subsystem, started_nodes
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

URDF = Path(__file__).resolve().parents[1] / "urdf/charmie.urdf"
PERIOD = 0.02  # [s] of the joint states
LIMIT = 60.0  # [s] for a start
PAUSE = 0.7  # [s] from the end of a process to its next start
BUSY = "while True: pass"


class Robot:
    """Sends joint states and hears the torques of all subsystems."""

    def __init__(self, processes: Processes, logs: Path) -> None:
        self.processes, self.logs, self.nodes = processes, logs, started_nodes(URDF, None)
        self.names, self.node = list(md.load_urdf(URDF).joint_names), Node("restart_listener")
        self.executor, self.answered = SingleThreadedExecutor(), {name: set[int]() for name in self.nodes}
        self.executor.add_node(self.node)
        for name, node in self.nodes.items():
            take = self._taker(self.answered[name])
            self.node.create_subscription(JointState, f"{node}/joint_torques", take, 1000)
        self.publisher = self.node.create_publisher(JointState, "joint_states", 500)
        self.node.create_timer(PERIOD, self._send)

    @staticmethod
    def _taker(stamps: set[int]) -> Callable[[JointState], None]:
        return lambda message: stamps.add(stamp_nanoseconds(message.header.stamp))

    def _send(self) -> None:
        now = time.time_ns()
        phases = np.arange(len(self.names)) + now * 1e-9 % 1e3
        q, v = 0.3 * np.cos(phases), -0.3 * np.sin(phases)
        message = JointState(name=self.names, position=q.tolist(), velocity=v.tolist())
        message.header.stamp = stamp_message(now)
        self.publisher.publish(message)

    def start(self, name: str) -> None:
        """Start the process of a subsystem."""
        start_subsystem(self.processes, name, self.nodes[name], URDF)

    def wait(self, reached: Callable[[], bool]) -> None:
        """Serve callbacks until the condition holds."""
        spin_until(self.executor, self.processes, reached, LIMIT, "torques", list(self.nodes.values()))

    def whole(self, since: int) -> bool:
        """Whether a joint state later than a stamp [ns] was answered by all."""
        return any(stamp > since for stamp in set.intersection(*self.answered.values()))

    def restart(self, name: str) -> tuple[float, float]:
        """(ready, whole) [s] after a process was killed and started again."""
        node = self.nodes[name]
        os.kill(self.processes.pid(node), signal.SIGKILL)
        self.processes.end(node)
        until = time.monotonic() + PAUSE
        while time.monotonic() < until:
            self.executor.spin_once(timeout_sec=PERIOD)
        began = time.time_ns()
        self.start(name)
        self.wait(lambda: self.whole(began))
        whole = time.time_ns()
        log = (self.logs / f"{node}.log").read_text(encoding="utf-8")
        ready = re.search(rf"\[INFO\] \[(\d+\.\d+)\] \[.*\]: subsystem '{name}' of", log)
        assert ready is not None  # it has answered
        return float(ready[1]) - began * 1e-9, (whole - began) * 1e-9


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--times", type=int, default=3, help="how often each is killed (default: 3)")
    parser.add_argument("--busy", action="store_true", help="keep a core busy meanwhile")
    options, console = parser.parse_args(), Console()
    if options.times < 1:
        parser.error("--times must be at least 1")
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))  # the states must reach no robot
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init()
    with TemporaryDirectory() as folder, ExitStack() as ended, Processes(Path(folder)) as processes:
        robot = Robot(processes, Path(folder))
        for name in robot.nodes:
            robot.start(name)
        robot.wait(lambda: robot.whole(0))
        if options.busy:
            burner = subprocess.Popen([sys.executable, "-c", BUSY])
            ended.callback(burner.wait)
            ended.callback(burner.kill)
        figures = {name: [robot.restart(name) for _ in range(options.times)] for name in robot.nodes}
    title = f"care robot, each process killed and started again {options.times} times"
    table = Table(title=title + (", one core busy" if options.busy else ""))
    for column in ("from the start of the process [s]", "ready", "whole", "least", "most", "within 2 s"):
        table.add_column(column, justify="left" if "start" in column else "right")
    for name, rows in (*figures.items(), ("all", list(chain(*figures.values())))):
        ready, whole = np.array(rows).T
        medians = f"{np.median(ready):.2f}", f"{np.median(whole):.2f}"
        within = f"{np.count_nonzero(whole <= 2.0)} of {len(whole)}"
        table.add_row(name, *medians, f"{whole.min():.2f}", f"{whole.max():.2f}", within)
    console.print(table)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None

"""Time to the first answer of torso_reaction_node after it was killed, and of the simplest node possible.

    python benchmark/restart.py [--times 5]

A player sends joint states all the while; the node, with loads computed and no accelerations, is killed
(SIGKILL) and started again. "ready": the robot is loaded. For comparison, a node that only subscribes, with
the defaults of rclpy and the middleware. All times are from the start of the process.
"""

import argparse
import os
import random
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import rclpy
from modular_dynamics_interfaces.msg import TorsoReactions
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rich.console import Console
from rich.progress import track
from rich.table import Table

from modular_dynamics_ros.demo.playing import spin_until
from modular_dynamics_ros.demo.processes import Processes

FILES = Path(__file__).resolve().parents[1]
NODE, BARE, PLAYER = "torso_reaction_node", "bare_subscriber", "joint_state_player"
LIMIT = 60.0  # [s] for a start
PAUSE = 1.0  # [s] from the end of a process to the next start


class Restarts:
    """Starts, waits, kills, again and again."""

    def __init__(self, processes: Processes, logs: Path) -> None:
        self.processes, self.logs, self.listener = processes, logs, Node("restart_listener")
        self.executor, self.answers = SingleThreadedExecutor(), []
        self.executor.add_node(self.listener)
        self.listener.create_subscription(TorsoReactions, f"{NODE}/reactions", self._on_answer, 1000)

    def _on_answer(self, message: TorsoReactions, info: dict) -> None:
        self.answers.append(info["received_timestamp"])

    def start(self, name: str) -> None:
        """Start one of the three processes."""
        if name == BARE:
            self.processes.start_file(name, Path(__file__).with_name("bare_subscriber.py"))
        elif name == PLAYER:
            motion = f"motion_file:={FILES}/config/charmie_torso_motion.yaml"
            self.processes.start(name, motion, "loop:=true", "rate:=100.0", "publish_reference:=false")
        else:
            urdf = FILES / "urdf/charmie_torso.urdf"
            rules = FILES / "urdf/charmie_torso_rules.yaml"
            files = f"robot_description_file:={urdf}", f"rules_file:={rules}"
            self.processes.start(
                name, *files, "autostart:=true", "loads:=computed", "acceleration_source:=zero"
            )

    def wait(self, reached: Callable[[], bool], name: str) -> None:
        """Serve callbacks until the condition holds."""
        spin_until(self.executor, self.processes, reached, LIMIT, "an answer", [name])

    def logged_time(self, name: str, pattern: str) -> float:
        """A time [s] in the log of a process; 0 before it is there."""
        match = re.search(pattern, (self.logs / f"{name}.log").read_text())
        return float(match.group(1)) if match else 0.0

    def kill(self, name: str) -> None:
        """Kill a process, as the system does when memory is short."""
        os.kill(self.processes.pid(name), signal.SIGKILL)
        self.processes.end(name)
        until = time.monotonic() + PAUSE
        self.wait(lambda: time.monotonic() > until, PLAYER)

    def node(self) -> tuple[float, float]:
        """(ready, first answer) [s] of one start."""
        self.answers.clear()
        began = time.time()
        self.start(NODE)
        self.wait(lambda: len(self.answers) > 0, NODE)
        ready = self.logged_time(NODE, rf"\[INFO\] \[(\d+\.\d+)\] \[{NODE}\]: robot '")
        answer = self.answers[0] * 1e-9
        self.kill(NODE)
        return ready - began, answer - began

    def bare(self) -> float:
        """First message [s] of one start."""
        began = time.time()
        self.start(BARE)
        self.wait(lambda: self.logged_time(BARE, r"heard at (\d+)") > 0.0, BARE)
        heard = self.logged_time(BARE, r"heard at (\d+)") * 1e-9
        self.kill(BARE)
        return heard - began


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--times", type=int, default=5, help="how often each is started (default: 5)")
    times, console = parser.parse_args().times, Console()
    if times < 1:
        parser.error("--times must be at least 1")
    os.environ["ROS_DOMAIN_ID"] = str(random.randrange(1, 101))  # the played states must reach no robot
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init()
    with TemporaryDirectory() as logs, Processes(Path(logs)) as processes:
        restarts = Restarts(processes, Path(logs))
        restarts.start(PLAYER)
        restarts.node()  # compiles what is not on the disk
        rounds = [
            (restarts.node(), restarts.bare()) for _ in track(range(times), "starting", console=console)
        ]
    rows = np.array([(*node, bare) for node, bare in rounds])
    table = Table(title=f"killed and started again, {times} times, while joint states come at 100 Hz")
    for name in ("from the start of the process", "median [s]", "least", "most", "within 1 s"):
        table.add_column(name, justify="left" if "start" in name else "right")
    names = (f"{NODE}: ready", f"{NODE}: first answer", "a bare subscriber: first message")
    for name, column in zip(names, rows.T, strict=True):
        figures = (np.median(column), column.min(), column.max())
        within = f"{np.count_nonzero(column < 1.0)} of {times}"
        table.add_row(name, *(f"{value:.2f}" for value in figures), within)
    console.print(table)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None

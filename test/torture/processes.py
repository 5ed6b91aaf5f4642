"""Processes killed and stopped: the node by SIGKILL and SIGSTOP, publishers by SIGKILL while they publish."""

import os
import signal
import time
from random import Random

from torture.harness.effort import Effort
from torture.harness.judge import Judge
from torture.harness.robots import joint_names, tree_urdf
from torture.harness.tally import Tally
from torture.harness.target import START, Target

__all__ = ["run"]

JOINTS = 6
STOPPED = 3.0  # [s]


def run(effort: Effort, tally: Tally) -> None:
    """Each blow several times, while states come at 200 Hz."""
    random = Random(effort.seed)
    urdf = tree_urdf(JOINTS)
    with Target(Judge(tally, urdf, joint_names(JOINTS)), effort.folder / "processes") as target:
        target.describe(urdf)
        if not target.ready():
            return
        blows = [_stop_node, _kill_publisher, _kill_node] * int(effort.of(1, 10))
        for number, blow in enumerate(blows):
            target.send_for(random.uniform(0.1, 0.5), 200.0)
            blow(target)
            effort.progress((number + 1) / len(blows))
        target.end()


def _stop_node(target: Target) -> None:
    """States go on while the process stands still; what waited is too old when it goes on."""
    pid, now = target.processes.pid(target.name), time.time_ns()
    # the one that was being computed had been found fresh, and is published when the process goes on
    target.judge.excused = lambda stamp: now - 0.3e9 < stamp < now + 0.05e9
    os.kill(pid, signal.SIGSTOP)
    target.send_for(STOPPED, 200.0)
    os.kill(pid, signal.SIGCONT)
    target.recovers("SIGSTOP for 3 s")
    target.judge.excused = lambda stamp: False


def _kill_publisher(target: Target) -> None:
    """A publisher is killed in the middle of its messages; those of others are answered on."""
    before = target.tally.right
    arguments = [f"--joints={JOINTS}", "--publishers=2", "--rate=200", "--seconds=60"]
    target.start_module("torture.harness.flood", *arguments)
    target.spin_until(lambda: target.tally.right > before + 50, START)
    target.tally.tried += target.tally.right - before
    os.kill(target.processes.pid("flood"), signal.SIGKILL)
    target.processes.end("flood")
    target.recovers("a publisher was killed")


def _kill_node(target: Target) -> None:
    """The node is killed; one started anew answers, and finds the description that was published before."""
    os.kill(target.processes.pid(target.name), signal.SIGKILL)
    target.processes.end(target.name)
    target.judge.restart()
    target.start()
    target.recovers("kill -9 and a new start", START)

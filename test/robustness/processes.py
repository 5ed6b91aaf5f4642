"""Processes that are killed and stopped, and nodes on a full disk."""

import os
import resource
import signal
import time
from random import Random
from unittest.mock import patch

from robustness.harness.tally import Effort, Tally
from robustness.harness.target import START, Target

JOINTS = 6
STOPPED = 3.0  # [s]


def kills(effort: Effort, tally: Tally) -> None:
    """Each blow several times, while states come at 200 Hz."""
    random = Random(effort.seed)
    with Target.of_tree(tally, effort, JOINTS) as target:
        if not target.ready():
            return
        for blow in [_stop_node, _kill_publisher, _kill_node] * int(effort.of(1, 10)):
            target.send_for(random.uniform(0.1, 0.5), 200.0)
            blow(target)
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
    """A publisher is killed in the middle of its messages; those of others are processed on."""
    before = target.tally.right
    target.start_flood(joints=JOINTS, publishers=2, rate=200, seconds=60)
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


# No room on the disk: no file may grow, no log can be written, while the node answers.


def full_disk(effort: Effort, tally: Tally) -> None:
    """A node whose log is on a full device; one whose files may not grow; one without a home."""
    cases: list[tuple[str, dict[str, str]]] = [
        ("log on a full device", {"ROS_LOG_DIR": "/dev/full/log"}),
        ("no home", {"HOME": "/dev/null"}),
        ("files that may not grow", {}),
    ]
    for text, changes in cases:
        with patch.dict(os.environ, changes), Target.of_tree(tally, effort, JOINTS) as target:
            target.start()
            if "grow" in text:
                target.limit(resource.RLIMIT_FSIZE, 4096)
            if target.recovers(text, 3.0 * START):
                target.send_for(1.0)
                target.recovers(text)
                target.end()

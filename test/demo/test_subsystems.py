"""The nodes of all subsystems as plain processes."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from examples.demo.subsystems import main, started_nodes
from helpers.nodes.waiting import LIMIT
from helpers.paths import ROBOTS, ROOT
from modular_dynamics_ros.exceptions import RobotError

pytestmark = pytest.mark.ros
FOUR_LINK = str(ROBOTS / "four_link.urdf")


def test_black_boxes_have_no_node(tmp_path):
    boxed_branch = tmp_path / "partition.yaml"
    boxed_branch.write_text(
        "version: 1\nsubsystems:\n  - {name: stem, joints: [turn, bend]}\n"
        "  - {name: left_branch, joints: [left]}\n"
        "  - {name: right_branch, root_link: right_branch, black_box: true}\n"
    )
    assert started_nodes(FOUR_LINK, boxed_branch) == {"stem": "stem", "left_branch": "left_branch"}
    with pytest.raises(
        RobotError, match="no subsystem 'right_branch' that can be computed; there are stem, left"
    ):
        started_nodes(FOUR_LINK, boxed_branch, ["right_branch"])


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["/absent.urdf"], "/absent.urdf"),
        (
            [str(ROBOTS / "crane.urdf")],
            "'crane' cannot be computed subsystem by subsystem: loop joint 'lift_pin'",
        ),
        ([str(ROBOTS / "charmie.urdf"), "--only", "tail"], "no subsystem 'tail' that can be computed"),
        ([str(ROBOTS / "charmie.urdf"), "--params", "/absent.yaml"], "no parameter file at '/absent.yaml'"),
    ],
)
def test_what_cannot_be_started_is_said_before_anything_starts(words, error, capsys, tmp_path):
    handler = signal.getsignal(signal.SIGTERM)
    try:
        assert main([*words, "--logs", str(tmp_path / "logs")]) == 1
    finally:
        signal.signal(signal.SIGTERM, handler)
    assert error in capsys.readouterr().err
    assert not (tmp_path / "logs").exists()


@pytest.mark.slow
def test_a_node_that_ends_is_started_again_and_all_end_with_the_command(tmp_path):
    command = sys.executable, "-m", "examples.demo.subsystems", FOUR_LINK, "--only", "left_branch"
    started = subprocess.Popen(
        [*command, "--logs", str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    log, deadline = tmp_path / "left_branch.log", time.monotonic() + LIMIT
    try:
        assert "left_branch: node left_branch" in started.stdout.readline()
        numbers = []
        for _ in range(2):
            while not (log.exists() and "subsystem 'left_branch' of" in log.read_text()):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            (number,) = children(started.pid)
            numbers.append(number)
            if len(numbers) == 1:
                log.write_text("")
                os.kill(number, signal.SIGKILL)
                assert "left_branch: ended with code -9, started again" in started.stdout.readline()
        assert numbers[0] != numbers[1]
    finally:
        started.terminate()
        code = started.wait(LIMIT)
        started.stdout.close()
    assert code == 0
    assert not os.path.exists(f"/proc/{numbers[1]}")


def children(parent):
    """Numbers of the processes that a process has started."""
    with open(f"/proc/{parent}/task/{parent}/children") as file:
        return [int(number) for number in re.findall(r"\d+", file.read())]

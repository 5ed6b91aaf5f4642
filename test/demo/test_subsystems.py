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
        ([str(ROBOTS / "crane.urdf")], "cannot be computed subsystem by subsystem: loop joint 'lift_pin'"),
        ([FOUR_LINK, "--only", "tail"], "no subsystem 'tail' that can be computed"),
    ],
)
def test_what_cannot_be_started_is_said_before_anything_starts(words, error, capsys, tmp_path):
    assert main([*words, "--logs", str(tmp_path / "logs")]) == 1
    assert error in capsys.readouterr().err
    assert not (tmp_path / "logs").exists()


@pytest.mark.slow
def test_a_node_that_ends_ends_all_and_why_is_said(tmp_path, capsys):
    """A parameter that cannot be used ends each process as soon as it is made."""
    parameters = tmp_path / "parameters.yaml"
    parameters.write_text("/**:\n  ros__parameters: {stale_after: -1.0}\n")
    words = FOUR_LINK, "--only", "left_branch", "--params", str(parameters), "--logs", str(tmp_path)
    assert main(words) == 1
    assert re.search(r"left_branch ended with code 1:\n.*stale_after", capsys.readouterr().err)


@pytest.mark.slow
def test_all_end_with_the_command(tmp_path):
    command = sys.executable, "-m", "examples.demo.subsystems", FOUR_LINK, "--logs", str(tmp_path)
    started, deadline = subprocess.Popen(command, cwd=ROOT), time.monotonic() + LIMIT
    logs = [tmp_path / f"{name}.log" for name in ("stem", "left_branch", "right_branch")]
    try:
        while not all(log.exists() and "subsystem '" in log.read_text() for log in logs):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with open(f"/proc/{started.pid}/task/{started.pid}/children") as file:
            children = file.read().split()
    finally:
        started.send_signal(signal.SIGINT)
        code = started.wait(LIMIT)
    assert (code, len(children)) == (0, 3)
    assert not any(os.path.exists(f"/proc/{number}") for number in children)

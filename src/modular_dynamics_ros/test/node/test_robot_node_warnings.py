"""What looks wrong in a description: refused with `strict`, else one line in the log, and in /diagnostics."""

from contextlib import closing
from pathlib import Path

import pytest

from helpers.nodes.dynamics_harness import Harness
from modular_dynamics_ros.messages.status import WARN
from modular_dynamics_ros.node.robot_node import FAILURE, Description

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
RIGHT, WRONG = 'ixx="0.016"', 'ixx="0.8"'  # more than the two others together
WORDS = "lower_stem"


@pytest.fixture
def impossible(four_link):
    """The text of a robot with an inertia that no body has."""
    text = Path(four_link).read_text(encoding="utf-8")
    assert RIGHT in text
    return text.replace(RIGHT, WRONG, 1)


@pytest.fixture
def file(impossible, tmp_path):
    path = tmp_path / "impossible.urdf"
    path.write_text(impossible, encoding="utf-8")
    return str(path)


def model(node):
    _, statuses = node.report()
    return next(status for status in statuses if status.name == "model")


def test_a_warning_stands_in_the_log_once_and_in_the_diagnostics(file, impossible, capfd):
    with closing(Harness(robot_description_file=file).start()) as harness:
        status = model(harness.node)
        assert status.level == WARN
        assert WORDS in status.message
        assert status.values == {"warnings": "1"}
        capfd.readouterr()
        harness.node._add(harness.node._load(file), Description())  # the same robot anew
        assert WORDS not in capfd.readouterr().err
        assert model(harness.node).level == WARN


def test_strict_refuses_it_and_names_it(file, capfd):
    with closing(Harness(robot_description_file=file, strict=True)) as harness:
        assert harness.node.trigger_configure() == FAILURE
        said = capfd.readouterr().err
        assert "robot_description_file refused" in said
        assert WORDS in said

"""Stages of dynamics_node: measured in a process of their own, because they initialise ROS."""

import pytest

from helpers.processes import run_python

pytestmark = pytest.mark.ros
MEASURE = """
from benchmark.measurements.node_stages import measure_stages
figures = measure_stages(seconds=0.4)
print(figures.sent - figures.answered, *(stage.name for stage in figures.stages), sep=";")
every = figures.own, figures.awake, figures.warm, *figures.bare, *figures.stages
assert all(stage.p50 > 0.0 for stage in every)
"""


def test_help_measures_nothing(root):
    done = run_python("-m", "benchmark.measurements.node_stages", "--help", cwd=root, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ")
    assert "p50" not in done.stdout


def test_every_stage_is_measured(root):
    done = run_python("-c", MEASURE, cwd=root, timeout=300)
    assert done.returncode == 0, done.stderr
    missing, *stages = done.stdout.strip().splitlines()[-1].split(";")
    assert 5 <= int(missing) < 400  # until the filter knows the period, and what a busy machine makes old
    assert {"message read, and answered", "of that the library", "messages written"} <= set(stages)

"""Loads that parameters name, and placements of sensors."""

import numpy as np
import pytest

from modular_dynamics_ros.computation.black_boxes.sensors import Load, load_assignments
from modular_dynamics_ros.exceptions import RobotError


def test_a_load_hangs_below():
    """By hand: 2 kg at 0.5 m along x, gravity along -z: 19.62 N up, and 9.81 N m about -y."""
    wrench = Load(2.0, np.array([0.5, 0.0, 0.0])).wrench(np.array([0.0, 0.0, -9.81]))
    assert wrench == pytest.approx([0.0, 0.0, 19.62, 0.0, -9.81, 0.0])


def test_loads_by_name():
    loads = load_assignments(("gripper:=1.2 0 0.01 -5e-2",), ("gripper", "arm"))
    assert list(loads) == ["gripper"]
    assert loads["gripper"].mass == 1.2
    assert loads["gripper"].com.tolist() == [0.0, 0.01, -0.05]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["head:=1 0 0 0"], "black_box_loads names 'head', but the black boxes are arm"),
        (["arm:=1 0 0"], "MASS X Y Z"),
        (["arm:=-1 0 0 0"], "'arm:=-1 0 0 0': the mass is -1 kg, which cannot be negative"),
        (["arm:=1 0 0 inf"], "MASS X Y Z"),
        (["arm:=1 0 0 0", "arm:=1 0 0 0"], "once for each"),
    ],
)
def test_bad_loads_are_refused(texts, words):
    with pytest.raises(RobotError, match=words):
        load_assignments(texts, ("arm",))

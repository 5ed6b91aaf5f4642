"""Phases along bodies and legs; numbers that are refused."""

import numpy as np
import pytest

from modular_dynamics.exceptions import GaitError
from modular_dynamics.modular import gaits

LEFT, RIGHT = [["l1", "l2"], ["l3", "l4"]], [["r1", "r2"], ["r3", "r4"]]


def turns(rhythm):
    """Phases by joint, in turns from 0 to 1."""
    return dict(
        zip(rhythm.joint_names, np.round(np.mod(rhythm.array("phase") / (2 * np.pi), 1.0), 12), strict=True)
    )


def test_phases_of_a_trot():
    """Lag of half a turn and alternating sides: diagonal legs move together; knees follow by a quarter."""
    rhythm = gaits.legs(LEFT, RIGHT, 0.4, 1.0, np.pi, within=np.pi / 2)
    phase = turns(rhythm)
    assert rhythm.joint_names == ("l1", "l2", "l3", "l4", "r1", "r2", "r3", "r4")
    assert phase["l1"] == phase["r3"] == 0.0
    assert phase["r1"] == phase["l3"] == 0.5
    assert phase["l2"] == phase["r4"] == 0.75


def test_phases_of_a_pace():
    """No lag: the legs of a side move together, opposite to the other side's."""
    phase = turns(gaits.legs(LEFT, RIGHT, 0.4, 1.0, 0.0))
    assert {phase[name] for name in ("l1", "l2", "l3", "l4")} == {0.0}
    assert {phase[name] for name in ("r1", "r2", "r3", "r4")} == {0.5}


def test_body_and_legs_together():
    body, both_legs = (
        gaits.body_wave(["b1", "b2"], 0.1, 0.5, 0.3, phase=0.2),
        gaits.legs(LEFT, RIGHT, 0.4, 1.0, 0.0),
    )
    both = body + both_legs
    assert both.joint_names == body.joint_names + both_legs.joint_names
    assert both.array("phase")[:2] == pytest.approx([0.2, -0.1])
    for key in ("amplitude", "frequency", "offset", "phase"):
        assert np.array_equal(both.array(key), np.concatenate([body.array(key), both_legs.array(key)]))
    with pytest.raises(GaitError, match="joints names b1, b2 twice; each joint has one motion"):
        _ = body + body


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "a"], 1.0, 1.0), "joints names a twice"),
        (([], 1.0, 1.0), "joints is empty"),
        (("arm", 1.0, 1.0), "joints is 'arm'; a list of joints' names"),
        ((["a", 3], 1.0, 1.0), "joints holds 3; the name of a joint"),
        ((["a", "b"], [1.0], 1.0), "amplitude has 1 numbers for 2 joints"),
        ((["a", "b"], [1.0, float("nan")], 1.0), "amplitude of joint 'b' is nan; a finite number is needed"),
        ((["a"], True, 1.0), "amplitude is True; a finite number is needed"),
        ((["a"], "1e-3", 1.0), "amplitude is '1e-3'; a finite number"),
        ((["a"], 1.0, -0.5), "frequency is -0.5; a finite number of at least 0 is needed"),
        ((["a"], 1.0, 1.0, float("inf")), "offset is inf; a finite number is needed"),
        ((["a"], 1.0, 1.0, 0.0, None), "phase is None; a finite number is needed"),
    ],
)
def test_what_gives_no_motion_is_refused(arguments, message):
    with pytest.raises(GaitError, match=message):
        gaits.Rhythm(*arguments)


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (("left", RIGHT), "legs/left is 'left'; a list of legs is needed"),
        ((["l1", "l2"], RIGHT), "legs/left, leg 1 is 'l1'; a list of joints' names is needed"),
        ((LEFT, [["r1"], []]), "legs/right, leg 2 is empty"),
        ((LEFT, LEFT), "legs names l1, l2, l3, l4 twice"),
        (([], []), "legs is empty"),
    ],
)
def test_impossible_legs_are_refused(sides, message):
    with pytest.raises(GaitError, match=message):
        gaits.legs(*sides, 0.4, 1.0, 0.0)

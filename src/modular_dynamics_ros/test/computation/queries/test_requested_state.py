"""Which state a request means, and what is wrong with those that mean none."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.query_subjects import ORIENTATION, TWIST, hand, subject_of
from helpers.robots.closed_robots import STATES, path
from modular_dynamics_ros.computation.queries.errors import QueryError
from modular_dynamics_ros.computation.queries.requested_state import (
    RequestedState,
    require_actuators,
    require_known,
    state_of,
)

pytestmark = pytest.mark.ros

LAST = [0.1, 0.2, 0.3], [1.0, 2.0, 3.0]


def parts(quaternion):
    return quaternion.w, quaternion.x, quaternion.y, quaternion.z


def requested(names=(), q=(), v=(), a=(), **base):
    numbers = (np.array(values, dtype=float) for values in (q, v, a))
    return RequestedState(list(names), *numbers, **base)


def of_hand(*arguments, last=LAST, **base):
    subject = subject_of(hand(), last=last)
    return state_of(subject.robot, requested(*arguments, **base), subject.last)


def refusal(code, *arguments, last=LAST, **base):
    with pytest.raises(QueryError) as refused:
        of_hand(*arguments, last=last, **base)
    assert refused.value.code == code
    return str(refused.value)


def test_without_names_it_is_the_state_answered_last():
    state = of_hand()
    assert (state.q.tolist(), state.v.tolist(), state.a.tolist()) == (*LAST, [0.0] * 3)


def test_joints_by_name_and_the_others_where_they_were_at_rest():
    state = of_hand(["j3", "j1"], [0.7, -0.4], [5.0, 6.0], [7.0, 8.0])
    assert state.q.tolist() == [-0.4, 0.2, 0.7]
    assert state.v.tolist() == [6.0, 0.0, 5.0]
    assert state.a.tolist() == [8.0, 0.0, 7.0]
    assert of_hand(["j1"], [0.5]).v.tolist() == [0.0] * 3


def test_nothing_is_needed_of_the_last_answer_where_all_joints_are_named():
    assert of_hand(["j1", "j2", "j3"], [1, 2, 3], last=None).q.tolist() == [1, 2, 3]
    assert "'j2', 'j3' are missing" in refusal("BAD_STATE", ["j1"], [1], last=None)
    assert "joint_names is empty" in refusal("BAD_STATE", last=None)


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (
            (["j1", "nix"], [1, 2]),
            "UNKNOWN_NAME",
            "no joint 'nix' in 'hand', whose joints are 'j1', 'j2', 'j3'",
        ),
        ((["j1", "j1"], [1, 2]), "BAD_STATE", "'j1' named more than once"),
        (
            (["j1", "j2"], [1]),
            "BAD_STATE",
            "positions has 1 values for 2 joint_names; one for each is needed",
        ),
        ((["j1"], []), "BAD_STATE", "positions has 0 values for 1 joint_names"),
        ((["j1"], [1], [1, 2]), "BAD_STATE", "velocities has 2 values for 1 joint_names"),
        ((["j1"], [1], [], [1, 2]), "BAD_STATE", "accelerations has 2 values for 1 joint_names"),
        (([], [1]), "BAD_STATE", "positions has 1 values for 0 joint_names"),
        ((["j1"], [np.nan]), "BAD_STATE", "positions: that of 'j1' is NaN or infinite"),
        (
            (["j2", "j1"], [0, 1], [0, 0], [0, -1e308]),
            "BAD_STATE",
            "accelerations: that of 'j1' is -1e+308; sizes of at most 1e+09 are taken",
        ),
        ((["j1"], [1.1e9]), "BAD_STATE", "positions: that of 'j1' is 1.1e+09; sizes"),
        ((["j2", "j1"], [0, 1], [0, np.inf]), "BAD_STATE", "velocities: that of 'j1' is NaN or infinite"),
    ],
)
def test_what_is_refused(arguments, code, text):
    assert text in refusal(code, *arguments)


def test_a_mimic_joint_may_be_named_where_its_driver_takes_it():
    """q4 = -0.5 q3 + 0.1."""
    assert of_hand(["j3", "j4"], [0.4, -0.1], [2.0, -1.0]).q.tolist() == [0.1, 0.2, 0.4]
    assert "'j4' mimics 'j3', which takes it to -0.1, not 0.3" in refusal(
        "BAD_STATE", ["j3", "j4"], [0.4, 0.3]
    )
    assert "takes it to -1, not 1" in refusal("BAD_STATE", ["j3", "j4"], [0.4, -0.1], [2.0, 1.0])


def test_a_mimic_joint_alone_is_refused():
    assert "'j4' mimics 'j3', which is not named" in refusal("BAD_STATE", ["j4"], [0.1])


def test_passive_joints_are_measurements():
    subject = subject_of(path("four_bar"))
    robot, passive = subject.robot, subject.robot.passive_names
    state = state_of(robot, requested([*robot.state_names, passive[0]], [0.7, 2.0]), None)
    assert state.q.tolist() == [0.7]
    assert state.measured[0] == 2.0
    assert np.isnan(state.measured[1:]).all()
    assert len(STATES["four_bar"]) == 1


def test_a_fixed_root_has_no_state():
    assert "base_pose is given, but 'hand' has a fixed root" in refusal(
        "REFUSED", ["j1"], [0], base=ORIENTATION
    )
    assert "base_twist and base_acceleration are given" in refusal("REFUSED", twist=TWIST)


def test_of_a_floating_base(quadruped):
    joints = np.linspace(-0.7, 0.8, 12)
    subject = subject_of(quadruped, base="odometry", last=(joints, joints))
    names = subject.robot.state_names
    turned = subject.robot.base.root * ORIENTATION

    def state(*arguments, last=subject.last, **base):
        return state_of(subject.robot, requested(*arguments, **base), last)

    assert state().base.twist.tolist() == TWIST.tolist()
    named = state(names, joints).base
    assert parts(named.orientation) == parts(turned)
    assert not named.twist.any()
    given = state(names, joints, base=ORIENTATION, twist=2 * TWIST, last=None).base
    assert parts(given.orientation) == parts(turned)
    assert given.twist.tolist() == (2 * TWIST).tolist()
    for arguments, base, text in (
        ((), {"twist": TWIST}, "but a state of the base is given; name the joints, too"),
        (
            (names, joints),
            {"last": None},
            "base_pose is zero, which means that of the last answer, but no joint",
        ),
        ((names, joints), {"twist": np.full(6, np.nan)}, "base_twist: that of 'linear.x' is NaN"),
    ):
        with pytest.raises(QueryError, match=text) as refused:
            state(*arguments, **base)
        assert refused.value.code == "BAD_STATE"


def test_a_root_that_only_turns_has_no_twist(quadruped):
    joints = np.linspace(-0.7, 0.8, 12)
    subject = subject_of(quadruped, base="imu", last=(joints, joints))
    with pytest.raises(QueryError, match="has a fixed root") as refused:
        state_of(subject.robot, requested(subject.robot.state_names, joints, twist=TWIST), subject.last)
    assert refused.value.code == "REFUSED"
    given = requested(subject.robot.state_names, joints, base=ORIENTATION)
    turned = state_of(subject.robot, given, None).base.orientation
    assert parts(turned) == parts(subject.robot.base.root * ORIENTATION)


def test_a_joint_that_is_locked_is_said_to_be():
    robot = replace(subject_of(hand()).robot, locked={"pan": 0.5, "tilt": -0.25, "j1": 0.0})
    for names, code, text in (
        (["j2", "pan"], "REFUSED", "'pan' is locked at 0.5: leave out what is locked, or unlock it"),
        (["tilt", "pan"], "REFUSED", "'tilt' is locked at -0.25, 'pan' is locked at 0.5: leave out"),
        (["pan", "nix"], "UNKNOWN_NAME", "no joint 'nix' in 'hand'"),
    ):
        for refuse in (require_known, require_actuators):
            with pytest.raises(QueryError, match=text) as refused:
                refuse(robot, names)
            assert refused.value.code == code
    require_known(robot, ["j1"])  # a joint of this name was attached since

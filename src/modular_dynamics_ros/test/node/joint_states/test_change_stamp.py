import pytest

from modular_dynamics_ros.node.joint_states.change_stamp import change_stamp

S = 1_000_000_000  # [ns]


@pytest.mark.parametrize(
    ("before", "stamp"),
    [
        ((None, None), 9 * S),
        ((8 * S, 7 * S), 9 * S),
        ((9 * S + 10, None), 9 * S + 11),  # its publisher's clock is ahead: the robot answered it as it was
        ((8 * S, 9 * S), 9 * S + 1),  # two changes in one instant of a simulation
        ((90 * S, 90 * S), 9 * S),  # from before the clock was set back
    ],
)
def test_a_change_comes_after_what_was_answered_and_after_the_last_one(before, stamp):
    assert change_stamp(9 * S, 0.2, *before) == stamp

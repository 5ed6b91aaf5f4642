import pytest

from modular_dynamics_ros.node.joint_states.change_stamp import change_stamp, is_far_ahead

S = 1_000_000_000  # [ns]


@pytest.mark.parametrize(
    ("before", "stamp"),
    [
        ((None, None), 9 * S),
        ((8 * S, 7 * S), 9 * S),
        ((9 * S + 10, None), 9 * S + 11),  # its publisher's clock is ahead: the robot answered it as it was
        ((8 * S, 9 * S), 9 * S + 1),  # two changes in one instant of a simulation
        ((90 * S, 90 * S), 9 * S),  # from before the clock was set back
        ((9 * S + 200_000_000, None), 9 * S + 200_000_001),
        ((9 * S + 200_000_001, 9 * S + 800_000_000), 9 * S),  # nothing so far ahead is answered
    ],
)
def test_a_change_comes_after_what_was_answered_and_after_the_last_one(before, stamp):
    assert change_stamp(9 * S, 0.2, *before) == stamp


@pytest.mark.parametrize(
    ("ahead", "stale_after", "far"),
    [(0.19, 0.01, False), (0.21, 0.01, True), (0.21, 0.5, False), (0.51, 0.5, True), (-90.0, 0.2, False)],
)
def test_a_stamp_may_be_ahead_by_stale_after_or_as_far_as_clocks_differ(ahead, stale_after, far):
    assert is_far_ahead(9 * S + round(ahead * S), 9 * S, stale_after) is far

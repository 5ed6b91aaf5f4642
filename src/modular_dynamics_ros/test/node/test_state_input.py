import pytest

from modular_dynamics_ros.node.state_input import InputTimeout, StaleBehaviour

S = 1_000_000_000


def test_nothing_before_the_first_state():
    assert InputTimeout(0.1, "hold_gravity", 1.0).behaviour(S) == (StaleBehaviour.NOTHING, 0.0)


@pytest.mark.parametrize(
    ("on_stale", "behaviour"),
    [("stop", StaleBehaviour.NOTHING), ("hold_gravity", StaleBehaviour.HOLD_GRAVITY)],
)
def test_stop_and_hold(on_stale, behaviour):
    stale = InputTimeout(0.1, on_stale, 1.0)
    stale.arrived(S)
    assert stale.behaviour(S + S // 10)[0] is StaleBehaviour.ANSWERS
    assert stale.behaviour(S + S // 10 + 1)[0] is behaviour
    stale.arrived(2 * S)
    assert stale.behaviour(2 * S)[0] is StaleBehaviour.ANSWERS


def test_the_ramp_falls_linearly_and_ends_with_one_zero():
    stale = InputTimeout(0.1, "ramp_to_zero", 2.0)
    stale.arrived(0)
    assert stale.behaviour(S // 10 + S) == (StaleBehaviour.RAMP, pytest.approx(0.5))
    assert stale.behaviour(3 * S) == (StaleBehaviour.RAMP, 0.0)
    assert stale.behaviour(4 * S) == (StaleBehaviour.NOTHING, 0.0)
    stale.arrived(5 * S)
    assert stale.behaviour(5 * S + S // 10 + S)[0] is StaleBehaviour.RAMP


def test_a_clock_that_was_set_back_is_not_stale():
    stale = InputTimeout(0.1, "stop", 1.0)
    stale.arrived(100 * S)
    assert stale.behaviour(S)[0] is StaleBehaviour.ANSWERS
    assert stale.behaviour(2 * S)[0] is StaleBehaviour.NOTHING

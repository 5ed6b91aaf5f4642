import pytest

from modular_dynamics_ros.node.input_timeout import Reaction, StaleInput

S = 1_000_000_000


def test_nothing_before_the_first_state():
    assert StaleInput(0.1, "hold_gravity", 1.0).react(S) == (Reaction.NOTHING, 0.0)


@pytest.mark.parametrize(
    ("on_stale", "reaction"), [("stop", Reaction.NOTHING), ("hold_gravity", Reaction.HOLD_GRAVITY)]
)
def test_stop_and_hold(on_stale, reaction):
    stale = StaleInput(0.1, on_stale, 1.0)
    stale.arrived(S)
    assert stale.react(S + S // 10)[0] is Reaction.ANSWER
    assert stale.react(S + S // 10 + 1)[0] is reaction
    stale.arrived(2 * S)
    assert stale.react(2 * S)[0] is Reaction.ANSWER


def test_the_ramp_falls_linearly_and_ends_with_one_zero():
    stale = StaleInput(0.1, "ramp_to_zero", 2.0)
    stale.arrived(0)
    assert stale.react(S // 10 + S) == (Reaction.RAMP, pytest.approx(0.5))
    assert stale.react(3 * S) == (Reaction.RAMP, 0.0)
    assert stale.react(4 * S) == (Reaction.NOTHING, 0.0)
    stale.arrived(5 * S)
    assert stale.react(5 * S + S // 10 + S)[0] is Reaction.RAMP


def test_a_clock_that_was_set_back_is_not_stale():
    stale = StaleInput(0.1, "stop", 1.0)
    stale.arrived(100 * S)
    assert stale.react(S)[0] is Reaction.ANSWER
    assert stale.react(2 * S)[0] is Reaction.NOTHING


def test_forgetting():
    stale = StaleInput(0.1, "hold_gravity", 1.0)
    stale.arrived(S)
    stale.forget()
    assert stale.age(2 * S) is None

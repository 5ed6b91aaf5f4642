import pytest

from modular_dynamics_ros.node.state_input import InputTimeout, Output

S = 1_000_000_000


def test_nothing_before_the_first_state():
    assert InputTimeout(0.1, "hold_gravity", 1.0).output(S) == (Output.NOTHING, 0.0)


@pytest.mark.parametrize(
    ("on_stale", "output"), [("stop", Output.NOTHING), ("hold_gravity", Output.HOLD_GRAVITY)]
)
def test_stop_and_hold(on_stale, output):
    stale = InputTimeout(0.1, on_stale, 1.0)
    stale.arrived(S)
    assert stale.output(S + S // 10)[0] is Output.ANSWERS
    assert stale.output(S + S // 10 + 1)[0] is output
    stale.arrived(2 * S)
    assert stale.output(2 * S)[0] is Output.ANSWERS


def test_the_ramp_falls_linearly_and_ends_with_one_zero():
    stale = InputTimeout(0.1, "ramp_to_zero", 2.0)
    stale.arrived(0)
    assert stale.output(S // 10 + S) == (Output.RAMP, pytest.approx(0.5))
    assert stale.output(3 * S) == (Output.RAMP, 0.0)
    assert stale.output(4 * S) == (Output.NOTHING, 0.0)
    stale.arrived(5 * S)
    assert stale.output(5 * S + S // 10 + S)[0] is Output.RAMP


def test_a_clock_that_was_set_back_is_not_stale():
    stale = InputTimeout(0.1, "stop", 1.0)
    stale.arrived(100 * S)
    assert stale.output(S)[0] is Output.ANSWERS
    assert stale.output(2 * S)[0] is Output.NOTHING

"""The gait of coupled maps: its iterates by hand, angles at the knots, range, seeds, refusals."""

import numpy as np
import pytest

from modular_dynamics.exceptions import GaitError
from modular_dynamics.modular import gaits
from modular_dynamics.modular.gaits import KEPT

NAMES = ("a", "b", "c")


def maps(**numbers):
    return gaits.CoupledMaps(**{"joint_names": NAMES, "amplitude": 1.0, "period": 1.0, **numbers})


def test_one_iteration_by_hand():
    x = [0.1, 0.4, 0.7]
    a, b, c = (3.5 * value * (1.0 - value) for value in x)
    for boundary, first, last in (("ring", c, a), ("open", a, c)):
        gait = maps(growth=3.5, coupling=0.3, initial=x, boundary=boundary)
        expected = [0.7 * a + 0.15 * (first + b), 0.7 * b + 0.15 * (a + c), 0.7 * c + 0.15 * (b + last)]
        assert gait.iterates(2)[1] == pytest.approx(expected, abs=1e-15)


def test_angles_are_those_of_the_iterates_and_stay_between_them():
    gait = maps(amplitude=[0.5, -0.2, 1.0], period=0.4, coupling=0.2, offset=[0.0, 0.1, -0.3], seed=4)
    expected = np.array([0.0, 0.1, -0.3]) + np.array([0.5, -0.2, 1.0]) * (2.0 * gait.iterates(20) - 1.0)
    knots = gait.states(0.4 * np.arange(20))
    assert knots.q == pytest.approx(expected, abs=1e-12)
    assert knots.v == pytest.approx(0.0, abs=1e-10)
    for k in range(19):
        between = gait.states(np.linspace(0.4 * k, 0.4 * (k + 1), 50)).q
        low, high = np.minimum(expected[k], expected[k + 1]), np.maximum(expected[k], expected[k + 1])
        assert (between >= low - 1e-12).all()
        assert (between <= high + 1e-12).all()


def test_the_seed_decides():
    gait, same, other = (maps(seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(gait.at(7.7).q, same.at(7.7).q)
    assert np.abs(gait.at(7.7).q - other.at(7.7).q).max() > 1e-3
    assert np.array_equal(gait.iterates(1)[0], np.random.default_rng(1).random(3))


def test_settled_gaits_start_later_in_the_same_motion():
    early, late = (maps(coupling=0.6, settle=settle) for settle in (0, 300))
    assert np.array_equal(early.iterates(310)[300:], late.iterates(10))
    assert np.ptp(late.iterates(10), axis=1).max() < 1e-12
    assert np.ptp(early.iterates(10), axis=1).max() > 1e-3


def test_rounding_never_leaves_the_range():
    """At growth 4 an x of 1 plus rounding would run away to minus infinity."""
    for seed in range(20):
        x = maps(coupling=0.6, seed=seed).iterates(3000)
        assert (x >= 0.0).all()
        assert (x <= 1.0).all()


def test_between_iterates_is_the_motion_of_least_jerk():
    """10 u^3 - 15 u^4 + 6 u^5, with the peaks 15/8 and 10/sqrt(3) of the change."""
    u = np.linspace(0.0, 1.0, 10001)[:-1]
    gait = maps(joint_names=("a",), period=0.5, growth=0.0, initial=[1.0])  # from 1 to -1
    state = gait.states(0.5 * u)
    assert state.q[:, 0] == pytest.approx(1.0 - 2.0 * u**3 * (10 - 15 * u + 6 * u**2), abs=1e-14)
    assert np.abs(state.v).max() == pytest.approx(2.0 * 15 / 8 / 0.5, rel=1e-7)
    assert np.abs(state.a).max() == pytest.approx(2.0 * 10 / np.sqrt(3) / 0.25, rel=1e-6)


def test_any_order_gives_the_same_iterates_and_memory_is_bounded():
    gait, expected = maps(seed=5), maps(seed=5).iterates(5 * KEPT + 1)
    for k in (10, 3, 5 * KEPT, 5 * KEPT - 100, 7, 0, 3 * KEPT):
        assert np.array_equal(gait._x(k), expected[k])
        assert len(gait._kept[1]) <= 2 * KEPT


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"period": 0.0}, "period is 0.0; a finite number of at least 1e-06 is needed"),
        ({"growth": 4.1}, "growth is 4.1; a finite number of at least 0 and at most 4 is needed"),
        ({"coupling": -0.1}, "coupling is -0.1; a finite number of at least 0 and at most 1 is needed"),
        ({"boundary": "wall"}, "boundary is 'wall'; ring and open are known"),
        ({"seed": 1.5}, "seed is 1.5; a whole number"),
        ({"settle": 10**7}, "settle is 10000000; a whole number from 0 to 1000000 is needed"),
        ({"initial": [0.1, 0.2]}, "initial has 2 numbers for 3 joints"),
        ({"initial": [0.1, 0.2, 1.2]}, "initial of joint 'c' is 1.2; a finite number of at least 0"),
    ],
)
def test_what_gives_no_motion_is_refused(numbers, message):
    with pytest.raises(GaitError, match=message):
        maps(**numbers)

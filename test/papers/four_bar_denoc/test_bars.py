"""The four-bar by energies, against the library, and bars of other lengths and widths."""

import numpy as np
import pytest

import modular_dynamics as md
from papers.four_bar_denoc.bars import Bar, Bars, by_energy

OTHER = Bars(Bar(0.06, 1.0, 0.02), Bar(0.14, 2.5, 0.03), Bar(0.12, 4.0, 0.01), ground=0.16)


@pytest.mark.parametrize("bars", [Bars(), OTHER, Bars().with_coupler(9.0)])
def test_energies_denoc_and_closed_loops_give_the_same_torque(bars):
    graph, denoc = md.load_urdf(bars.urdf()), bars.denoc()
    for angle, speed, a in np.random.default_rng(0).uniform(-6.0, 6.0, (20, 3)):
        inertia, half_slope, weight = by_energy(bars, angle)
        expected = inertia * a + half_slope * speed**2 + weight
        assert md.inverse_dynamics(graph, [angle], [speed], [a]) == pytest.approx(
            [expected], rel=1e-9, abs=1e-9
        )
        tau = denoc.inverse_dynamics(denoc.close(angle), speed, a)[0]
        assert tau == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_slope_of_the_inertia():
    step = 1e-5
    for angle in (0.3, 2.0, 4.5):
        less, more = (by_energy(Bars(), angle + sign * step)[0] for sign in (-1, 1))
        assert by_energy(Bars(), angle)[1] == pytest.approx((more - less) / (4.0 * step), rel=1e-6)


@pytest.mark.parametrize(
    "numbers", [(0.0, 1.0), (0.1, -1.0), (0.1, 1.0, -0.01), (np.nan, 1.0), (0.1, np.inf)]
)
def test_bars_that_cannot_be(numbers):
    with pytest.raises(md.ModelError, match="length and mass must be positive, the width not negative"):
        Bar(*numbers)


def test_lengths_let_the_crank_turn_around():
    bars = Bars().with_lengths(0.06, 0.14, 0.12, 0.16)
    assert (bars.crank, bars.output, bars.ground) == (Bar(0.06, 1.5), Bar(0.12, 5.0), 0.16)
    for angle in np.linspace(0.0, 2.0 * np.pi, 91):
        bars.denoc().close(angle)
    for lengths in ((0.15, 0.14, 0.12, 0.16), (0.05, 0.30, 0.05, 0.15), (0.05, 0.1, 0.13, np.nan)):
        with pytest.raises(md.ModelError, match="do not let the crank turn around"):
            Bars().with_lengths(*lengths)

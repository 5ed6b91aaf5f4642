"""Exponents of the synchronised lattice: against known ones, the lattice's own Jacobian, and its motion."""

import numpy as np
import pytest

from modular_dynamics.modular import gaits
from papers.modular_robots.synchronisation import logistic_exponent, transverse_exponents


def lattice(count, **numbers):
    return gaits.CoupledMaps(tuple(f"j{k}" for k in range(count)), 1.0, 1.0, **numbers)


def test_exponents_of_a_single_map_that_are_known():
    """ln 2 at a = 4 (Ulam & von Neumann); ln|2 - a| at a fixed point; ln|f'(x1) f'(x2)| / 2."""
    assert logistic_exponent(4.0) == np.log(2.0)
    assert logistic_exponent(3.999999) == pytest.approx(np.log(2.0), abs=0.02)  # averaged, not known
    assert logistic_exponent(2.8) == pytest.approx(np.log(0.8), abs=1e-9)
    # f'(x1) f'(x2) = 4 + 2 a - a^2; the mean over 100 000 iterations still has some transient in it
    assert logistic_exponent(3.2) == pytest.approx(0.5 * np.log(abs(4 + 6.4 - 3.2**2)), abs=1e-6)


@pytest.mark.parametrize("boundary", ["ring", "open"])
@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("coupling", [0.2, 0.7])
def test_exponents_are_those_of_the_lattice_s_jacobian(boundary, count, coupling):
    """By differences of one iteration about a synchronised state, divided by f'(x)."""
    x, size = 0.3, 1e-6
    states = [
        lattice(
            count, coupling=coupling, boundary=boundary, initial=(x + sign * size * row).tolist()
        ).iterates(2)[1]
        for row in np.eye(count)
        for sign in (1, -1)
    ]
    columns = (np.array(states[::2]) - np.array(states[1::2])) / (2.0 * size) / (4.0 * (1.0 - 2.0 * x))
    found = np.sort(np.abs(np.linalg.eigvals(columns)))
    transverse = np.exp(transverse_exponents(count, coupling, 4.0, boundary) - np.log(2.0))
    assert found == pytest.approx(np.sort([1.0, *transverse]), abs=1e-8)


def test_where_rings_synchronise_at_growth_4():
    """|1 - e + e cos k| < 1/2 for all modes: three joints 1/3 < e < 1, four 1/2 < e < 3/4, six never."""
    for count, least, most in ((3, 1 / 3, 1.0), (4, 0.5, 0.75)):
        for coupling, stable in ((least - 0.01, False), (least + 0.01, True), (most - 0.01, True)):
            assert (transverse_exponents(count, coupling).max() < 0.0) == stable
    assert transverse_exponents(4, 0.76).max() > 0.0
    assert all(transverse_exponents(6, e).max() > 0.0 for e in np.linspace(0.0, 1.0, 101))


@pytest.mark.parametrize(
    ("count", "boundary", "coupling", "growth"),
    [
        (3, "ring", 0.6, 4.0),
        (4, "ring", 0.6, 4.0),
        (2, "open", 0.7, 4.0),
        (3, "open", 0.8, 3.7),
        (4, "ring", 0.3, 3.2),
    ],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_strong_coupling_synchronises(count, boundary, coupling, growth, seed):
    """Where all exponents are negative (chaotic ones, and a period of two): exactly, after a while."""
    assert transverse_exponents(count, coupling, growth, boundary).max() < 0.0
    maps = lattice(count, boundary=boundary, coupling=coupling, growth=growth, seed=seed)
    spread = np.ptp(maps.iterates(2000), axis=1)
    assert spread[0] > 0.01
    assert spread[-100:].max() < 1e-12
    moved = np.ptp(maps.iterates(2000)[-100:, 0])
    assert moved > 0.2  # synchronised, not at rest


@pytest.mark.parametrize(
    ("count", "boundary", "coupling"),
    [(4, "ring", 0.1), (6, "ring", 0.5), (4, "ring", 0.9), (3, "open", 0.6)],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_weak_coupling_does_not(count, boundary, coupling, seed):
    """From beside the synchronised state: differences of 1e-9 grow until the joints move apart."""
    assert transverse_exponents(count, coupling, 4.0, boundary).max() > 0.0
    rng = np.random.default_rng(seed)
    initial = rng.random() + 1e-9 * rng.standard_normal(count)
    maps = lattice(count, boundary=boundary, coupling=coupling, initial=np.clip(initial, 0, 1).tolist())
    spread = np.ptp(maps.iterates(1000), axis=1)
    assert spread[0] < 1e-8
    assert np.median(spread[500:]) > 0.01


def test_differences_grow_by_the_largest_exponent():
    """The mean growth of a small difference, averaged over starts: ln|1 - 2 e| + ln 2 for two joints."""
    coupling, steps = 0.1, 20
    rng = np.random.default_rng(5)
    growths = []
    for x in np.sin(0.5 * np.pi * rng.random(2000)) ** 2:  # the map's own distribution
        maps = lattice(2, coupling=coupling, initial=[x, min(x + 1e-12, 1.0)])
        spread = np.ptp(maps.iterates(steps + 1), axis=1)
        growths.append(np.log(spread[-1] / spread[0]) / steps)
    expected = transverse_exponents(2, coupling).max()
    # one step's ln|f'| varies by 0.9, the mean of 20 000 independent ones by 0.006
    assert np.mean(growths) == pytest.approx(expected, abs=0.02)

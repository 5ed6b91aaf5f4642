"""Double pendulum and crane of modules beside Lagrange's equations: accelerations, and 10 s of motion."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from papers.modular_robots.benchmarks import (
    CHAOTIC,
    DURATION,
    TARGET,
    compare,
    crane,
    double_pendulum,
    symbolic_difference,
)
from papers.modular_robots.lagrange import Crane, DoublePendulum, growth, integrate

BENCHMARKS = {"double pendulum": double_pendulum, "crane": crane}
TIMES = np.linspace(0.0, DURATION, 1001)


def test_equations_have_the_masses_and_lengths_of_the_modules():
    assert double_pendulum().equations == DoublePendulum(1.0, 1.5, 1.0, 0.6, 9.81)
    assert replace(crane().equations, force=None) == Crane(2.0, 1.0, 1.0, 9.81, None)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_accelerations_are_those_of_lagranges_equations(name):
    benchmark = BENCHMARKS[name]()
    graph, x_of_q, rng = benchmark.assembly.graph(), benchmark.x_of_q, np.random.default_rng(3)
    for q, v in rng.normal(scale=2.0, size=(20, 2, 2)):
        a = md.forward_dynamics(graph, q, v, np.zeros(2))
        expected = benchmark.equations.accelerations(0.0, x_of_q @ q, x_of_q @ v)
        np.testing.assert_allclose(x_of_q @ a, expected, rtol=1e-12, atol=1e-12)
        energy = benchmark.equations.energy(x_of_q @ q, x_of_q @ v)
        assert md.energy(graph, q, v) == pytest.approx(energy, abs=1e-12)


@pytest.mark.nightly
@pytest.mark.parametrize("name", BENCHMARKS)
def test_motions_of_10_s_differ_by_less_than_1e_8_of_the_amplitude(name):
    compared = compare(BENCHMARKS[name]())
    assert compared.times[-1] == DURATION == 10.0
    assert max(one.max() for one in compared.differences.values()) < TARGET == 1e-8
    assert compared.accelerations < 1e-13
    assert max(compared.drifts) < 1e-10  # of the integrators, at 1e-12 and 1e-13 in each step
    assert (compared.amplitudes > 0.3).all()  # the motion is none of small angles
    np.testing.assert_array_equal(compared.theirs[0], compared.benchmark.start)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_closed_form_is_lagranges_equations_as_an_expression(name):
    benchmark = BENCHMARKS[name]()
    assert symbolic_difference(benchmark).is_zero_matrix
    wrong = replace(benchmark, parameters=benchmark.parameters | {"m2": "g"})  # one symbol for another
    assert not symbolic_difference(wrong).is_zero_matrix


def test_the_chosen_start_of_the_double_pendulum_can_be_compared_and_the_chaotic_one_cannot():
    """An error of 1e-12 in each step stays far below 1e-8, or does not."""
    benchmark = double_pendulum()
    assert growth(benchmark.equations, benchmark.start, TIMES) < 100.0
    assert growth(benchmark.equations, np.array(CHAOTIC), TIMES) > 1e6


def test_a_driven_crane_moves_as_lagranges_equations():
    benchmark, times = crane(), np.linspace(0.0, 1.0, 11)
    equations = replace(benchmark.equations, force=lambda t: 20.0 * np.sin(5.0 * t))
    x, _ = integrate(equations, benchmark.start, times)
    ours = md.simulate(
        benchmark.assembly.graph(), benchmark.start, [0.0, 0.0],
        lambda t, q, v: [equations.force(t), 0.0], 1.0, times=times, rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(ours.coordinates, x, atol=1e-10)
    assert np.abs(ours.coordinates[-1] - compare(benchmark, 1.0, 11).ours[-1]).max() > 0.1  # the force counts

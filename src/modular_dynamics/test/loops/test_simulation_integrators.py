"""The choice of integrators: all give the same motion, and the implicit ones pay where it is stiff."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.motions import kinetic, pendulum
from helpers.robots.four_bar_windows import standing, windows

IMPLICIT = ("Radau", "BDF", "LSODA")


@pytest.mark.parametrize("method", IMPLICIT)
def test_implicit_integrators_agree_with_the_best(load_robot, method):
    graph, times = load_robot("four_bar"), [0.5, 1.0]
    best = md.simulate(graph, [0.3], [0.0], None, 1.0, times=times)
    coarse, fine = (
        md.simulate(graph, [0.3], [0.0], None, 1.0, method, times=times, rtol=tol, atol=tol)
        for tol in (1e-5, 1e-8)
    )
    errors = [np.abs(motion.coordinates - best.coordinates).max() for motion in (coarse, fine)]
    assert errors[1] < 1e-5  # some hundred steps of 1e-8 each
    assert errors[1] < 0.1 * errors[0]  # the tolerance is what decides
    assert fine.residual.max() < 1e-9


@pytest.mark.parametrize("method", IMPLICIT)
def test_implicit_integrators_pass_crossings(method):
    """Two windows that turn over: their rods come in line several times."""
    graph = windows(2)
    start = standing(graph, np.pi / 2)
    arguments = graph, [np.pi / 2], [-2.5], None, 3.0, method
    motion = md.simulate(*arguments, guess=start, rtol=1e-7, atol=1e-7)
    exact = pendulum(2, 0.0, 2.5, motion.t)
    expected = np.array([standing(graph, np.pi / 2 - phi) for phi in exact])
    assert np.ptp(exact) > 4.0 * np.pi
    assert motion.coordinates == pytest.approx(expected, abs=1e-4)  # a thousand times the tolerance
    assert np.ptp(motion.energy) < 1e-4 * kinetic(graph, motion)


@pytest.mark.parametrize("method", IMPLICIT)
@pytest.mark.parametrize("damping", [0.2, 100.0])
def test_a_stiff_motion_comes_to_rest(load_robot, method, damping):
    """Tight tolerances, a start that forces short steps, and long rest at the end, where all hardly move."""
    graph = load_robot("four_bar")

    def tau(t, q, v):
        return [-damping * v[0] - 5.0 * (q[0] - 1.5)]

    arguments = graph, [0.3], [0.0], tau, 20.0 * max(damping, 1.0), method
    motion = md.simulate(*arguments, rtol=1e-8, atol=1e-8)
    q = motion.coordinates[-1]
    weight = md.gravity_torque(graph, q[:1], guess=q)
    assert weight == pytest.approx([-5.0 * (q[0] - 1.5)], abs=1e-6)  # in equilibrium
    assert motion.velocities[-1] == pytest.approx(0.0, abs=1e-6)
    assert motion.residual.max() < 1e-9


def test_implicit_integrators_take_few_steps_where_damping_is_strong(load_robot):
    """100 N m s on an inertia of 0.01 kg m^2: speeds follow within 0.1 ms what moves over 0.1 s."""
    graph = load_robot("four_bar")
    calls = 0

    def tau(t, q, v):
        nonlocal calls
        calls += 1
        return [0.5 - 100.0 * v[0]]

    counts, ends = {}, {}
    for method in ("RK45", *IMPLICIT):
        calls = 0
        motion = md.simulate(graph, [0.3], [0.0], tau, 0.1, method, rtol=1e-6, atol=1e-6)
        counts[method], ends[method] = calls, motion.coordinates[-1]
    for method in IMPLICIT:
        assert counts[method] < 0.2 * counts["RK45"], counts
        assert ends[method] == pytest.approx(ends["RK45"], abs=1e-5)

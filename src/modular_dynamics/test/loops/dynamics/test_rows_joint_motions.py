"""Velocities and accelerations of all joints of many states: those of single states, and differences."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.parallel_mechanisms import delta
from modular_dynamics.loops import joint_motions, solver_of


@pytest.mark.parametrize("name", ["four_bar", "exoskeleton", "charmie_torso", "crane", "delta"])
def test_they_are_derivatives_of_the_coordinates(name, load_robot):
    """By central differences along q + v t + a t^2 / 2."""
    graph = md.load_urdf(delta().urdf()) if name == "delta" else load_robot(name)
    solver, rng = solver_of(graph), np.random.default_rng(0)
    start, h = solver.reference()[solver.independent_q], 1e-4
    q = start + 0.02 * rng.uniform(-1.0, 1.0, (5, len(start)))
    v, a = rng.normal(size=(2, *q.shape))
    coordinates = np.array([md.close_loops(graph, row) for row in q])
    motions = joint_motions(graph, coordinates, v, a)
    for k in range(5):
        before, after = (
            md.close_loops(graph, q[k] + t * v[k] + 0.5 * t * t * a[k], coordinates[k]) for t in (-h, h)
        )
        rate, change = (after - before) / (2.0 * h), (after - 2.0 * coordinates[k] + before) / h**2
        assert motions.v[k] == pytest.approx(rate, abs=1e-5 * max(1.0, np.abs(rate).max()))
        change[solver.system.free] = motions.a[k][solver.system.free]  # these follow from the forces
        assert motions.a[k] == pytest.approx(change, abs=1e-4 * max(1.0, np.abs(change).max()))

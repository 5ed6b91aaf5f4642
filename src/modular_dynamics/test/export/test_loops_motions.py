"""Exported velocities of all joints against finite differences of the exported positions."""

import numpy as np
import pytest

from helpers.paths import ROBOTS
from helpers.robots.planar_mechanisms import MECHANISMS
from modular_dynamics import load_urdf
from modular_dynamics.export.c_code import recordings_of

#: Step of central differences, and what rounding and curvature leave of them.
STEP, ALLOWED = 1e-5, 1e-8
NAMES = ("four_bar.urdf", "slider_crank.urdf", "crane.urdf", "exoskeleton.urdf", *MECHANISMS)


@pytest.mark.parametrize("name", NAMES)
def test_rates_are_finite_differences_of_positions(name):
    graph = load_urdf(ROBOTS / name) if name.endswith(".urdf") else MECHANISMS[name]().graph()
    recordings = recordings_of(graph, ["close_loops", "explicit_constraint_jacobian"], (), None, "test")
    close, project = (recording.program for recording in recordings)
    start = recordings[0].inputs[0][0]
    rng = np.random.default_rng(0)
    q = start + 0.1 * rng.uniform(-1.0, 1.0, (20, len(start)))
    v = rng.uniform(-1.0, 1.0, q.shape)
    (W,) = project.values([q])
    velocities = np.einsum("rij,rj->ri", W.reshape(len(q), graph.nv, -1), v)
    (ahead,), (behind,) = close.values([q + STEP * v]), close.values([q - STEP * v])
    closed = np.isfinite(ahead + behind).all(axis=1)
    assert closed.sum() >= 10
    differences = (ahead - behind) / (2.0 * STEP)
    size = np.abs(velocities[closed]).max()
    assert np.abs(velocities - differences)[closed].max() <= ALLOWED * max(1.0, size) ** 3

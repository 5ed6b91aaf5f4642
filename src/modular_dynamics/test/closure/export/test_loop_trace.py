"""Exported motions of all joints against finite differences of the exported positions."""

import numpy as np
import pytest

from helpers.paths import ROBOTS
from helpers.robots.planar_mechanisms import MECHANISMS
from modular_dynamics import load_urdf
from modular_dynamics.closure import solver_of
from modular_dynamics.closure.export.loop_trace import LoopTrace
from modular_dynamics.codegen.procedure import Procedure, Result

#: Step of central differences, and what rounding and curvature leave of them.
STEP, ALLOWED = 1e-5, 1e-8
NAMES = ("four_bar.urdf", "slider_crank.urdf", "crane.urdf", "exoskeleton.urdf", *MECHANISMS)


def motions(graph):
    """Coordinates, velocities and accelerations of all joints as one program; and where loops close."""
    solver = solver_of(graph)
    near = solver.close(solver.reference()[solver.independent_q])
    trace = LoopTrace(solver, "motions", "vdot", near)
    v = trace.velocities(trace.v)
    vdot = trace.accelerations(trace.third, v)
    results = tuple(
        Result(name, tuple(symbols[k] for k in range(graph.nv)), (graph.nv,))
        for name, symbols in (("q", trace.q), ("v", v), ("vdot", vdot))
    )
    return Procedure("motions", "", trace.program, trace.vectors, results), near[solver.independent_q]


@pytest.mark.parametrize("name", NAMES)
def test_rates_are_finite_differences_of_positions(name):
    graph = load_urdf(ROBOTS / name) if name.endswith(".urdf") else MECHANISMS[name]().graph()
    program, start = motions(graph)
    rng = np.random.default_rng(0)
    q = start + 0.1 * rng.uniform(-1.0, 1.0, (20, len(start)))
    v, vdot = rng.uniform(-1.0, 1.0, (2, *q.shape))

    def after(t):
        return program.values([q + t * v + 0.5 * t * t * vdot, v + t * vdot, vdot])

    _, velocities, accelerations = after(0.0)
    ahead, behind = after(STEP), after(-STEP)
    closed = np.isfinite(accelerations).all(axis=1)
    assert closed.sum() >= 10
    for k, ours in enumerate((velocities, accelerations)):
        differences = (ahead[k] - behind[k]) / (2.0 * STEP)
        size = np.abs(ours[closed]).max()
        assert np.abs(ours - differences)[closed].max() <= ALLOWED * max(1.0, size) ** 3

"""Random trees, closed in random configurations: power, forward after inverse, every body's balance.

``pytest --hypothesis-show-statistics`` counts the draws that were given up, by reason.
"""

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.oracles.motions import rate
from helpers.oracles.rigid_bodies import RigidBodies, moved
from helpers.random_examples.examples import examples
from helpers.random_examples.mechanisms import random_mechanisms, second_axis
from modular_dynamics.loops import solver_of

MECHANISMS = examples(50)


def states(drawn):
    solver = solver_of(drawn.graph)
    v, a = (drawn.rng.uniform(-1, 1, len(solver.independent_v)) for _ in range(2))
    return drawn.q[solver.independent_q], v, a


@MECHANISMS
@given(random_mechanisms())
def test_power_is_the_rate_of_energy(drawn):
    """Along the solved velocities and accelerations, which are asserted to keep the loops closed.

    Differences that close the loops again after steps of the independent joints fail near singular
    configurations: the dependent joints turn so fast there that steps which are small for the
    former are large for the latter.
    """
    graph = drawn.graph
    q, v, a = states(drawn)
    result = md.InverseDynamics(graph).solve(q, v, a, guess=drawn.q)
    solver = solver_of(graph)
    rates = result.velocities, result.accelerations
    assert np.array_equal([part[solver.independent_v] for part in rates], [v, a])
    values, largest = solver.system.evaluate(result.coordinates, result.velocities), 1.0 + np.abs(rates).max()
    size = 1.0 + np.abs(values.J).max() + np.abs(values.gamma).max()
    assert values.J @ rates[0] == pytest.approx(np.zeros(len(values.J)), abs=1e-11 * size * largest)
    assert values.J @ rates[1] == pytest.approx(-values.gamma, abs=1e-11 * size * largest)

    def energy_at(t):
        return md.energy(graph, moved(graph, result.coordinates, rates[0] * t), rates[0] + rates[1] * t)

    lost = 0.0  # in the damper: damping 2 times the rate of its length, squared
    for spring in graph.springs:
        tension = result.tensions[spring.name]
        rest = md.InverseDynamics(graph).solve(q, 0 * v, 0 * v, guess=drawn.q).tensions[spring.name]
        lost += (tension - rest) ** 2 / spring.damping
    scale = 1.0 + np.abs(result.tau) @ np.abs(v) + abs(energy_at(0.0))
    # a step moves no joint by more than 1e-2 rad or m: rounding of 1e-16 over 1e-2 is what differences leave
    expected = rate(energy_at, 1e-2 / largest) + lost
    assert result.tau @ v == pytest.approx(expected, abs=1e-9 * scale)


@pytest.mark.slow
@MECHANISMS
@given(random_mechanisms())
def test_inverse_after_forward_returns_the_torques(drawn):
    graph = drawn.graph
    q, v, _ = states(drawn)
    coordinates = md.close_loops(graph, q, drawn.q)
    velocities = md.explicit_constraint_jacobian(graph, q, drawn.q) @ v
    tau = drawn.rng.uniform(-10, 10, len(v))
    motion = md.constrained_dynamics(graph, coordinates, velocities, tau)
    a = motion.a[solver_of(graph).independent_v]
    result = md.InverseDynamics(graph).solve(q, v, a, guess=coordinates)
    scale = 1.0 + np.abs(motion.a).max()
    assert result.tau == pytest.approx(tau, abs=1e-7 * scale)
    assert result.accelerations == pytest.approx(motion.a, abs=1e-8 * scale)
    assert result.rank == motion.rank


@MECHANISMS
@given(random_mechanisms())
def test_every_body_is_in_balance(drawn):
    graph = drawn.graph
    q, v, a = states(drawn)
    result = md.InverseDynamics(graph).solve(q, v, a, guess=drawn.q)
    assert result.coordinates == pytest.approx(drawn.q, abs=1e-8)
    scale = 1.0 + np.abs(result.multipliers).max(initial=0.0) + np.abs(result.tau).max()
    residual = RigidBodies(graph).equilibrium_residual(result)
    assert residual == pytest.approx(np.zeros(graph.nv), abs=1e-9 * scale)


@MECHANISMS
@given(random_mechanisms())
def test_cut_wrenches_bear_nothing_along_what_is_free(drawn):
    graph = drawn.graph
    result = md.InverseDynamics(graph).solve(*states(drawn), guess=drawn.q)
    bodies = RigidBodies(graph)
    for loop in graph.loop_joints:
        across = bodies.gap(loop.name, result.coordinates)[:3, :3]
        force, moment = (across @ part for part in np.split(result.wrenches[loop.name], 2))
        free = {
            "revolute": [moment @ loop.axis],
            "spherical": moment,
            "universal": [moment @ loop.axis, moment @ across @ second_axis(loop.axis)],
            "fixed": [0.0],
            "prismatic": [force @ loop.axis],
            "planar": [force @ loop.axis, *moment],
        }[loop.type]
        assert np.abs(free).max() < 1e-9 * (1.0 + np.abs(result.wrenches[loop.name]).max())

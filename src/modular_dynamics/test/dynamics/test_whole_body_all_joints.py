"""Quantities of chains and trees of 1 to 60 joints of all types: Pinocchio, power, jacobians."""

import numpy as np
import pinocchio
from hypothesis import given

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees, moved, passive_torques
from helpers.tree_dynamics import assert_close


def state_of(tree):
    """With quaternions of unit length, so that small steps are steps."""
    graph = tree.graph
    q, v, a = tree.state(graph)
    return graph, graph.integrate(q, np.zeros(graph.nv)), v, a


@examples(40)
@given(tree=joint_trees())
def test_centre_of_mass_and_momentum_are_pinocchios(tree):
    graph, q, v, a = state_of(tree)
    theirs = PinocchioTree(graph)
    model, data, state = theirs.model, theirs.data, [theirs.q(q), theirs.v(v), theirs.v(a)]
    pinocchio.centerOfMass(model, data, *state)
    ours = md.centre_of_mass(graph, q, v, a)
    for mine, expected in zip(ours[1:], (data.com[0], data.vcom[0], data.acom[0]), strict=True):
        assert_close(mine, expected, 1e-12, 1.0)
    pinocchio.ccrba(model, data, *state[:2])
    A = np.asarray(data.Ag).reshape(6, -1) @ theirs.fold()
    assert_close(md.centroidal_momentum_matrix(graph, q), A, 1e-12, 1.0)
    assert_close(md.centre_of_mass_jacobian(graph, q), A[:3] / ours.mass, 1e-12, 1.0)
    pinocchio.computeCentroidalMomentumTimeVariation(model, data, *state)
    assert_close(md.centroidal_momentum(graph, q, v), data.hg.vector, 1e-12, 1.0)
    assert_close(md.centroidal_momentum_rate(graph, q, v, a), data.dhg.vector, 1e-12, 1.0)


@examples(40)
@given(tree=joint_trees())
def test_energies_are_those_of_the_mass_matrix_and_of_power(tree):
    graph, q, v, _ = state_of(tree)
    kinetic = 0.5 * v @ md.mass_matrix(graph, q) @ v
    assert_close(md.kinetic_energy(graph, q, v), kinetic, 1e-12)
    step, rest = 1e-5, np.zeros(graph.nv)
    ends = [md.potential_energy(graph, moved(graph, q, sign * step * v)) for sign in (1, -1)]
    power = (md.gravity_torque(graph, q) + passive_torques(graph, q, rest)) @ v
    scale = max(abs(power), abs(ends[0]), 1.0)
    assert abs((ends[0] - ends[1]) / (2 * step) - power) <= 1e-7 * scale


@examples(40)
@given(tree=joint_trees())
def test_motions_of_the_last_link_follow_its_jacobian(tree):
    graph, q, v, a = state_of(tree)
    link, step = graph.links[-1], 1e-5
    for axes, kind in (("root", "classical"), ("link", "spatial")):
        J = md.jacobian(graph, q, link, axes)
        assert_close(md.frame_velocity(graph, q, v, link, axes), J @ v, 1e-12, 1.0)
        drift = md.jacobian_drift(graph, q, v, link, axes)
        ends = [md.jacobian(graph, moved(graph, q, s * step * v), link, axes) @ v for s in (1, -1)]
        assert_close((ends[0] - ends[1]) / (2 * step), drift, 1e-6, max(1.0, np.abs(J @ v).max()))
        acceleration = md.frame_acceleration(graph, q, v, a, link, axes, kind=kind)
        assert_close(acceleration, J @ a + drift, 1e-12, 1.0)

"""Derivatives of inverse dynamics against Pinocchio, finite differences and themselves in batches."""

from functools import partial

import numpy as np
import pinocchio
from hypothesis import assume, given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers import tree_dynamics
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import assert_close as assert_close_accelerations
from helpers.tree_dynamics import differences, random_state

assert_close = partial(tree_dynamics.assert_close, least=1e-3)


def test_robots_against_pinocchio_and_differences(tree_robot):
    q, v, a = random_state(tree_robot, 1)
    dq, dv, da = md.inverse_dynamics_derivatives(tree_robot, q, v, a)
    assert_close(da, md.mass_matrix(tree_robot, q), 1e-12)
    assert_close(dv, differences(lambda x: md.inverse_dynamics(tree_robot, q, x, a), v), 1e-7)
    if tree_robot.nq > tree_robot.nv:
        q[3:7] /= np.linalg.norm(q[3:7])
    else:
        assert_close(dq, differences(lambda x: md.inverse_dynamics(tree_robot, x, v, a), q), 1e-7)
    result = md.inverse_dynamics_derivatives(tree_robot, q, v, a)
    for ours, theirs in zip(result, PinocchioTree(tree_robot).derivatives(q, v, a), strict=True):
        assert_close(ours, theirs, 1e-10)


def test_external_wrenches_count(load_robot):
    graph = load_robot("charmie")
    q, v, a = random_state(graph, 2)
    external = {"body_12a": np.arange(6.0)}
    dq = md.inverse_dynamics_derivatives(graph, q, v, a, external_wrenches=external).dq
    assert_close(
        dq, differences(lambda x: md.inverse_dynamics(graph, x, v, a, external_wrenches=external), q), 1e-7
    )
    without = md.inverse_dynamics_derivatives(graph, q, v, a).dq
    assert np.abs(dq - without).max() > 0.1


# Derivatives of forward dynamics: against Pinocchio, differences, and those of inverse dynamics; rows.


def has_mimics(graph):
    return any(joint.mimic for joint in graph.joints)


def condition(graph, q):
    """Of M in the units of its diagonal."""
    M = md.mass_matrix(graph, q)
    scale = 1.0 / np.sqrt(np.diagonal(M))
    return np.linalg.cond(scale[:, None] * M * scale)


@examples(60)
@given(tree=random_trees(largest=15))
def test_random_trees_agree_with_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    assume(not has_mimics(graph))  # Pinocchio takes them for joints of their own; see the test by differences
    q, v, tau = tree.state(graph)
    pin = md.crosscheck.PinocchioModel(graph)
    pinocchio.computeABADerivatives(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(tau))
    order = pin.order.from_v(range(graph.nv)).astype(int)
    ours = md.forward_dynamics_derivatives(graph, q, v, tau)
    tolerance = 1e-13 * max(1e4, condition(graph, q))
    for mine, theirs in zip(ours, (pin.data.ddq_dq, pin.data.ddq_dv, pin.data.Minv), strict=False):
        expected = np.asarray(theirs).reshape(graph.nv, graph.nv)
        if theirs is pin.data.Minv:  # Pinocchio fills its upper half
            expected = np.triu(expected) + np.triu(expected, 1).T
        assert_close_accelerations(mine, expected[np.ix_(order, order)], tolerance, 1.0)


def assert_agree_with_differences(graph, state, friction):
    q, v, tau = state
    ours = md.forward_dynamics_derivatives(graph, q, v, tau, friction=friction)
    step = 1e-5

    def accelerations(q, v, tau):
        return md.forward_dynamics(graph, q, v, tau, friction=friction)

    def column(k, what):
        unit = step * np.eye(graph.nv)[k]
        if what == "q":
            ends = [accelerations(graph.integrate(q, s * unit), v, tau) for s in (1, -1)]
        elif what == "v":
            ends = [accelerations(q, v + s * unit, tau) for s in (1, -1)]
        else:
            ends = [accelerations(q, v, tau + s * unit) for s in (1, -1)]
        return (ends[0] - ends[1]) / (2 * step)

    assert np.array_equal(ours.a, accelerations(q, v, tau))
    sharp = max(1.0, condition(graph, q) / 1e3)
    for mine, what in zip(ours, ("q", "v", "tau"), strict=False):
        expected = np.array([column(k, what) for k in range(graph.nv)]).T
        scale = max(np.abs(expected).max(), np.abs(ours.a).max(), 1.0)
        assert np.abs(mine - expected).max() <= 1e-6 * sharp * scale


@examples(30)
@given(tree=joint_trees(largest=8), friction=st.sampled_from(["none", "urdf"]))
def test_armatures_springs_and_friction_count(tree, friction):
    """At joints of all types; dry friction is constant next to these velocities."""
    graph = tree.graph
    q, v, tau = tree.state(graph)
    state = graph.integrate(q, np.zeros(graph.nv)), np.copysign(np.maximum(np.abs(v), 0.1), v), tau
    assert_agree_with_differences(graph, state, friction)
    batch = md.forward_dynamics_derivatives(graph, *([x] for x in state), friction=friction)
    single = md.forward_dynamics_derivatives(graph, *state, friction=friction)
    for mine, theirs in zip(batch, single, strict=True):
        assert_close_accelerations(mine[0], theirs, 1e-14 * max(1e3, condition(graph, q)))


def test_external_wrenches_are_held_fixed_in_their_link(load_robot):
    graph = load_robot("vendor_arm", floating_base=True)
    q, v, tau = random_state(graph, 2)
    wrench = {graph.links[-1]: np.random.default_rng(3).normal(size=6)}
    ours = md.forward_dynamics_derivatives(graph, q, v, tau, external_wrenches=wrench)
    batch = md.forward_dynamics_derivatives(graph, [q], [v], [tau], external_wrenches=wrench)
    unit = 1e-6 * np.eye(graph.nv)[9]
    ends = [
        md.forward_dynamics(graph, graph.integrate(q, s * unit), v, tau, external_wrenches=wrench)
        for s in (1, -1)
    ]
    expected = (ends[0] - ends[1]) / 2e-6
    assert np.abs(ours.dq[:, 9] - expected).max() <= 1e-6 * np.abs(ours.a).max()
    assert_close_accelerations(batch.dq[0], ours.dq, 1e-9)

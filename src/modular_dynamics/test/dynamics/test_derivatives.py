"""Derivatives of inverse dynamics against Pinocchio, finite differences and themselves in batches."""

from functools import partial

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers import tree_dynamics
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import differences, random_state, random_states

assert_close = partial(tree_dynamics.assert_close, least=1e-3)


def by_pinocchio(graph, q, v, vdot):
    """The same three matrices, in our order of joints, mimic joints folded in."""
    pin = md.crosscheck.PinocchioModel(graph)
    theirs = pinocchio.computeRNEADerivatives(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(vdot))
    # columns of dv_pinocchio / dv: linear, so read off unit velocities
    fold = np.array([pin.v(unit) for unit in np.eye(graph.nv)]).T
    return [fold.T @ np.asarray(matrix) @ fold for matrix in theirs]


@examples(100)
@given(tree=random_trees(largest=14))
def test_random_trees_against_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    state = random_state(graph, tree.seed)
    for result, expected in zip(
        md.inverse_dynamics_derivatives(graph, *state), by_pinocchio(graph, *state), strict=True
    ):
        assert_close(result, expected, 1e-10)


def test_robots_against_pinocchio_and_differences(tree_robot):
    q, v, vdot = random_state(tree_robot, 1)
    dq, dv, dvdot = md.inverse_dynamics_derivatives(tree_robot, q, v, vdot)
    assert_close(dvdot, md.mass_matrix(tree_robot, q), 1e-12)
    assert_close(dv, differences(lambda x: md.inverse_dynamics(tree_robot, q, x, vdot), v), 1e-7)
    if tree_robot.nq > tree_robot.nv:
        q[3:7] /= np.linalg.norm(q[3:7])
    else:
        assert_close(dq, differences(lambda x: md.inverse_dynamics(tree_robot, x, v, vdot), q), 1e-7)
    result = md.inverse_dynamics_derivatives(tree_robot, q, v, vdot)
    for ours, theirs in zip(result, by_pinocchio(tree_robot, q, v, vdot), strict=True):
        assert_close(ours, theirs, 1e-10)


def test_external_wrenches_count(load_robot):
    graph = load_robot("charmie")
    q, v, vdot = random_state(graph, 2)
    external = {"body_12a": np.arange(6.0)}
    dq = md.inverse_dynamics_derivatives(graph, q, v, vdot, external).dq
    assert_close(dq, differences(lambda x: md.inverse_dynamics(graph, x, v, vdot, external), q), 1e-7)
    without = md.inverse_dynamics_derivatives(graph, q, v, vdot).dq
    assert np.abs(dq - without).max() > 0.1


def test_out_is_written_again(load_robot):
    graph = load_robot("charmie")
    state = random_state(graph)
    out = md.inverse_dynamics_derivatives(graph, *state)
    expected = [part.copy() for part in out]
    out.dq[:] = 7.0
    assert md.inverse_dynamics_derivatives(graph, *state, out=out) is out
    assert all(np.array_equal(a, b) for a, b in zip(out, expected, strict=True))
    rows = random_states(graph, 19)
    batch = md.inverse_dynamics_derivatives_batch(graph, *rows)
    assert md.inverse_dynamics_derivatives_batch(graph, *rows, 1, out=batch) is batch


def test_only_what_a_call_returned_is_written_to(load_robot):
    graph = load_robot("four_link")
    states = np.zeros((3, 9, graph.nv))
    whole = md.inverse_dynamics_derivatives_batch(graph, *states)
    one = md.inverse_dynamics_derivatives(graph, *states[:, 0])
    swapped, apart = type(one)(one.dv, one.dq, one.dvdot), type(one)(*(part.copy() for part in one))
    row = type(one)(*(part[3] for part in whole))
    assert md.inverse_dynamics_derivatives(graph, *states[:, 3], out=row) is row  # one row of a batch
    fixed = type(one)(*(part.view() for part in one))
    fixed.dv.flags.writeable = False
    for wrong in (swapped, apart, whole, fixed, tuple(one), (), 5, type(one)(None, None, None)):
        with pytest.raises(md.StateError, match="the unchanged result of an earlier call"):
            md.inverse_dynamics_derivatives(graph, *states[:, 0], out=wrong)
    short = type(one)(*(part[:5] for part in whole))
    for wrong in (one, short, list(whole), 5):
        with pytest.raises(md.StateError, match="out is"):
            md.inverse_dynamics_derivatives_batch(graph, *states, out=wrong)

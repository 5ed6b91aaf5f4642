"""M, h and g: identities on random trees, and Pinocchio."""

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees


@examples(60)
@given(data=st.data(), tree=random_trees(largest=30))
def test_identities_on_random_trees(data, tree):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    q, v, vdot = tree.state(graph)
    M, h, g = md.mass_matrix(graph, q), md.bias(graph, q, v), md.gravity_torque(graph, q)
    tau = md.inverse_dynamics(graph, q, v, vdot)
    scale = max(np.abs(tau).max(), np.abs(M).max(), 1.0)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert np.abs(M @ vdot + h - tau).max() <= 1e-11 * scale
    assert np.abs(md.bias(graph, q, 0 * v) - g).max() <= 1e-12 * scale


@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "four_link"])
@pytest.mark.parametrize("floating_base", [False, True])
def test_mass_matrix_is_pinocchios(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    pin = md.crosscheck.PinocchioModel(graph)
    q = np.random.default_rng(0).normal(size=graph.nq)
    theirs = pinocchio.crba(pin.model, pin.data, pin.q(q))
    theirs = np.triu(theirs) + np.triu(theirs, 1).T
    order = np.concatenate([np.arange(graph.nv)[graph.v_slice(joint.name)] for joint in graph.joints])
    places = np.concatenate([np.arange(graph.nv)[pin.v_slice(joint)] for joint in graph.joints])
    ours = np.empty_like(theirs)
    ours[np.ix_(places, places)] = md.mass_matrix(graph, q)[np.ix_(order, order)]
    assert np.abs(ours - theirs).max() <= 1e-12 * np.abs(theirs).max()

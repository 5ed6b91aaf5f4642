"""M, h and g: identities on random trees, and Pinocchio."""

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees
from helpers.tree_dynamics import assert_close


@examples(60)
@given(data=st.data(), tree=random_trees(largest=30))
def test_identities_on_random_trees(data, tree):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    q, v, a = tree.state(graph)
    M, h, g = md.mass_matrix(graph, q), md.nonlinear_effects(graph, q, v), md.gravity_torque(graph, q)
    tau = md.inverse_dynamics(graph, q, v, a)
    scale = max(np.abs(tau).max(), np.abs(M).max(), 1.0)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert np.abs(M @ a + h - tau).max() <= 1e-11 * scale
    assert np.abs(md.nonlinear_effects(graph, q, 0 * v) - g).max() <= 1e-12 * scale


def test_mass_matrix_is_pinocchios(tree_robot):
    pin = md.crosscheck.PinocchioModel(tree_robot)
    q = np.random.default_rng(0).normal(size=tree_robot.nq)
    upper = np.triu(pinocchio.crba(pin.model, pin.data, pin.q(q)))
    # columns of dv_pinocchio / dv: order of joints and mimic joints
    fold = np.array([pin.v(unit) for unit in np.eye(tree_robot.nv)]).T
    theirs = fold.T @ (upper + np.triu(upper, 1).T) @ fold
    assert_close(md.mass_matrix(tree_robot, q), theirs, 1e-12)


@pytest.mark.parametrize(
    ("function", "vectors", "quantity"),
    [
        (md.nonlinear_effects, 2, "nonlinear effects"),
        (md.gravity_torque, 1, "the gravity torque"),
    ],
)
def test_torques_without_an_argument_for_wrenches_name_the_function_that_has_it(
    boxed_arm, function, vectors, quantity
):
    shape = (2, boxed_arm.nv) if "batch" in function.__name__ else (boxed_arm.nv,)
    text = rf"{quantity} of .* is not known: its black boxes are tool; inverse_dynamics .* black_box_wrenches"
    with pytest.raises(md.StateError, match=text):
        function(boxed_arm, *np.zeros((vectors, *shape)))

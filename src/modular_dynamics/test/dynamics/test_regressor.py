"""tau = Y theta: inverse dynamics, Pinocchio; parameters of joints; identification; loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.random_examples.trees import partitions, random_trees
from helpers.robots import closed_robots
from helpers.tree_dynamics import assert_close, random_states
from modular_dynamics.dynamics.regressor import JOINT_PARAMETERS


@pytest.mark.slow
@examples(100)
@given(data=st.data(), tree=random_trees())
def test_random_trees_agree_with_inverse_dynamics_and_pinocchio(data, tree):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    state = tree.state(graph)
    Y, theta = md.regressor(graph, *state), md.inertial_parameters(graph)
    assert_close(Y @ theta, md.inverse_dynamics(graph, *state))
    pin = PinocchioTree(graph)
    assert_close(Y, pin.regressor(*state))
    inertias = [pin.model.inertias[pin.ids[k]] for k in range(len(graph.bodies))]
    assert_close(theta, np.concatenate([one.toDynamicParameters() for one in inertias]))


def test_parameters_of_black_boxes_are_not_known(boxed_arm):
    with pytest.raises(md.StateError, match=r"theta of .* is not known: its black boxes are tool"):
        md.inertial_parameters(boxed_arm)


# Columns of joints' parameters beside the regressor: torques, slopes, identification, loops.

KINDS = "armature", "damping", "friction", "stiffness"


@examples(60)
@given(tree=joint_trees(largest=15))
def test_torques_with_friction_are_linear_in_all_parameters(tree):
    """Joints of all types, mimic joints too; the first columns are Pinocchio's."""
    graph = tree.graph
    q, v, a = tree.state(graph)
    Y = md.regressor(graph, q, v, a, joint_terms=True)
    assert Y.shape == (graph.nv, 15 * len(graph.bodies))
    theta = md.inertial_parameters(graph, joint_terms=True)
    assert_close(Y @ theta, md.inverse_dynamics(graph, q, v, a, friction="urdf"), 1e-11)
    first = 10 * len(graph.bodies)
    assert np.array_equal(theta[:first], md.inertial_parameters(graph))
    assert_close(Y[:, :first], PinocchioTree(graph).regressor(q, v, a))
    batch = md.regressor(graph, *(x[None] for x in (q, v, a)), joint_terms=True)
    assert_close(batch[0], Y, 1e-12)


@examples(20)
@given(tree=joint_trees(largest=8))
def test_columns_are_slopes_of_the_torque_in_each_parameter(tree):
    """By other numbers in the graph: in them torques are linear, so that long steps are exact."""
    graph = tree.graph
    q, v, a = tree.state(graph)
    columns = md.regressor(graph, q, v, a, joint_terms=True)[:, 10 * len(graph.bodies) :]
    columns = columns.reshape(graph.nv, len(graph.joints), len(JOINT_PARAMETERS))

    def tau(name, value):
        other = graph.with_parameters({name: value})
        return md.inverse_dynamics(other, q, v, a, friction="urdf")

    for k, joint in enumerate(graph.joints):
        for what in KINDS:
            name = f"joint {joint.name} {what}"
            if name not in graph.parameters:
                assert not columns[:, k, 3:].any()
                continue
            slope = (tau(name, 20.0) - tau(name, 10.0)) / 10.0
            own = columns[:, k, JOINT_PARAMETERS.index(what)]
            if what == "stiffness":
                own = own + joint.rest_position * columns[:, k, 4]
            assert np.abs(slope - own).max() <= 1e-10 * max(1.0, np.abs(tau(name, 20.0)).max())


def test_a_robot_without_joints_has_no_columns():
    rock = md.load_urdf('<robot name="rock"><link name="a"/></robot>')
    assert md.regressor(rock, [], [], [], joint_terms=True).shape == (0, 0)
    assert md.base_parameters(rock, joint_terms=True).expressions == ()


def test_armature_and_friction_are_identified(load_robot):
    """By least squares, in the base parameters, which include them."""
    graph, rng = load_robot("vendor_arm"), np.random.default_rng(2)
    kinds = ("armature", "damping", "friction", "stiffness", "rest position")
    names = [f"joint {joint.name} {what}" for joint in graph.joints for what in kinds]
    graph = graph.with_parameters({name: rng.uniform(0.5, 2.0) for name in names})
    base = md.base_parameters(graph, joint_terms=True)
    states = random_states(graph, 100, 4)
    Y = md.regressor(graph, *states, joint_terms=True)[:, :, base.independent]
    tau = md.inverse_dynamics(graph, *states, friction="urdf")
    Y = Y.reshape(-1, Y.shape[2])
    sizes = np.linalg.norm(Y, axis=0)  # kg beside N m s/rad: in units of each one's torque
    found, _, rank, _ = np.linalg.lstsq(Y / sizes, tau.ravel(), rcond=1e-12)
    assert rank == len(base.independent)
    assert np.abs(found - sizes * base.values).max() <= 1e-8 * np.abs(sizes * base.values).max()
    first = graph.joint_names[0]  # its axis is fixed, and its armature counts to the inertia of its link
    assert any(f"armature({first})" in text and "Izz(" in text for text in base.expressions)
    assert f"friction({first})" in base.expressions
    assert len(base.independent) > len(md.base_parameters(graph).independent) + 2 * graph.nv


@pytest.mark.parametrize("name", ["four_bar", "crane"])
def test_loops_take_the_joints_of_the_tree_along(name):
    """Passive joints too, by virtual power: for other numbers the torques are predicted."""
    graph, q = md.load_urdf(closed_robots.path(name)), closed_robots.STATES[name]
    rng = np.random.default_rng(5)
    v, a = rng.normal(size=(2, len(q)))
    names = [f"joint {joint.name} {what}" for joint in graph.joints for what in KINDS]
    other = graph.with_parameters({one: rng.uniform(0.5, 2.0) for one in names})
    Y = md.regressor(graph, q, v, a, joint_terms=True)
    own = md.inverse_dynamics(graph, q, v, a, friction="urdf")
    offset = own - Y @ md.inertial_parameters(graph, joint_terms=True)
    tau = md.inverse_dynamics(other, q, v, a, friction="urdf")
    predicted = Y @ md.inertial_parameters(other, joint_terms=True) + offset
    assert np.abs(predicted - tau).max() <= 1e-10 * np.abs(tau).max()
    base = md.base_parameters(graph, joint_terms=True)
    theta = rng.normal(size=Y.shape[1])
    reduced = Y[:, base.independent] @ (base.combination @ theta)
    assert np.abs(Y @ theta - reduced).max() <= 1e-8 * np.abs(Y @ theta).max()
    assert len(base.independent) > len(md.base_parameters(graph).independent)

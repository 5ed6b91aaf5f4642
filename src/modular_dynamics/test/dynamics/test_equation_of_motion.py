"""M, h and g: identities on random trees, and Pinocchio."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import TYPES, joint_trees, moved, passive_torques
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import assert_close, differences, random_state


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
    text = rf"{quantity} of .* is not known: its black boxes are tool; inverse_dynamics .* black_box_wrenches"
    with pytest.raises(md.StateError, match=text):
        function(boxed_arm, *np.zeros((vectors, boxed_arm.nv)))


# Trees of joints of every type, with armature, springs and friction: Pinocchio, energy, there and back.

WITHOUT_MIMICS = tuple(kind for kind in TYPES if kind != "mimic")


@examples(60)
@given(tree=joint_trees())
def test_torques_and_their_parts_are_pinocchios(tree):
    graph = tree.graph
    q, v, a = tree.state(graph)
    pinocchio, rest = PinocchioTree(graph), np.zeros(graph.nv)
    bodies = pinocchio.inverse_dynamics(q, v, a)
    for friction in ("none", "urdf"):
        expected = bodies + passive_torques(graph, q, v, friction)
        assert_close(md.inverse_dynamics(graph, q, v, a, friction=friction), expected)
    bias = pinocchio.inverse_dynamics(q, v, rest) + passive_torques(graph, q, v)
    assert_close(md.nonlinear_effects(graph, q, v), bias)
    assert_close(md.gravity_torque(graph, q), pinocchio.inverse_dynamics(q, rest, rest))
    assert_close(md.mass_matrix(graph, q), pinocchio.mass_matrix(q))


@examples(20)
@given(tree=joint_trees(largest=20))
def test_composition_and_jacobian(tree):
    graph = tree.graph
    q, v, a = tree.state(graph)
    pinocchio = PinocchioTree(graph)
    bodies = pinocchio.inverse_dynamics(q, v, a)
    assert_close(md.compose(graph, q, v, a).tau, bodies + passive_torques(graph, q, v))
    last = len(graph.bodies) - 1
    jacobian = md.jacobian(graph, q, graph.bodies[last].name, "link")
    assert_close(jacobian, pinocchio.jacobian(q, last))
    x_root_link = md.frame_poses(graph, q, [graph.bodies[last].name])[0]
    in_root = md.jacobian(graph, q, graph.bodies[last].name)
    assert_close(in_root.reshape(2, 3, -1), x_root_link[:3, :3] @ jacobian.reshape(2, 3, -1))


@examples(60)
@given(tree=joint_trees(largest=40))
def test_derivatives_are_pinocchios(tree):
    graph = tree.graph
    state = tree.state(graph)
    dq, dv, da = PinocchioTree(graph).derivatives(*state)
    stiffness, damping = np.zeros(graph.nv), np.zeros(graph.nv)
    for joint in graph.joints:
        square = 1.0 if joint.mimic is None else joint.mimic.multiplier**2
        stiffness[graph.v_slice(graph.driver(joint))] += square * joint.stiffness
        damping[graph.v_slice(graph.driver(joint))] += square * joint.damping
    ours = md.inverse_dynamics_derivatives(graph, *state)
    for matrix, expected in zip(ours, (dq + np.diag(stiffness), dv, da), strict=True):
        assert_close(matrix, expected, 1e-10, least=1e-3)
    with_friction = md.inverse_dynamics_derivatives(graph, *state, friction="urdf")
    assert_close(with_friction.dv, dv + np.diag(damping), 1e-10, least=1e-3)


@examples(60)
@given(tree=joint_trees(types=WITHOUT_MIMICS))
def test_accelerations_are_pinocchios_and_give_the_torques_back(tree):
    graph = tree.graph
    q, v, tau = tree.state(graph)
    M = md.mass_matrix(graph, q)
    for friction in ("none", "urdf"):
        a = md.forward_dynamics(graph, q, v, tau, friction=friction)
        theirs = PinocchioTree(graph).forward_dynamics(q, v, tau - passive_torques(graph, q, v, friction))
        # in torques: an ill-conditioned M magnifies rounding errors of both accelerations
        scale = 1.0 + np.abs(M @ a).max()
        assert np.abs(M @ (a - theirs)).max() <= 1e-10 * scale
        assert np.abs(md.inverse_dynamics(graph, q, v, a, friction=friction) - tau).max() <= 1e-11 * scale


@examples(20)
@given(tree=joint_trees(largest=12))
def test_power_is_the_rate_of_energy(tree):
    """tau . v = dE/dt by differences: kinetic, gravitational, elastic energy; friction takes its own."""
    graph = tree.graph
    q, v, a = tree.state(graph)
    for name in graph.joint_names:
        if graph.joint(name).type.nv > 1:
            part = q[graph.q_slice(name)]
            part[-4:] /= np.linalg.norm(part[-4:])
    step = 1e-5

    def energy(time):
        return md.loops.energy(graph, moved(graph, q, time * v), v + time * a)

    rate = (energy(step) - energy(-step)) / (2.0 * step)
    power = md.inverse_dynamics(graph, q, v, a) @ v
    scale = max(abs(power), abs(energy(0.0)), 1.0)
    assert abs(power - rate) <= 1e-6 * scale
    losses = md.inverse_dynamics(graph, q, v, a, friction="urdf") @ v - power
    assert losses == pytest.approx(
        (passive_torques(graph, q, v, "urdf") - passive_torques(graph, q, v)) @ v, abs=1e-10 * scale
    )


@examples(15)
@given(tree=joint_trees(largest=20))
def test_many_states_are_as_one(tree):
    """With friction; without it: test_quantity.py."""
    graph, rng, friction = tree.graph, np.random.default_rng(tree.seed), {"friction": "urdf"}
    q, (v, a) = rng.normal(size=(19, graph.nq)), rng.normal(size=(2, 19, graph.nv))
    tau = np.array([md.inverse_dynamics(graph, *row, **friction) for row in zip(q, v, a, strict=True)])
    assert_close(md.inverse_dynamics(graph, q, v, a, **friction), tau, 1e-12)
    narrow = md.inverse_dynamics(graph, *(x.astype(np.float32) for x in (q, v, a)), **friction)
    assert_close(narrow, tau, 1e-5)
    rows = [md.forward_dynamics(graph, *state, **friction) for state in zip(q, v, tau, strict=True)]
    condition = max(np.linalg.cond(md.mass_matrix(graph, row)) for row in q)
    batch = md.forward_dynamics(graph, q, v, tau, **friction)
    assert_close(batch, np.array(rows), max(1e-12, 1e-14 * condition))
    derivatives = md.inverse_dynamics_derivatives(graph, q, v, a, **friction)
    own = md.inverse_dynamics_derivatives(graph, q[3], v[3], a[3], **friction)
    for many, one in zip(derivatives, own, strict=True):
        assert_close(many[3], one, 1e-12, least=1e-3)


# C(q, v): the bias, Mdot - 2 C skew-symmetric, Pinocchio's matrix; floating bases, mimic joints, rows.


def assert_is_coriolis(graph, q, v):
    C = md.coriolis_matrix(graph, q, v)
    h = md.nonlinear_effects(graph, q, v) - md.nonlinear_effects(
        graph, q, 0.0 * v
    )  # without gravity and springs
    scale = max(np.abs(md.nonlinear_effects(graph, q, v)).max(), np.abs(h).max(), 1e-9)
    assert np.abs(C @ v - h).max() <= 1e-11 * scale

    def M(time):
        return md.mass_matrix(graph, graph.integrate(q, v, time[0])).ravel()

    rate = differences(M, np.zeros(1), 1e-5).reshape(graph.nv, graph.nv)
    assert np.abs(rate - C - C.T).max() <= 1e-6 * max(np.abs(rate).max(), 1.0)


@examples(30)
@given(tree=joint_trees(largest=12), seed=st.integers(0, 100))
def test_joints_of_all_types_with_armatures_have_it_too(tree, seed):
    """Floating joints with armature among them, whose M is not that of a rigid body."""
    graph, rng = tree.graph, np.random.default_rng(seed)
    graph = graph.with_parameters({f"joint {joint.name} armature": rng.random() for joint in graph.joints})
    q, v, _ = tree.state(graph)
    assert_is_coriolis(graph, graph.integrate(q, np.zeros(graph.nv)), v)


@examples(60)
@given(tree=random_trees(largest=25))
def test_it_is_pinocchios(tree):
    """Which is Christoffel's, too; mimic joints add up as in M."""
    graph = md.load_urdf(tree.urdf)
    q, v, _ = tree.state(graph)
    pin = md.crosscheck.PinocchioModel(graph)
    theirs = pinocchio.computeCoriolisMatrix(pin.model, pin.data, pin.q(q), pin.v(v))
    theirs = theirs.reshape(pin.model.nv, pin.model.nv)
    rows = np.array([pin.tau(column) for column in theirs.T]).T
    expected = np.array([pin.tau(row) for row in rows])
    assert_close(md.coriolis_matrix(graph, q, v), expected, 1e-9, 1.0)


def test_springs_at_joints_are_not_part_of_it(load_robot):
    """C v is the bias less gravity and springs; an armature, constant, is not part of it either."""
    bare = load_robot("vendor_arm")
    joints = tuple(replace(joint, stiffness=2.0, rest_position=0.3, armature=0.1) for joint in bare.joints)
    graph = replace(bare, joints=joints)
    q, v, _ = random_state(graph, 4)
    springs = md.nonlinear_effects(graph, q, np.zeros(graph.nv)) - md.gravity_torque(graph, q)
    assert np.abs(springs).max() > 0.1
    C = md.coriolis_matrix(graph, q, v)
    assert_close(C, md.coriolis_matrix(bare, q, v), 1e-11)
    assert_close(C @ v, md.nonlinear_effects(graph, q, v) - md.gravity_torque(graph, q) - springs, 1e-11)

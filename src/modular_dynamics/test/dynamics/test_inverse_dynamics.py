"""Inverse dynamics: core == composition == Pinocchio; black boxes; closed forms; results as values."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from benchmark.setting.robots import random_inertial
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees
from helpers.robots.urdf_text import joint, robot
from helpers.tree_dynamics import assert_close, random_state

#: Of the largest torque. Sixty joints of products and sums in double precision leave some 1e-13.
RELATIVE = 1e-10

PENDULUM = """
<robot name="double_pendulum">
  <link name="base"/>
  <link name="rod_1"><inertial><origin xyz="0 0 -0.7"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="rod_2"><inertial><origin xyz="0 0 -0.4"/><mass value="3"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="hinge_1" type="continuous"><parent link="base"/><child link="rod_1"/>
    <axis xyz="1 0 0"/></joint>
  <joint name="hinge_2" type="continuous"><parent link="rod_1"/><child link="rod_2"/>
    <origin xyz="0 0 -0.7"/><axis xyz="1 0 0"/></joint>
</robot>
"""


@pytest.mark.slow
@examples(60)
@given(data=st.data(), tree=random_trees())
def test_random_trees_agree_with_composition_and_pinocchio(data, tree):
    whole = md.load_urdf(tree.urdf, {"version": 1, "subsystems": []})
    q, v, a = tree.state(whole)
    by_name = {name: q[whole.q_slice(name)] for name in whole.joint_names}
    reference = md.crosscheck.CrossCheck(whole).torques(q, v, a)
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    # another partition orders the coordinates otherwise: permute by name
    into_q = np.concatenate([by_name[name] for name in graph.joint_names])
    into_v = np.concatenate([np.arange(whole.nv)[whole.v_slice(name)] for name in graph.joint_names])
    tau = md.inverse_dynamics(graph, into_q, v[into_v], a[into_v])
    assert_close(tau, reference[into_v])
    assert_close(md.compose(graph, into_q, v[into_v], a[into_v]).tau, reference[into_v])


def test_robots_agree_with_composition_and_pinocchio(tree_robot):
    check = md.crosscheck.CrossCheck(tree_robot)
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, (v, a) = rng.uniform(-3, 3, tree_robot.nq), rng.normal(size=(2, tree_robot.nv))
        reference = check.torques(q, v, a)
        assert_close(md.inverse_dynamics(tree_robot, q, v, a), reference)
        assert_close(md.compose(tree_robot, q, v, a).tau, reference)
        assert_close(md.compose(tree_robot, q, v, a, algebra=md.SpatialVectorAlgebra()).tau, reference)


@pytest.mark.slow
@examples(60)
@given(data=st.data(), tree=random_trees(largest=25))
def test_a_black_box_with_its_true_wrench_changes_nothing_else(data, tree):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    q, v, a = tree.state(graph)
    solver = md.InverseDynamics(graph)
    full = solver(q, v, a)
    result = solver.solve(q, v, a)
    assert np.array_equal(result.tau, full)
    wrenches = dict(zip([s.name for s in graph.subsystems], result.connection_wrenches, strict=True))
    composed = md.compose(graph, q, v, a)
    for own, theirs in zip(wrenches.values(), composed.connection_wrenches, strict=True):
        assert_close(own, theirs.vec6())
    boxes = data.draw(st.lists(st.sampled_from(graph.subsystems), min_size=1, max_size=3, unique=True))
    inside = [graph.v_slice(graph.driver(joint)) for box in boxes for joint in box.joints]
    known = np.ones(graph.nv, bool)
    for part in inside:
        known[part] = False
    given_wrenches = {box.name: wrenches[box.name] for box in boxes}
    boxed = solver(q, v, a, black_box_wrenches=given_wrenches)
    scale = max(np.abs(full).max(), 1.0)
    assert np.abs(boxed - full)[known].max(initial=0.0) <= 1e-12 * scale
    assert np.isnan(boxed[~known]).all()
    other = md.compose(graph, q, v, a, black_box_wrenches=given_wrenches).tau
    assert np.abs(other - full)[known].max(initial=0.0) <= 1e-12 * scale
    # and a wrong wrench does what Pinocchio says it does
    wrong = {name: wrench + np.arange(6) for name, wrench in given_wrenches.items()}
    residual = md.crosscheck.CrossCheck(graph)(
        q, v, a, solver(q, v, a, black_box_wrenches=wrong), black_box_wrenches=wrong
    )
    assert residual.worst <= RELATIVE * max(residual.scale, 1.0)
    # the workspace forgets the boxes
    assert np.array_equal(solver(q, v, a), full)


@pytest.mark.parametrize("name", ["charmie", "vendor_arm"])
def test_external_wrenches_agree_with_composition_and_pinocchio(load_robot, name):
    graph = load_robot(name)
    rng = np.random.default_rng(2)
    q, v, a = rng.normal(size=graph.nq), rng.normal(size=graph.nv), rng.normal(size=graph.nv)
    links = [link for body in graph.bodies for link in body.links]
    external = {link: rng.normal(size=6) * 10 for link in links[::2]}
    external[graph.ground.name] = np.ones(6)  # the ground bears it, no joint does
    tau = md.inverse_dynamics(graph, q, v, a, external_wrenches=external)
    reference = md.crosscheck.CrossCheck(graph).torques(q, v, a, external)
    assert_close(tau, reference)
    assert_close(md.compose(graph, q, v, a, external).tau, reference)
    assert np.abs(tau - md.inverse_dynamics(graph, q, v, a)).max() > 1.0


def test_double_pendulum_closed_form():
    """Meister & Gutenkunst's benchmark: two point masses on rods, in closed form."""
    graph = md.load_urdf(PENDULUM)
    m1, m2, l1, l2, g = 2.0, 3.0, 0.7, 0.4, 9.81
    rng = np.random.default_rng(3)
    for _ in range(50):
        (a1, a2), (w1, w2), (e1, e2) = rng.uniform(-3, 3, (3, 2))
        t1, t2, w, e = a1, a1 + a2, w1 + w2, e1 + e2  # absolute angles
        c, s = np.cos(t1 - t2), np.sin(t1 - t2)
        lower = m2 * l2 * (l2 * e + l1 * e1 * c - l1 * w1**2 * s + g * np.sin(t2))
        upper = l1 * ((m1 + m2) * l1 * e1 + m2 * l2 * e * c + m2 * l2 * w**2 * s + (m1 + m2) * g * np.sin(t1))
        # the lower hinge's torque acts back on the upper rod
        tau = md.inverse_dynamics(graph, [a1, a2], [w1, w2], [e1, e2])
        assert tau == pytest.approx([upper + lower, lower], abs=1e-11)


def test_mimic_torque_goes_to_the_driver(load_robot):
    """Virtual power: the driver's torque is the derivative of the energy of both fingers."""
    graph = load_robot("vendor_arm")
    assert graph.nv == len(graph.joints) - 1
    rng = np.random.default_rng(4)
    q, rest = rng.normal(size=graph.nq), np.zeros(graph.nv)
    tau = md.inverse_dynamics(graph, q, rest, rest)
    finger = graph.v_slice(graph.joints[-1].mimic.joint)
    model = md.crosscheck.PinocchioModel(graph)

    def potential(shift: float) -> float:
        moved = q.copy()
        moved[finger] += shift
        return pinocchio.computePotentialEnergy(model.model, model.data, model.q(moved))

    # central difference of a function whose third derivative in a straight finger is zero: rounding only
    assert tau[finger] == pytest.approx((potential(1e-3) - potential(-1e-3)) / 2e-3, abs=1e-9)


def test_one_call_does_not_disturb_another_graph_or_thread(load_robot):
    graph = load_robot("charmie")
    states = np.random.default_rng(6).normal(size=(64, 3, graph.nv))
    expected = [md.InverseDynamics(graph)(*state) for state in states]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda state: md.inverse_dynamics(graph, *state), states))
    assert np.array_equal(results, expected)


def test_a_tagged_black_box_needs_its_wrench(boxed_arm):
    graph = boxed_arm
    state = np.zeros((3, graph.nv))
    with pytest.raises(md.StateError, match="'tool' is a black box: its wrench is needed"):
        md.inverse_dynamics(graph, *state)
    wrench = {"tool": [1.0, 2.0, 30.0, 0.1, 0.2, 0.3]}
    tau = md.inverse_dynamics(graph, *state, black_box_wrenches=wrench)
    residual = md.crosscheck.CrossCheck(graph)(*state, tau, black_box_wrenches=wrench)
    assert residual.worst <= RELATIVE * residual.scale
    assert np.isnan(tau).sum() == 1  # the driver of the two fingers


def test_a_link_with_the_name_of_a_joint():
    """Pinocchio has frames for both."""
    text = PENDULUM.replace('"hinge_1"', '"rod_1"').replace('"hinge_2"', '"rod_2"')
    graph = md.load_urdf(text)
    external = {"rod_2": np.arange(6.0)}
    tau = md.inverse_dynamics(graph, [0.3, 0.2], [1, 2], [3, 4], external_wrenches=external)
    assert md.crosscheck.CrossCheck(graph)([0.3, 0.2], [1, 2], [3, 4], tau, external).relative < RELATIVE


def wrenches(result):
    in_links = [result.connection_wrench_in_link(k) for k in range(len(result.graph.subsystems))]
    return result.joint_wrenches, result.connection_wrenches, in_links


@pytest.mark.parametrize("floating_base", [False, True])
def test_a_result_outlives_later_calls(load_robot, floating_base):
    """Wrenches that are read late are those of the result's own state, loads and black boxes."""
    graph = load_robot("charmie", floating_base=floating_base)
    first, second = random_state(graph, 7), random_state(graph, 8)
    head = {"head": np.arange(6.0)}
    solver = md.InverseDynamics(graph)
    expected = md.InverseDynamics(graph).solve(
        *first, external_wrenches={"body_5": np.ones(6)}, black_box_wrenches=head
    )
    known = wrenches(expected)
    q, v, a = (part.copy() for part in first)
    result = solver.solve(q, v, a, external_wrenches={"body_5": np.ones(6)}, black_box_wrenches=head)
    for array in (q, v, a):
        array[:] = 1.0  # the caller's arrays are no part of the result
    solver(*second)
    solver.solve(*second, external_wrenches={"body_7a": 10 * np.ones(6)})
    assert np.array_equal(result.tau, expected.tau, equal_nan=True)
    np.testing.assert_equal(wrenches(result), known)  # NaN inside black boxes


def test_bad_states_are_named_as_by_the_function(load_robot):
    graph = load_robot("four_link")
    with pytest.raises(md.StateError, match=r"v has shape \(3,\)"):
        md.InverseDynamics(graph).solve(np.zeros(4), np.zeros(3), np.zeros(4))


# Armature, springs and friction of joints: laws, mimic joints, arguments, memory.

MIMIC = '<mimic joint="a" multiplier="-2" offset="0.5"/>'


def chain(*kinds, dynamics=(), more=None):
    """Joints a, b, c ... of these types one on another; ``dynamics``: attributes of tags, by joint."""
    rng = np.random.default_rng(3)
    links, joints, tags = ['<link name="l0"/>'], [], list[str]()
    for k, kind in enumerate(kinds):
        name, (axis, place, turn) = "abcdefgh"[k], rng.normal(size=(3, 3))
        links.append(f'<link name="l{k + 1}">{random_inertial(rng)}</link>')
        in_urdf = "floating" if kind == "spherical" else kind
        tags += [f'<spherical joint="{name}"/>'] if kind == "spherical" else []
        own = (more or {}).get(name, "")
        joints.append(
            joint(name, in_urdf, f"l{k}", f"l{k + 1}", place, turn, axis / np.linalg.norm(axis), more=own)
        )
    tags += [f'<joint_dynamics joint="{name}" {attributes}/>' for name, attributes in dict(dynamics).items()]
    return md.load_urdf(robot("chain", [*links, *joints], tags))


def at_rest_in_space(graph):
    """Without gravity and at rest a joint's own torque is all that there is."""
    return replace(graph, gravity=np.zeros(3)), graph.neutral(), np.zeros(graph.nv)


def test_each_law_by_itself():
    graph, q, rest = at_rest_in_space(
        chain(
            "revolute",
            "prismatic",
            dynamics={"a": 'stiffness="3" rest_position="0.5"', "b": 'armature="0.25"'},
            more={"b": '<dynamics damping="0.5" friction="2"/>'},
        )
    )
    q[:] = 0.2, 0.4
    assert md.inverse_dynamics(graph, q, rest, rest) == pytest.approx([3 * (0.2 - 0.5), 0.0], abs=1e-15)
    assert md.inverse_dynamics(graph, q, rest, rest, friction="urdf")[1] == 0.0  # sign(0) = 0
    bare = replace(graph, joints=tuple(replace(one, armature=0.0, stiffness=0.0) for one in graph.joints))
    v, a = np.array([0.0, -1e-300]), np.array([0.0, 8.0])
    by_joints = md.inverse_dynamics(graph, q, v, a, friction="urdf") - md.inverse_dynamics(bare, q, v, a)
    assert by_joints == pytest.approx([-0.9, 0.25 * 8.0 - 2.0], abs=1e-13)
    matrices = md.mass_matrix(graph, q) - md.mass_matrix(bare, q)
    assert matrices == pytest.approx(np.diag([0.0, 0.25]), abs=1e-14)


def test_mimic_joints_load_their_driver():
    dynamics = {"a": 'armature="1" stiffness="2" rest_position="0.1"', "b": 'armature="0.5" stiffness="4"'}
    friction = {
        "a": '<dynamics damping="1" friction="3"/>',
        "b": MIMIC + '<dynamics damping="2" friction="5"/>',
    }
    graph = chain("revolute", "prismatic", dynamics=dynamics, more=friction)
    still, q, rest = at_rest_in_space(graph)
    # q_b = -2 q + 0.5, and so the torque of b's spring at a is -2 * 4 (-2 q + 0.5) = 16 (q - 0.25)
    assert md.inverse_dynamics(still, q + 0.7, rest, rest) == pytest.approx([2 * 0.6 + 16 * 0.45])
    massless = replace(still, joints=tuple(replace(one, armature=0.0) for one in still.joints))
    armature = md.mass_matrix(still, q) - md.mass_matrix(massless, q)
    assert armature == pytest.approx(np.array([[1 + 4 * 0.5]]))
    slow = np.array([1e-3])
    held = md.nonlinear_effects(still, q, slow, friction="urdf") - md.nonlinear_effects(still, q, slow)
    assert held == pytest.approx([(1 + 4 * 2) * 1e-3 + 3 + 2 * 5])


@pytest.mark.parametrize("kind", ["spherical", "floating"])
def test_a_spring_at_a_joint_of_several_coordinates_is_refused(kind):
    """Where the joint is made, so that no function leaves it out."""
    graph = chain("revolute", kind)
    with pytest.raises(md.UnsupportedModelError, match=f"joint 'b' is {kind} and has stiffness 2; springs"):
        replace(graph.joints[1], stiffness=2.0)


@pytest.mark.parametrize("kind", ["spherical", "floating"])
@pytest.mark.parametrize("on_ground", [False, True])
def test_forward_dynamics_with_armature_at_several_coordinates(kind, on_ground):
    kinds = (kind, "revolute") if on_ground else ("revolute", kind, "prismatic")
    graph = chain(*kinds, dynamics={"a" if on_ground else "b": 'armature="0.7"'})
    q, v, tau = random_state(graph)
    a = md.forward_dynamics(graph, q, v, tau)
    assert_close(a, PinocchioTree(graph).forward_dynamics(q, v, tau), 1e-11)
    assert_close(md.forward_dynamics(graph, q[None], v[None], tau[None])[0], a, 1e-12)


def test_torques_in_black_boxes_stay_unknown(boxed_arm):
    wrench = {"tool": np.arange(6.0)}
    joints = tuple(replace(one, armature=0.1, stiffness=3.0) for one in boxed_arm.joints)
    sprung = replace(boxed_arm, joints=joints)
    state = random_state(boxed_arm)
    plain, tau = (
        md.inverse_dynamics(graph, *state, black_box_wrenches=wrench) for graph in (boxed_arm, sprung)
    )
    assert np.array_equal(np.isnan(tau), np.isnan(plain))
    known = ~np.isnan(tau)
    assert (tau - plain)[known] == pytest.approx((0.1 * state[2] + 3.0 * state[0])[known], abs=1e-12)


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize(
    "given", [{}, {"black_box_wrenches": {}}, {"external_wrenches": {}}, {"threads": 1}, {"friction": "urdf"}]
)
def test_out_may_be_one_of_the_arguments(given, which):
    graph = md.load_urdf(PENDULUM)
    state = [np.array([0.3, -0.4]), np.array([1.0, 2.0]), np.array([-3.0, 0.5])]
    expected = md.inverse_dynamics(graph, *state, **given)
    assert md.inverse_dynamics(graph, *state, out=state[which], **given) is state[which]
    np.testing.assert_allclose(state[which], expected, rtol=1e-14)

"""Armature, springs and friction of joints: laws, mimic joints, arguments, memory."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.setting.robots import random_inertial
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.robots.urdf_text import joint, robot
from helpers.tree_dynamics import assert_close, random_state

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


@pytest.mark.parametrize("friction", ["coulomb", None, 1])
@pytest.mark.parametrize(
    "function",
    [
        md.inverse_dynamics,
        md.forward_dynamics,
        md.inverse_dynamics_derivatives,
        lambda graph, q, v, a, **more: md.nonlinear_effects(graph, q, v, **more),
        lambda graph, *state, **more: md.inverse_dynamics(graph, *(x[None] for x in state), **more),
        lambda graph, *state, **more: md.forward_dynamics(graph, *(x[None] for x in state), **more),
    ],
)
def test_another_friction_is_refused(function, friction):
    graph = chain("revolute")
    with pytest.raises(md.StateError, match=r"friction is .*; 'none' or 'urdf' is needed"):
        function(graph, *random_state(graph), friction=friction)


@pytest.mark.parametrize("which", [1, 2])
def test_the_result_may_overwrite_v_or_a(which):
    dynamics = dict.fromkeys("ab", 'armature="0.5" stiffness="2"')
    more = dict.fromkeys("ab", '<dynamics damping="1" friction="2"/>')
    graph = chain("revolute", "prismatic", dynamics=dynamics, more=more)
    for function in (md.inverse_dynamics, md.forward_dynamics):
        state = random_state(graph)
        expected = function(graph, *state, friction="urdf")
        result = function(graph, *state, friction="urdf", out=state[which])
        assert result is state[which]
        assert np.array_equal(result, expected)


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

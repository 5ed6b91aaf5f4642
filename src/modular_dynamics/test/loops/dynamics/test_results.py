"""Reactions of whole mechanisms: every body in equilibrium by another code, nothing about passive axes."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.rigid_bodies import MovingBodies
from helpers.paths import ROBOTS
from helpers.robots.closed_robots import STATES
from helpers.robots.small_torso import load, small_torso_text
from helpers.robots.urdf_text import spring
from modular_dynamics.crosscheck import CrossCheck
from modular_dynamics.loops import internal_wrenches, joint_reactions, stamped_cut_wrenches, tree_torques

PLACES = {"four_bar": [0.7], "slider_crank": [0.7], "crane": [0.3, 0.2, 0.2]}

WRENCH = np.array([3.0, -2.0, 5.0, 0.4, 0.1, -0.3])  # from outside on the last body, in its frame


@pytest.fixture(scope="module", params=[*PLACES, "small_torso", "charmie_torso"])
def solved(request):
    name = request.param
    graph = load(small_torso_text() if name == "small_torso" else ROBOTS / f"{name}.urdf")
    rng, n = np.random.default_rng(3), len(graph.independent_joint_names)
    q = PLACES.get(name, 0.02 * rng.normal(size=n))
    external = {graph.bodies[-1].name: WRENCH}
    dynamics = md.InverseDynamics(graph).solve(
        q, *rng.normal(size=(2, n)), guess=None, external_wrenches=external
    )
    return graph, dynamics, joint_reactions(graph, dynamics)


def test_every_body_is_in_equilibrium_by_another_code(solved):
    graph, d, reactions = solved
    oracle = MovingBodies(graph, d.coordinates, d.velocities, d.accelerations)
    names = [body.name for body in graph.bodies]
    owner = {link: body.name for body in graph.bodies for link in body.links}
    for body in names:
        R, about = oracle.frame(body)
        force, moment = oracle.inertial_wrench(body, names, about)
        if body == names[-1]:
            force, moment = force - R @ WRENCH[:3], moment - R @ WRENCH[3:]
        size = max(1.0, np.abs([force, moment]).max())
        for r in reactions.values():
            for link, point, sign in ((r.successor, r.point, 1.0), (r.predecessor, r.start, -1.0)):
                if owner.get(link) == body:
                    force = force - sign * r.force
                    moment = moment - sign * (r.moment + np.cross(point - about, r.force))
        largest = max(size, *(np.abs(r.force).max() for r in reactions.values()))
        assert np.abs([force, moment]).max() < 1e-11 * largest


def test_results_that_a_user_changes_do_not_change_the_next_ones(solved):
    graph, dynamics, before = solved
    loads = internal_wrenches(graph, dynamics)
    for wrench in internal_wrenches(graph, dynamics).values():
        np.add(wrench, 1.0, out=wrench)
    for reaction in joint_reactions(graph, dynamics).values():
        for array in (reaction.point, reaction.force, reaction.moment):
            np.add(array, 1.0, out=array)
    after = joint_reactions(graph, dynamics)
    np.testing.assert_equal(internal_wrenches(graph, dynamics), loads)
    np.testing.assert_equal(*({name: vars(one) for name, one in x.items()} for x in (after, before)))


def test_along_its_axis_a_joint_bears_its_torque_and_a_passive_one_nothing(solved):
    graph, d, reactions = solved
    oracle = MovingBodies(graph, d.coordinates, d.velocities, d.accelerations)
    tau = dict(zip(graph.independent_joint_names, d.tau, strict=True))
    size = max(np.abs([r.force, r.moment]).max() for r in reactions.values())
    for joint in graph.joints:
        axis = oracle.frame(joint.child_link)[0] @ joint.axis
        reaction = reactions[joint.name]
        along = reaction.force if joint.type.value == "prismatic" else reaction.moment
        assert abs(axis @ along - tau.get(joint.name, 0.0)) < 1e-11 * size, joint.name


# The open tree with the loops' wrenches on its links is the closed mechanism: Pinocchio's RNEA agrees.


@pytest.fixture(params=[*STATES, "charmie_torso"])
def robot(request, load_robot):
    graph = load_robot(request.param)
    q = STATES.get(request.param, np.linspace(-0.02, 0.03, len(graph.independent_joint_names)))
    return graph, q, np.linspace(0.3, -0.4, len(q)), np.linspace(-1.0, 2.0, len(q))


def test_the_trees_torques_under_the_cuts_are_pinocchios(robot):
    graph, *state = robot
    dynamics = md.InverseDynamics(graph).solve(*state)
    motion = dynamics.coordinates, dynamics.velocities, dynamics.accelerations
    check = CrossCheck(graph.tree)
    residual = check(*motion, tree_torques(graph, dynamics), internal_wrenches(graph, dynamics))
    assert residual.relative < 1e-11
    without = check(*motion, tree_torques(graph, dynamics))  # the wrenches are no trifle
    assert without.relative > 1e-3


def test_external_wrenches_enter_by_virtual_power(robot):
    graph, q, v, a = robot
    link, wrench = graph.bodies[-1].name, WRENCH
    unloaded = md.InverseDynamics(graph).solve(q, v, a)
    loaded = md.InverseDynamics(graph).solve(q, v, a, guess=None, external_wrenches={link: wrench})
    rest = np.zeros(graph.nv)
    at = graph.tree, unloaded.coordinates, rest, rest
    tree = [md.inverse_dynamics(*at, external_wrenches=wrenches) for wrenches in (None, {link: wrench})]
    expected = md.explicit_constraint_jacobian(graph, q).T @ (tree[1] - tree[0])
    assert np.abs(expected).max() > 1e-2
    tolerance = 1e-10 * np.abs(unloaded.tau).max() + 1e-10
    assert loaded.tau - unloaded.tau == pytest.approx(expected, abs=tolerance)
    again = md.InverseDynamics(graph).solve(q, v, a)  # nothing of it stays
    assert again.tau.tolist() == unloaded.tau.tolist()
    with pytest.raises(md.StateError, match="no link 'nowhere'"):
        md.InverseDynamics(graph).solve(q, v, a, guess=None, external_wrenches={"nowhere": wrench})


def test_joints_and_connection_points_transmit_what_newton_euler_gives_under_the_closing_wrenches(robot):
    graph, *state = robot
    external = {graph.bodies[-1].name: WRENCH}
    one, read_late = (
        md.InverseDynamics(graph).solve(*state, guess=None, external_wrenches=external) for _ in range(2)
    )
    loads = internal_wrenches(graph, one)
    for link, wrench in external.items():
        loads[link] = loads.get(link, 0.0) + wrench
    motion = one.coordinates, one.velocities, one.accelerations
    expected = md.InverseDynamics(graph.tree).solve(*motion, external_wrenches=loads)
    tolerance = 1e-14 * np.abs(expected.joint_wrenches).max()
    assert one.tree.joint_wrenches == pytest.approx(expected.joint_wrenches, abs=tolerance)
    assert one.tree.connection_wrenches == pytest.approx(expected.connection_wrenches, abs=tolerance)
    assert one.tree.connection_wrench_in_link(0)[0] == expected.connection_wrench_in_link(0)[0]
    # later calls change no earlier result
    md.InverseDynamics(graph).solve(0.99 * state[0], *state[1:])
    assert np.array_equal(read_late.tree.joint_wrenches, one.tree.joint_wrenches)


def test_the_wrench_in_the_links_frame_has_the_anchors_force_and_moment_about_the_links_origin(robot):
    graph, *state = robot
    dynamics = md.InverseDynamics(graph).solve(*state)
    for loop in graph.loop_joints:
        link, wrench = stamped_cut_wrenches(graph, dynamics)[loop.name]
        rotation, arm = md.algebra.to_rotation_translation(loop.successor.x_link_anchor)
        force = rotation @ dynamics.wrenches[loop.name][:3]
        moment = rotation @ dynamics.wrenches[loop.name][3:] + np.cross(arm, force)
        assert link == loop.successor.link
        assert wrench == pytest.approx(np.concatenate([force, moment]), abs=1e-11 * np.abs(wrench).max())


def test_a_spring_across_several_joints_pulls_at_its_anchors():
    text = (ROBOTS / "four_link.urdf").read_text()
    links = md.load_urdf(text).links
    pull = spring("s", [(links[0], (0.3, -0.2, 0.4)), (links[-1], (0.1, 0.2, -0.1))], 100, 0.01, 0)
    graph = md.load_urdf(text.replace("</modular_dynamics>", f"{pull}</modular_dynamics>"))
    q, v, a = np.array([0.3, -0.5, 0.7, 0.2]), np.array([1.0, -2.0, 0.5, 0.1]), np.array([0.1, 0.2, 0.3, 0.4])
    dynamics = md.InverseDynamics(graph).solve(q, v, a)
    assert dynamics.tensions["s"] > 1.0
    assert CrossCheck(graph.tree)(q, v, a, dynamics.tau, internal_wrenches(graph, dynamics)).relative < 1e-12

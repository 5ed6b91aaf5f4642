"""The open tree with the loops' wrenches on its links is the closed mechanism: Pinocchio's RNEA agrees."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.robots.closed_robots import STATES
from helpers.robots.urdf_text import spring
from modular_dynamics.crosscheck import CrossCheck
from modular_dynamics.loops import internal_wrenches, stamped_cut_wrenches, tree_torques


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
    link, wrench = graph.bodies[-1].name, np.array([3.0, -2.0, 5.0, 0.4, 0.1, -0.3])
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
    external = {graph.bodies[-1].name: np.array([3.0, -2.0, 5.0, 0.4, 0.1, -0.3])}
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

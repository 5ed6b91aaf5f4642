"""The care robot's torso along the 5 s motion, beside MuJoCo: reactions on body 3; 24 bodies, each alone."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.charmie_torso import EQUILIBRIUM, INSTANTS, MOTION, RULES, SAME, URDF, motion
from modular_dynamics.loops import RobotReactions, joint_reactions
from papers.charmie_torso.mujoco_loops import MujocoLoops
from papers.charmie_torso.torso_mujoco import (
    curves,
    equilibrium_residuals,
    largest_residuals,
    reactions_in_three_ways,
    solve_both,
    with_mounts_at_rest,
    without_inertia,
)

WAYS = ("rules", "all", "cut")


@pytest.fixture(scope="module")
def robot_curves():
    return curves(URDF, RULES, MOTION, INSTANTS)


@pytest.fixture(scope="module")
def variant_curves():
    return curves(without_inertia(URDF, "body_3"), RULES, MOTION, INSTANTS)


@pytest.mark.parametrize("fixture", ["robot_curves", "variant_curves"])
def test_mujoco_has_the_same_reactions_and_actuator_forces(request, fixture):
    compared = request.getfixturevalue(fixture)
    assert compared.wrenches == pytest.approx(compared.their_wrenches, abs=SAME)
    assert all(np.ptp(compared.torques[name]) > 10.0 for name in ("act4", "act5"))
    assert len(compared.torques) == 19
    for name, torque in compared.torques.items():
        assert torque == pytest.approx(compared.their_torques[name], abs=SAME), name


def test_curves_jump_at_half_time_and_nowhere_else(robot_curves):
    steps = np.abs(np.diff(robot_curves.wrenches, axis=0))
    half = len(INSTANTS) // 2
    assert (INSTANTS[half - 1], INSTANTS[half]) == (2.5, np.nextafter(2.5, 3.0))
    smooth = np.delete(steps, half - 1, axis=0).max(axis=0)
    assert (steps[half - 1] > 3.0 * smooth)[[0, 5]].all()  # Fx 3.6 N, Mz 3 N m
    assert robot_curves.weight == pytest.approx(545.4, abs=0.05)


def test_the_inertia_of_body_3_changes_only_moments(robot_curves, variant_curves):
    """Body 3 turns about z only: I (0, 0, alpha) + omega x I (0, 0, omega), in closed form, Table 1."""
    times, unit = INSTANTS, 2.0 * np.pi / 9.0
    alpha = np.where(times <= 2.5, -unit, unit)
    omega = unit * np.where(times <= 2.5, -times, times - 5.0)
    xz, yz, zz = 0.003586, -0.05186, 1.61
    expected = np.stack([xz * alpha - yz * omega**2, yz * alpha + xz * omega**2, zz * alpha], axis=-1)
    assert robot_curves.wrenches[:, 3:] - variant_curves.wrenches[:, 3:] == pytest.approx(expected, abs=SAME)
    assert robot_curves.wrenches[:, :3] == pytest.approx(variant_curves.wrenches[:, :3], abs=SAME)


@pytest.fixture(scope="module")
def mounted():
    """The robot with its fixed mounts as joints that stand still, so that 24 bodies are cut free."""
    graph = md.load_urdf(with_mounts_at_rest(URDF))
    return graph, RobotReactions(graph, RULES), MujocoLoops(graph.urdf, graph.independent_joint_names)


def solved(robot, time):
    """What acts on the bodies at a time; MuJoCo is brought there, too."""
    graph, sharing, peer = robot
    dynamics = solve_both(graph, peer, motion(graph, time))
    return dynamics, reactions_in_three_ways(graph, dynamics, sharing, peer)


def test_each_of_24_bodies_is_in_equilibrium_all_along_the_motion():
    """Springs and actuators included; required wrenches and points of application are MuJoCo's."""
    times = INSTANTS[[*range(0, len(INSTANTS), 4), len(INSTANTS) // 2]]  # both sides of the jump among them
    worst = largest_residuals(URDF, RULES, MOTION, times)
    assert set(worst) == set(WAYS)
    assert np.max(list(worst.values())) < EQUILIBRIUM, worst


def test_the_equilibrium_of_every_body_is_checked(mounted):
    bodies = {link for link in mounted[0].links if link.startswith("body_")}
    assert len(bodies) == 24
    without_mass = {"act4_tube", "act4_rod", "act5_tube", "act5_rod", "srt4_block", "slt4_block"}
    for way, acting in solved(mounted, 1.5)[1].items():
        expected = bodies | without_mass if way == "cut" else bodies
        assert set(equilibrium_residuals(mounted[2], acting)) == expected


@pytest.mark.parametrize("way", WAYS)
def test_the_equilibrium_check_notices_every_force_moment_and_point(mounted, way):
    _, acting = solved(mounted, 1.5)
    small = np.array([0.0, 1e-8, 0.0])
    for k, reaction in enumerate(acting[way]):
        for changed in (
            replace(reaction, force=reaction.force + small),
            replace(reaction, moment=reaction.moment + small),
        ):
            unbalanced = [*acting[way][:k], changed, *acting[way][k + 1 :]]
            residuals = equilibrium_residuals(mounted[2], unbalanced)
            assert np.abs(residuals[reaction.successor]).max() > 0.5e-8, reaction
    moved = replace(reaction, point=reaction.point + 1e-4)
    residuals = equilibrium_residuals(mounted[2], [*acting[way][:-1], moved])
    assert np.abs(residuals[reaction.successor]).max() > 1e-6


def test_joints_transmit_the_torques_of_their_drives(mounted):
    """Along a joint's axis: the torque, or nothing where it is passive. MuJoCo's axes."""
    graph, _, peer = mounted
    for time in INSTANTS[::20]:
        dynamics, acting = solved(mounted, time)
        tau = dict(zip(graph.independent_joint_names, dynamics.tau, strict=True))
        for name, reaction in zip(joint_reactions(graph, dynamics), acting["cut"], strict=True):
            if name in graph.joint_names:
                along_axis = reaction.force if graph.joint(name).type == "prismatic" else reaction.moment
                axis = peer.data.joint(name).xaxis
                assert along_axis @ axis == pytest.approx(tau.get(name, 0.0), abs=EQUILIBRIUM), name


def test_mujoco_has_all_that_equilibrium_determines_within_the_torso(mounted):
    """Where self-stress has no part; the rest is a choice, of which MuJoCo's least norm is another."""
    _, sharing, peer = mounted
    bodies = {"j5": "body_5", "jr4": "body_4sr", "jl4": "body_4sl", "j4": "body_4", "j3": "body_3"}
    for time in INSTANTS[::10]:
        dynamics, _ = solved(mounted, time)
        shared, stress = sharing(dynamics).by_name(RULES), sharing.self_stress(dynamics)
        compared = []
        for (name, component), free in zip(RULES.unknowns, np.abs(stress).max(axis=1), strict=True):
            if name not in bodies:
                continue
            Q = peer.rotation(RULES.joints[name].axes).T @ peer.rotation(bodies[name])
            theirs = np.concatenate([Q @ part for part in np.split(peer.reaction(bodies[name]), 2)])
            k = ("Fx", "Fy", "Fz", "Mx", "My", "Mz").index(component)
            difference = abs(shared.wrenches[name][k] - theirs[k])
            compared.append((free < 1e-9, difference < SAME))
        assert sum(determined for determined, _ in compared) == 12  # j5 2, jr4 2, jl4 2, j3 6
        assert all(same for determined, same in compared if determined)
        assert not all(same for _, same in compared)

"""Each of the care robot's 24 bodies alone, all along the 5 s motion; MuJoCo says what they need."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers.mujoco_loops import MujocoLoops
from benchmark.studies.torso_equilibrium import (
    Push,
    equilibrium_residuals,
    largest_residuals,
    pushes,
    with_mounts_at_rest,
)
from benchmark.studies.torso_reactions import motion_at
from helpers.robots.torso_motion import EQUILIBRIUM, MOTION, RULES, SAME, TIMES, URDF
from modular_dynamics.closure.reactions.joint_reactions import joint_reactions
from modular_dynamics.closure.reactions.load_case import load_case_of
from modular_dynamics.closure.reactions.sharing import ReactionSharing

WAYS = ("rules", "all", "cut")


@pytest.fixture(scope="module")
def mounted():
    """The robot with its fixed mounts as joints that stand still, so that 24 bodies are cut free."""
    graph = md.load_urdf(with_mounts_at_rest(URDF))
    return graph, ReactionSharing(RULES), MujocoLoops(graph.urdf, graph.independent_joint_names)


def solved(robot, time):
    """What acts on the bodies at a time; MuJoCo is brought there, too."""
    graph, sharing, peer = robot
    state = motion_at(MOTION, graph, float(time))
    dynamics = md.closed_loop_inverse_dynamics(graph, *state)
    peer(*state)
    return dynamics, pushes(graph, dynamics, sharing, peer)


@pytest.mark.slow
def test_each_of_24_bodies_is_in_equilibrium_at_each_instant_of_the_motion():
    """Springs and actuators included; demands and points of application are MuJoCo's."""
    worst = largest_residuals(URDF, RULES, MOTION, TIMES)
    assert set(worst) == set(WAYS)
    assert np.max(list(worst.values())) < EQUILIBRIUM, worst


def test_all_bodies_are_looked_at(mounted):
    bodies = {link for link in mounted[0].links if link.startswith("body_")}
    assert len(bodies) == 24
    without_mass = {"act4_tube", "act4_rod", "act5_tube", "act5_rod", "srt4_block", "slt4_block"}
    for way, acting in solved(mounted, 1.5)[1].items():
        expected = bodies | without_mass if way == "cut" else bodies
        assert set(equilibrium_residuals(mounted[2], acting)) == expected


@pytest.mark.parametrize("way", WAYS)
def test_that_check_sees_every_force_moment_and_point(mounted, way):
    _, acting = solved(mounted, 1.5)
    small = np.array([0.0, 1e-8, 0.0])
    for k, push in enumerate(acting[way]):
        for change in ((small, 0.0), (0.0, small)):
            bent = Push(push.by, push.on, push.point, push.force + change[0], push.moment + change[1])
            broken = [*acting[way][:k], bent, *acting[way][k + 1 :]]
            left = equilibrium_residuals(mounted[2], broken)
            assert np.abs(left[push.on]).max() > 0.5e-8, push
    aside = Push(push.by, push.on, push.point + 1e-4, push.force, push.moment)
    left = equilibrium_residuals(mounted[2], [*acting[way][:-1], aside])
    assert np.abs(left[push.on]).max() > 1e-6


def test_joints_bear_what_their_drives_give(mounted):
    """Along a joint's axis: the torque, or nothing where it is passive. MuJoCo's axes."""
    graph, _, peer = mounted
    for time in TIMES[::20]:
        dynamics, acting = solved(mounted, time)
        tau = dict(zip(graph.independent_joint_names, dynamics.tau, strict=True))
        for name, push in zip(joint_reactions(graph, dynamics), acting["cut"], strict=True):
            if name in graph.joint_names:
                borne = push.force if graph.joint(name).type == "prismatic" else push.moment
                axis = peer.data.joint(name).xaxis
                assert borne @ axis == pytest.approx(tau.get(name, 0.0), abs=EQUILIBRIUM), name


def test_mounts_that_stand_still_change_nothing(mounted):
    graphs = mounted[0], md.load_urdf(URDF)
    for time in TIMES[::50]:
        found, expected = (
            dict(zip(graph.independent_joint_names, dynamics.tau, strict=True))
            for graph in graphs
            for dynamics in [md.closed_loop_inverse_dynamics(graph, *motion_at(MOTION, graph, time))]
        )
        assert len(expected) == 19
        assert {name: found[name] for name in expected} == pytest.approx(expected, abs=SAME)


def test_mujoco_has_all_that_equilibrium_determines_within_the_torso(mounted):
    """Where self-stress has no part; the rest is a choice, of which MuJoCo's shortest solution is another."""
    graph, sharing, peer = mounted
    bodies = {"j5": "body_5", "jr4": "body_4sr", "jl4": "body_4sl", "j4": "body_4", "j3": "body_3"}
    for time in TIMES[::10]:
        dynamics, _ = solved(mounted, time)
        situation = load_case_of(graph, dynamics, RULES)
        shared, stress = sharing(situation), sharing.self_stress(situation)
        apart = []
        for (name, component), free in zip(RULES.unknowns, np.abs(stress).max(axis=1), strict=True):
            if name not in bodies:
                continue
            Q = peer.rotation(RULES.joints[name].axes).T @ peer.rotation(bodies[name])
            theirs = np.concatenate([Q @ part for part in np.split(peer.reaction(bodies[name]), 2)])
            k = ("Fx", "Fy", "Fz", "Mx", "My", "Mz").index(component)
            left = abs(shared.wrenches[name][k] - theirs[k])
            apart.append((free < 1e-9, left < SAME))
        assert sum(determined for determined, _ in apart) == 12  # j5 2, jr4 2, jl4 2, j3 6
        assert all(same for determined, same in apart if determined)
        assert not all(same for _, same in apart)

"""MuJoCo on closed loops: it agrees off the published motion, on another torso, and at rest."""

import numpy as np
import pytest
from lxml import etree

import modular_dynamics as md
from helpers.robots.charmie_torso import EQUILIBRIUM, INSTANTS, RULES, SAME, URDF, motion
from helpers.robots.small_torso import load, small_torso_text
from modular_dynamics.loops import RobotReactions, joint_reactions
from papers.charmie_torso.mujoco_loops import MujocoLoops
from papers.charmie_torso.torso_mujoco import solve_both
from papers.closed_loop_elimination.exoskeleton import generic, random_states, urdf


@pytest.mark.parametrize("robot", ["small_torso", "charmie_torso"])
def test_mujoco_agrees_at_random_states_of_two_torsos(robot):
    """Motions, torques, springs, and what crosses the lowest turning joint; one torso has odd numbers."""
    graph = load(small_torso_text() if robot == "small_torso" else URDF)
    names = graph.independent_joint_names
    peer, rng = MujocoLoops(graph.urdf, names), np.random.default_rng(5)
    spread = np.array([0.03 if name.startswith("act") else 1.0 for name in names])
    for _ in range(8):
        state = spread * rng.uniform(-1, 1, (3, len(names)))
        dynamics = solve_both(graph, peer, state)
        for quantity in ("coordinates", "velocities", "accelerations"):
            theirs = [getattr(peer, quantity)[name] for name in graph.joint_names]
            assert getattr(dynamics, quantity) == pytest.approx(theirs, abs=1e-12)
        assert dynamics.tau == pytest.approx(peer.tau, abs=SAME)
        assert dynamics.tensions == pytest.approx(peer.tensions, abs=SAME)
        base, R = joint_reactions(graph, dynamics)["base_yaw"], peer.rotation("body_3")
        ours = np.concatenate([R.T @ base.force, R.T @ base.moment])
        assert ours == pytest.approx(peer.reaction("body_3"), abs=SAME)
        assert peer.residual < SAME


def test_gears_and_cut_joints_with_rotated_frames():
    """The exoskeleton: MuJoCo closes its three loops and two gears, from near where they are closed."""
    graph = md.load_urdf(urdf(generic()))  # a gear with an offset
    peer = MujocoLoops(graph.urdf, graph.independent_joint_names)
    for q, v, a, coordinates in zip(*random_states(graph, 8), strict=True):
        near = dict(zip(graph.joint_names, coordinates + 1e-3, strict=True))
        peer.data.qpos[:] = [near[name] for name in peer.names]
        peer(q, v, a)
        closed = [peer.coordinates[name] for name in graph.joint_names]
        assert closed == pytest.approx(coordinates, abs=1e-12)
        assert peer.tau == pytest.approx(md.inverse_dynamics(graph, q, v, a), abs=SAME)


@pytest.mark.parametrize("seed", range(3))
def test_at_rest_body_2_carries_the_weight_whatever_each_spring_does(seed):
    """By the rules and by MuJoCo, in the poses of the motion; any law per spring."""
    robot, rng = etree.fromstring(URDF.encode()), np.random.default_rng(seed)
    for spring in robot.iter("spring"):
        spring.set("stiffness", repr(rng.uniform(500.0, 4000.0)))
        spring.set("initial_force", repr(rng.uniform(0.0, 30.0)))
    graph = md.load_urdf(etree.tostring(robot, encoding="unicode"))
    peer, sharing = MujocoLoops(graph.urdf, graph.independent_joint_names), RobotReactions(graph, RULES)
    for time in INSTANTS[::20]:
        q, rest = motion(graph, time)[0], np.zeros(19)
        dynamics = solve_both(graph, peer, (q, rest, rest))
        assert len({round(tension) for tension in dynamics.tensions.values()}) == 3
        weight = [0.0, 0.0, 55.6 * 9.81]  # 545.4 N
        shared = sharing(dynamics).by_name(RULES).wrenches["j3"]
        assert shared[:3] == pytest.approx(weight, abs=EQUILIBRIUM)
        assert shared == pytest.approx(peer.reaction("body_3"), abs=SAME)
        assert dynamics.tau == pytest.approx(peer.tau, abs=SAME)


@pytest.mark.parametrize(
    ("xpath", "key", "value", "seen"),
    [
        (".//spring[@name='s5']", "stiffness", "1030", "act5"),
        (".//loop_joint[@name='act4_pin']/successor", "xyz", "0 0.0299 0.3423705", "act4"),
        (".//link[@name='body_8a']/inertial/mass", "value", "0.401", "Fz"),
    ],
)
def test_mujoco_distinguishes_robots(xpath, key, value, seen):
    """Another robot gets other forces than this one, so the comparison can fail."""
    robot = etree.fromstring(URDF.encode())
    robot.find(xpath).set(key, value)
    graph, forces = md.load_urdf(URDF), []
    for text in (URDF, etree.tostring(robot, encoding="unicode")):
        peer = MujocoLoops(text, graph.independent_joint_names)
        peer(*motion(graph, INSTANTS[70]))
        tau = dict(zip(graph.independent_joint_names, peer.tau, strict=True))
        forces.append({**tau, "Fz": peer.reaction("body_3")[2]}[seen])
    assert abs(forces[1] - forces[0]) > 1e-3


def test_closures_that_the_peer_does_not_support_are_rejected():
    for old, new in (
        ('<loop_joint name="srt4" type="revolute">', '<loop_joint name="srt4" type="fixed">'),
        ('initial_force="15.1"', 'initial_force="151"'),
    ):
        assert old in URDF
        with pytest.raises(ValueError, match=r"loop joint 'srt4'|spring 's5'"):
            MujocoLoops(URDF.replace(old, new), ["act4"])

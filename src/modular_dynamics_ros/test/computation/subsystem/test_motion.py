"""Motions of connection points against differences of poses of the whole robot over time."""

from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.part_by_part import PartByPart
from helpers.paths import ROBOTS
from modular_dynamics.algebra.matrix_forms import homogeneous, inverse, unskew
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros
H = 1e-4  # [s] of the central differences, whose error is of its square


def point_poses(graph, q, name):
    """H_root_point at positions q."""
    connection = graph.subsystem(name).connection
    at = homogeneous(*md.algebra.to_rotation_translation(connection.x_link_connection))
    return md.frame_poses(graph, q, [connection.link])[0] @ at


def twist_between(H0, H1, seconds):
    """[linear, angular] along the axes of the frame half-way, to second order."""
    change = inverse(H0) @ H1
    R, p = change[:3, :3], change[:3, 3]
    turn = 0.5 * unskew(R - R.T)  # the sine of a small angle
    return np.concatenate([p - 0.5 * np.cross(turn, p), turn]) / seconds


@pytest.mark.parametrize("robot", ["charmie", "branched_38dof"])
def test_twists_and_their_derivatives_are_those_of_the_moving_frames(robot):
    parts, rng = PartByPart(str(ROBOTS / f"{robot}.urdf")), np.random.default_rng(8)
    graph = parts.graph
    names, n = graph.joint_names, graph.nv
    q, v, a = (rng.uniform(-0.7, 0.7, n) for _ in range(3))
    parts.torques(*(dict(zip(names, values, strict=True)) for values in (q, v, a)))

    def pose(name, t):
        return point_poses(graph, q + v * t + 0.5 * a * t * t, name)

    def twist(name, t):
        return twist_between(pose(name, t - H), pose(name, t + H), 2 * H)

    moving = [name for name, motion in parts.motions.items() if motion.twist.any()]
    assert len(moving) >= 4
    for name, motion in parts.motions.items():
        assert motion.H_root_point == pytest.approx(pose(name, 0.0), abs=1e-12)
        assert motion.twist == pytest.approx(twist(name, 0.0), abs=1e-6)
        derivative = (twist(name, 50 * H) - twist(name, -50 * H)) / (100 * H)
        assert motion.acceleration == pytest.approx(derivative, abs=2e-3)
        assert motion.gravity.tolist() == [0.0, 0.0, -9.81]


def test_free_fall_is_taken_off_in_the_axes_of_the_point():
    motion = PartByPart(str(ROBOTS / "charmie.urdf")).parts["base"].own_motion
    assert motion.falling() == pytest.approx([*(-(motion.H_root_point[:3, :3].T @ motion.gravity)), 0, 0, 0])


def test_motions_that_overflow_are_refused():
    """A foreign predecessor may send any."""
    torso = PartByPart(str(ROBOTS / "charmie.urdf")).parts["torso"]
    state = torso.observe(1, *np.zeros((2, len(torso.robot.state_names))))
    good = ConnectionMotion(np.eye(4), np.zeros(6), np.zeros(6), np.array([0.0, 0.0, -9.81]))
    assert torso.move(state, good).outgoing.keys() == {"left_arm", "right_arm", "head"}
    with np.errstate(all="ignore"), pytest.raises(BadMessage, match="motion of connection points is not"):
        torso.move(state, replace(good, twist=np.full(6, 1e200)))

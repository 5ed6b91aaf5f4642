import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics_ros.computation.computation import limit_efforts
from modular_dynamics_ros.computation.robot import FRICTION_SPEED, friction_torques

TAU = np.array([10.0, -20.0, 3.0])
GRAVITY = np.array([4.0, -5.0, 6.0])
SPEED = np.array([2.0, -1.0, 0.0])
DAMPING, DRY = np.array([0.5, 1.0, 2.0]), np.array([0.3, 0.4, 0.5])


def test_friction_is_damping_and_dry_friction_along_the_motion():
    assert friction_torques(SPEED, DAMPING, DRY) == pytest.approx([0.5 * 2 + 0.3, -1.0 - 0.4, 0.0])


def test_dry_friction_rises_linearly_through_rest():
    slow = np.full(3, 0.5 * FRICTION_SPEED)
    assert friction_torques(slow, DAMPING, DRY) == pytest.approx(0.5 * DRY + 0.5 * FRICTION_SPEED * DAMPING)


def test_clip_cuts_each_joint_and_scale_keeps_the_direction():
    limits = np.array([5.0, 10.0, np.inf])
    tau = TAU.copy()
    clipped, exceeded = limit_efforts(tau, limits, "clip")
    assert (clipped.tolist(), exceeded.tolist()) == ([5.0, -10.0, 3.0], [True, True, False])
    scaled, exceeded = limit_efforts(tau, limits, "scale")
    assert scaled == pytest.approx(TAU / 2.0)
    assert exceeded.tolist() == [True, True, False]
    left, exceeded = limit_efforts(tau, limits, "off")
    assert left is tau
    assert not exceeded.any()
    assert tau.tolist() == TAU.tolist()  # they belong to the inverse dynamics, too


INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
MIMIC = f"""<robot name="gripper">
  <link name="base"/><link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link>
  <joint name="driver" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="7" velocity="1"/><dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="follower" type="revolute"><parent link="base"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="7" velocity="1"/><dynamics damping="1.0" friction="2.0"/>
    <mimic joint="driver" multiplier="-2"/></joint>
</robot>"""


def test_a_mimic_joint_loads_its_driver():
    graph = md.load_urdf(MIMIC)
    damping, dry = md.friction_coefficients(graph.joints, graph.joint_names)
    assert graph.joint_names == ("driver",)
    assert damping.tolist() == [0.5 + 4.0 * 1.0]  # virtual power: (-2 qd) 1.0 (-2 qd)
    assert dry.tolist() == [0.25 + 2.0 * 2.0]

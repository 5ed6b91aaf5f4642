import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics_ros.computation.feedforward import (
    FRICTION_SPEED,
    Feedforward,
    friction_coefficients,
    limit_efforts,
)

TAU = np.array([10.0, -20.0, 3.0])
GRAVITY = np.array([4.0, -5.0, 6.0])
SPEED = np.array([2.0, -1.0, 0.0])


def feedforward(**modes: str) -> Feedforward:
    chosen = {"output": "full", "friction": "none", "effort_limits": "off"} | modes
    return Feedforward(
        np.array([0.5, 1.0, 2.0]), np.array([0.3, 0.4, 0.5]), np.array([5.0, np.inf, 30.0]), **chosen
    )


def effort(**modes: str) -> np.ndarray:
    out = np.full(3, np.nan)
    feedforward(**modes)(TAU, GRAVITY, SPEED, out)
    return out


def test_output_modes():
    assert effort().tolist() == TAU.tolist()
    assert effort(output="gravity").tolist() == GRAVITY.tolist()
    assert effort(output="full_minus_gravity").tolist() == (TAU - GRAVITY).tolist()
    assert not feedforward().needs_gravity


def test_friction_is_damping_and_dry_friction_along_the_motion():
    assert effort(friction="urdf") == pytest.approx([10.0 + 0.5 * 2 + 0.3, -20.0 - 1.0 - 0.4, 3.0])


def test_dry_friction_rises_linearly_through_rest():
    out = np.zeros(3)
    feedforward(friction="urdf")(np.zeros(3), GRAVITY, np.full(3, 0.5 * FRICTION_SPEED), out)
    assert out == pytest.approx(
        0.5 * np.array([0.3, 0.4, 0.5]) + 0.5 * FRICTION_SPEED * np.array([0.5, 1.0, 2.0])
    )


def test_clip_cuts_each_joint_and_scale_keeps_the_direction():
    limits = np.array([5.0, 10.0, np.inf])
    clipped, scaled, left = TAU.copy(), TAU.copy(), TAU.copy()
    assert limit_efforts(clipped, limits, "clip").tolist() == [True, True, False]
    assert clipped.tolist() == [5.0, -10.0, 3.0]
    assert limit_efforts(scaled, limits, "scale").tolist() == [True, True, False]
    assert scaled == pytest.approx(TAU / 2.0)
    assert not limit_efforts(left, limits, "off").any()
    assert left.tolist() == TAU.tolist()


def test_within_the_limits_nothing_changes():
    tau = TAU.copy()
    assert not limit_efforts(tau, np.full(3, 20.0), "scale").any()
    assert tau.tolist() == TAU.tolist()


MIMIC = """<robot name="gripper">
  <link name="base"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
  iyz="0"/></inertial></link> <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
  ixy="0" ixz="0" iyz="0"/></inertial></link> <joint name="driver" type="revolute"><parent link="base"/><child
  link="a"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="7" velocity="1"/><dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="follower" type="revolute"><parent link="base"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="7" velocity="1"/><dynamics damping="1.0" friction="2.0"/>
    <mimic joint="driver" multiplier="-2"/></joint>
</robot>"""


def test_a_mimic_joint_loads_its_driver():
    graph = md.load_urdf(MIMIC)
    damping, dry = friction_coefficients(graph.joints, graph.joint_names)
    assert graph.joint_names == ("driver",)
    assert damping.tolist() == [0.5 + 4.0 * 1.0]  # virtual power: (-2 qd) 1.0 (-2 qd)
    assert dry.tolist() == [0.25 + 2.0 * 2.0]


def test_friction_of_all_joints_loads_the_independent_ones_by_virtual_power():
    out = np.zeros(1)
    one = Feedforward(
        np.array([0.5, 1.0, 2.0]),
        np.array([0.3, 0.4, 0.5]),
        np.array([np.inf]),
        output="full",
        friction="urdf",
        effort_limits="off",
    )
    one.projection = np.array([[1.0], [-0.5], [2.0]])
    one(np.array([1.0]), np.zeros(1), np.array([2.0, -1.0, 4.0]), out)
    assert out == pytest.approx([1.0 + (0.5 * 2 + 0.3) - 0.5 * (-1.0 - 0.4) + 2.0 * (2.0 * 4 + 0.5)])

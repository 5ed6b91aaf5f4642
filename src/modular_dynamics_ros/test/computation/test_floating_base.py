"""Torques of robots that stand on the ground, against Pinocchio's model of the same URDF on a free flyer."""

from pathlib import Path

import numpy as np
import pinocchio
import pytest

from helpers.wrenches import arrival, feed
from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics.crosscheck import PinocchioCheck
from modular_dynamics_ros.exceptions import BadMessage, RobotError

pytestmark = pytest.mark.ros

NOW, MS = 1_700_000_000_000_000_000, 1_000_000
WORLD = "<link name='world'/><joint name='flight' type='floating'><parent link='world'/>{}</joint>"


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def random_orientation(rng) -> Quaternion:
    return Quaternion(*(four := rng.normal(size=4)) / np.linalg.norm(four))


class FreeFlyer:
    """Pinocchio's own reading of the URDF: joints by name, q as x y z x y z w."""

    def __init__(self, urdf):
        self.model = pinocchio.buildModelFromXML(urdf, pinocchio.JointModelFreeFlyer())
        self.data = self.model.createData()

    def frame(self, name):
        """Placement of a link against the base's."""
        return self.model.frames[self.model.getFrameId(name, pinocchio.FrameType.BODY)].placement

    def torques(self, robot, state, a, base_acceleration):
        """(joints in the order of the robot, the base's wrench)."""
        rows = [self.model.idx_vs[self.model.getJointId(name)] for name in robot.state_names]
        o, full = state.base.orientation, np.zeros((3, self.model.nv))
        q = np.concatenate(([0.4, -0.1, 2.0, o.x, o.y, o.z, o.w], np.zeros(self.model.nq - 7)))
        q[np.array(rows) + 1] = state.q
        full[1, rows], full[2, rows] = state.v, a
        full[1, :6], full[2, :6] = state.base.twist, base_acceleration
        tau = pinocchio.rnea(self.model, self.data, q, *full[1:])
        return tau[rows], tau[:6]


def largest_difference(pairs) -> float:
    """Relative to the largest number."""
    scale = max(abs(theirs).max() for _, theirs in pairs)
    return max(abs(ours - theirs).max() for ours, theirs in pairs) / scale


def test_torques_and_base_wrench_equal_those_on_a_free_flyer(quadruped, rng):
    robot, oracle = load_robot(quadruped, base_source="odometry"), FreeFlyer(quadruped)
    assert len(robot.state_names) == 12
    one, check = Computation(robot, ComputationSettings()), PinocchioCheck.of(robot)
    assert not check.unavailable
    for k in range(20):
        one.base_states.add(NOW + k * MS, random_orientation(rng), rng.normal(size=6))
        state = one.observe(NOW + k * MS, *rng.normal(size=(2, 12)))
        answer = one.compute(state, NOW, None)
        joints, base = oracle.torques(robot, state, np.zeros(12), np.zeros(6))
        assert largest_difference([(answer.effort, joints), (answer.dynamics.base_wrench, base)]) < 1e-12
        assert check(answer).relative < 1e-12


def test_accelerations_of_base_and_joints_come_from_their_own_filters(quadruped, rng):
    robot, oracle = load_robot(quadruped, base_source="odometry"), FreeFlyer(quadruped)
    one = Computation(robot, ComputationSettings(acceleration_source="filtered"))
    orientation, (twist, slope) = random_orientation(rng), rng.normal(size=(2, 6))
    v, a = rng.normal(size=(2, 12))
    states, refused = [], []
    for t in 0.005 * np.arange(600):  # velocities that grow evenly: the filter delays them only
        stamp = NOW + round(t * 1e9)
        one.base_states.add(stamp, orientation, twist + t * slope)
        try:
            states.append(one.observe(stamp, np.zeros(12), v + t * a))
        except BadMessage as error:
            refused.append(error.cause)
    assert refused == ["filter starts"] * 5
    assert abs(states[-1].base.acceleration - slope).max() < 1e-9
    answer = one.compute(states[-1], NOW, None)
    joints, base = oracle.torques(robot, states[-1], a, slope)
    assert largest_difference([(answer.effort, joints), (answer.dynamics.base_wrench, base)]) < 1e-9


def test_a_twist_of_another_link_is_that_of_the_base(quadruped, rng):
    base, imu = load_robot(quadruped, base_source="odometry").base, FreeFlyer(quadruped).frame("imu_link")
    motion = pinocchio.Motion(rng.normal(size=6))
    moved = base.twist(base.frame("imu_link"), motion.linear, motion.angular)
    assert abs(moved - imu.act(motion).vector).max() < 1e-15


def test_what_the_feet_bear_the_base_need_not(quadruped):
    """A robot at rest whose four feet carry its weight evenly: the base wrench has no force left."""
    robot = load_robot(quadruped, base_source="odometry")
    one = Computation(robot, ComputationSettings())
    one.base_states.add(NOW, Quaternion(1.0, 0.0, 0.0, 0.0), np.zeros(6))
    state = one.observe(NOW, np.zeros(12), np.zeros(12))
    weight = 9.81 * sum(body.mass for body in robot.graph.bodies)
    assert one.compute(state, NOW, None).dynamics.base_wrench[:3] == pytest.approx([0.0, 0.0, weight])
    for foot in ("fl_foot", "fr_foot", "rl_foot", "rr_foot"):  # all axes are the world's here
        one.wrenches.take_external(foot, np.array([0.0, 0.0, 0.25 * weight, 0.0, 0.0, 0.0]), arrival(NOW))
    assert one.compute(state, NOW, None).dynamics.base_wrench[:3] == pytest.approx([0.0] * 3, abs=1e-12)


def test_gravity_torques_and_held_positions_keep_the_orientation(quadruped, rng):
    robot, oracle = load_robot(quadruped, base_source="odometry"), FreeFlyer(quadruped)
    one = Computation(robot, ComputationSettings(output="gravity"))
    one.base_states.add(NOW, random_orientation(rng), rng.normal(size=6))
    answer = one.compute(one.observe(NOW, *rng.normal(size=(2, 12))), NOW, None)
    joints, base = oracle.torques(robot, answer.state.at_rest(), np.zeros(12), np.zeros(6))
    assert largest_difference([(answer.effort, joints)]) < 1e-12
    held = one.hold(answer)
    assert largest_difference([(held.effort, joints), (held.dynamics.base_wrench, base)]) < 1e-12


def test_the_joint_at_the_root_may_float_in_the_urdf(quadruped, rng):
    """The joint starts from a turned frame: the base stands in the world as odometry says, all the same."""
    origin = "<child link='trunk'/><origin rpy='0.4 -0.2 1.1'/>"
    text = quadruped.replace("</robot>", WORLD.format(origin) + "</robot>")
    with pytest.raises(RobotError, match=r"'flight'.*cannot carry its state; floating_base:=true takes it"):
        load_robot(text)
    with pytest.raises(RobotError, match=r"'flight'.*cannot carry its state"):
        load_robot(text, base_source="imu")
    robots = [load_robot(given, base_source="odometry") for given in (text, quadruped)]
    orientation, twist, (q, v) = random_orientation(rng), rng.normal(size=6), rng.normal(size=(2, 12))
    answers = []
    for robot in robots:
        one = Computation(robot, ComputationSettings())
        one.base_states.add(NOW, robot.base.world("odom") * orientation, twist)
        answers.append(one.compute(one.observe(NOW, q, v), NOW, None))
    tau, base = ([given.effort for given in answers], [given.dynamics.base_wrench for given in answers])
    assert [robot.base.link for robot in robots] == ["trunk", "trunk"]
    assert tau[0] == pytest.approx(tau[1], rel=1e-12, abs=1e-12)
    assert base[0] == pytest.approx(base[1], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ["exoskeleton", "charmie"])
def test_other_robots_float_too(root: Path, name, rng):
    """With closed loops and without: turning robot and gravity alike changes no torque; Pinocchio agrees."""
    path = str(root / f"urdf/{name}.urdf")
    fixed, floating = load_robot(path), load_robot(path, base_source="odometry")
    assert floating.state_names == fixed.state_names
    zeros, v = np.zeros(len(fixed.state_names)), rng.normal(size=len(fixed.state_names))
    one, other = (Computation(robot, ComputationSettings(friction="urdf")) for robot in (fixed, floating))
    expected = one.compute(one.observe(NOW, zeros, v), NOW, None)
    other.base_states.add(NOW, Quaternion(1.0, 0.0, 0.0, 0.0), np.zeros(6))
    level = other.compute(other.observe(NOW, zeros, v), NOW, None)
    assert largest_difference([(level.effort, expected.effort)]) < 1e-12
    other.base_states.add(NOW, random_orientation(rng), rng.normal(size=6))
    turned = other.compute(other.observe(NOW, zeros, v), NOW, level)
    check = PinocchioCheck.of(floating)
    assert not check.unavailable
    assert check(turned).relative < 1e-11


def test_a_base_may_carry_a_black_box(four_link, boxed_branch, rng):
    robot = load_robot(four_link, boxed_branch, base_source="odometry")
    one, check = Computation(robot, ComputationSettings()), PinocchioCheck.of(robot)
    feed(one, "right_branch", rng.normal(size=6), NOW)
    one.base_states.add(NOW, random_orientation(rng), rng.normal(size=6))
    answer = one.compute(one.observe(NOW, *rng.normal(size=(2, 3))), NOW, None)
    assert np.isfinite(answer.dynamics.base_wrench).all()
    assert check(answer).relative < 1e-12


def test_a_base_inside_a_black_box_is_refused(quadruped):
    text = quadruped.replace(
        "</robot>",
        WORLD.format("<child link='trunk'/>")
        + (
            "<modular_dynamics version='1'><subsystem name='body' black_box='true'><joint name='flight'/>"
            "</subsystem></modular_dynamics></robot>"
        ),
    )
    with pytest.raises(RobotError, match=r"floating base 'flight' is inside the black box 'body'"):
        load_robot(text, base_source="odometry")


@pytest.mark.parametrize("source", ["zero", "filtered"])
def test_a_robot_that_replaces_another_knows_where_the_base_is(quadruped, source):
    """No joint state waits for the next odometry, nor for the filter; a base of another name begins anew."""
    settings = ComputationSettings(acceleration_source=source)
    renamed = quadruped.replace("'trunk'", "'body'").replace('"trunk"', '"body"')
    old, new, other = (
        Computation(load_robot(text, base_source="odometry"), settings)
        for text in (quadruped, quadruped.replace("9.0", "8.0"), renamed)
    )
    for k in range(20):
        old.base_states.add(NOW + k * MS, Quaternion(1.0, 0.0, 0.0, 0.0), np.full(6, 0.1))
    other.keep_base_states(old)
    new.keep_base_states(old)
    old.forget()
    assert new.base_states.at(NOW + 20 * MS).twist.tolist() == [0.1] * 6
    new.base_states.add(NOW + 20 * MS, Quaternion(1.0, 0.0, 0.0, 0.0), np.full(6, 0.1))
    assert abs(new.base_states.at(NOW + 20 * MS).acceleration).max() < 1e-9
    assert other.base_states.newest is None


@pytest.mark.parametrize("frame", ["", "trunk", "fl_foot", "odom_ned", "map_NED"])
def test_what_is_no_world_frame_is_refused(quadruped, frame):
    with pytest.raises(BadMessage, match=f"world frame.*'{frame}'|'{frame}'.*world frame"):
        load_robot(quadruped, base_source="odometry").base.world(frame)


@pytest.mark.parametrize("frame", ["earth", "Earth", "robot_1/earth", "ecef", "gps_ecef"])
def test_an_earth_centred_frame_is_refused_and_what_is_right_is_named(quadruped, frame):
    """REP 105: earth is ECEF, so its z is up at the north pole only."""
    base = load_robot(quadruped, base_source="odometry").base
    with pytest.raises(BadMessage, match=f"'{frame}'.*earth-centred.*z up.*odom, map or world"):
        base.world(frame)
    for good in ("odom", "map", "world", "earth_map", "rare_earth"):
        assert base.world(good).w == 1.0


def test_it_is_said_how_the_root_is_held(quadruped):
    fixed = load_robot(quadruped).mounting
    assert "'trunk' is taken as fixed in the world; set floating_base:=true of dynamics_node" in fixed
    assert "and turned as topic imu says" in load_robot(quadruped, base_source="imu").mounting
    assert "the base 'trunk' floats" in load_robot(quadruped, base_source="odometry").mounting

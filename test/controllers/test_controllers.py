"""The loop of examples/ros2_control: controllers' topics, drives with feedback, and torques of dynamics_node.

The drives hold the positions by proportional and derivative gains, and add the efforts of effort_controller.
"""

import time
from contextlib import closing

import numpy as np
import pytest
import yaml
from rclpy.node import Node
from rclpy.qos import qos_profile_system_default
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import modular_dynamics as md
from examples.demo.processes import Processes
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROOT
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.trajectories import JointTrajectoryControllerState, trajectory_message

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
EXAMPLE = ROOT / "examples" / "ros2_control"
PERIOD, STEPS = 2_000_000, 750  # [ns] 500 Hz; 1.5 s
KP, KD = np.array([60.0, 60.0, 30.0, 6.0]), np.array([8.0, 8.0, 3.0, 0.4])  # of the drives
START, AMPLITUDE = np.array([0.0, 0.5, 1.0, 0.3]), np.array([0.6, -0.5, 0.7, 0.4])
RATES = 2.0 * np.pi * np.array([0.8, 1.0, 1.2, 1.5])  # [rad/s]
PARTS = 8  # of a period, each a step of the semi-implicit Euler method


def motion(t):
    """Positions, velocities and accelerations at t [s]: each joint swings, from rest."""
    c, s = np.cos(RATES * t), np.sin(RATES * t)
    return START + AMPLITUDE * (1 - c), AMPLITUDE * RATES * s, AMPLITUDE * RATES**2 * c


class ForwardController(Node):
    """As forward_command_controller of Jazzy with interface effort: the last good command stays in force.

    Attributes:
        commands: how many have come. command: by joint [N m]; empty before the first one.
    """

    def __init__(self, joints):
        super().__init__("effort_controller")
        self.joints, self.commands, self.command = list(joints), 0, {}
        self.create_subscription(
            Float64MultiArray, "~/commands", self._on_command, qos_profile_system_default
        )

    def _on_command(self, message):
        if np.isfinite(message.data).all():  # others are dropped, as there
            self.command = dict(zip(self.joints, message.data, strict=True))  # there an error in each cycle
            self.commands += 1


class Loop(SpunNodes):
    """The arm, moved by the library's forward dynamics; its controller; dynamics_node as a process.

    Attributes:
        q, v: of the arm, in the graph's order.
    """

    def __init__(self, folder, reference_type, *parameters, joints):
        self.graph = md.load_urdf(EXAMPLE / "arm.urdf.xacro")
        self.q, self.v = START.copy(), np.zeros(4)
        self.controller, self.node = ForwardController(joints), Node("arm")
        super().__init__(self.controller, self.node)
        self.reference_type = reference_type
        self.states = self.node.create_publisher(JointState, "joint_states", 10)
        kind, topic = JointTrajectory, "reference"
        if reference_type == "controller_state":
            kind, topic = JointTrajectoryControllerState, "/arm_controller/controller_state"
        self.reference = self.node.create_publisher(kind, topic, 10)
        self.processes = Processes(folder)
        self.processes.start(
            "dynamics_node",
            "autostart:=true",
            f"robot_description_file:={EXAMPLE / 'arm.urdf.xacro'}",
            f"reference_type:={reference_type}",
            f"controller_joints:=[{', '.join(joints)}]",
            "stale_after:=30.0",  # a busy machine: the arm waits for each answer
            *parameters,
            params_file=EXAMPLE / "dynamics.yaml",
            remapped=[
                "~/effort_commands:=/effort_controller/commands",
                "controller_state:=/arm_controller/controller_state",
            ],
        )

    def close(self):
        with self.processes:
            super().close()

    def send_state(self, stamp):
        message = JointState(name=self.graph.joint_names, position=self.q.tolist(), velocity=self.v.tolist())
        message.header.stamp = stamp_message(stamp)
        self.states.publish(message)

    def refer(self, start, t=0.0):
        """The whole motion, or the set point of an instant [s] after the start [ns]."""
        if self.reference_type == "trajectory":
            offsets = range(0, STEPS * PERIOD + 1, 10 * PERIOD)
            points = [motion(offset * 1e-9) for offset in offsets]
            self.reference.publish(trajectory_message(start, self.graph.joint_names, offsets, points))
            return
        q, v, a = motion(t)
        point = JointTrajectoryPoint(positions=q, velocities=v, accelerations=a)
        message = JointTrajectoryControllerState(joint_names=self.graph.joint_names, reference=point)
        message.speed_scaling_factor = 1.0
        message.header.stamp = stamp_message(start + round(t * 1e9))
        self.reference.publish(message)

    def connect(self):
        """Until torques come, and the reference is heard."""
        topic = self.reference.get_subscription_count

        torques, sent = [], 0
        heard = self.node.create_subscription(JointState, "dynamics_node/joint_torques", torques.append, 1000)

        def processed():
            """One state at a time: when this is true none is on its way."""
            nonlocal sent
            last = torques and stamp_nanoseconds(torques[-1].header.stamp) == sent
            if last and self.controller.commands and topic():
                return True
            if last or time.time_ns() - sent > 100_000_000:
                sent = time.time_ns()
                self.send_state(sent)
            return False

        self.spin_until(processed, "torques")
        self.node.destroy_subscription(heard)
        commands = -1  # those of the last answer follow its torques
        while commands != self.controller.commands:
            commands = self.controller.commands
            self.executor.spin_once(timeout_sec=0.05)

    def largest_error(self, *, feedforward):
        """Of any joint during the motion [rad]."""
        self.connect()
        start, errors = time.time_ns() + 200_000_000, []
        self.refer(start)
        for k in range(STEPS):
            t, stamp = k * PERIOD * 1e-9, start + k * PERIOD
            time.sleep(max(0, stamp - time.time_ns()) * 1e-9)
            q, v, _ = motion(t)
            errors.append(np.abs(q - self.q).max())
            effort = KP * (q - self.q) + KD * (v - self.v)
            if feedforward:
                effort = effort + self.torques(start, stamp, t)
            self.advance(effort)
        assert np.isfinite(errors).all()
        return max(errors)

    def advance(self, effort):
        """Move the arm for one period with constant efforts [N m]."""
        step = PERIOD * 1e-9 / PARTS
        for _ in range(PARTS):
            self.v = self.v + step * md.forward_dynamics(self.graph, self.q, self.v, effort)
            self.q = self.q + step * self.v

    def torques(self, start, stamp, t):
        """What effort_controller holds once this state is processed, in the graph's order."""
        before = self.controller.commands
        if self.reference_type == "controller_state":
            self.refer(start, t)
        self.send_state(stamp)
        self.spin_until(lambda: self.controller.commands > before, "an answer")
        return np.array([self.controller.command[name] for name in self.graph.joint_names])


def run(folder, reference_type="trajectory", *parameters, feedforward=True, joints=None):
    given = yaml.safe_load((EXAMPLE / "controllers.yaml").read_text())["effort_controller"]
    joints = joints or given["ros__parameters"]["joints"]
    with closing(Loop(folder, reference_type, *parameters, joints=joints)) as loop:
        return loop.largest_error(feedforward=feedforward)


@pytest.fixture(scope="module")
def without(ros, tmp_path_factory):
    """The error that the drives alone make [rad]."""
    return run(tmp_path_factory.mktemp("logs"), feedforward=False)


def test_the_torques_take_the_error_away_and_gravity_alone_does_not(without, tmp_path):
    gravity = run(tmp_path, "trajectory", "output:=gravity")
    full = run(tmp_path, joints=["wrist", "elbow", "lift", "pan"])  # by name, in any order
    print(f"largest error [rad]: without {without:.4f}, gravity {gravity:.4f}, full {full:.6f}")
    assert gravity < 0.8 * without  # and still far: these swings need accelerations
    assert full < 0.05 * gravity
    assert full < 0.005


@pytest.mark.skipif(JointTrajectoryControllerState is None, reason="needs control_msgs")
def test_the_controllers_set_points_do_the_same(without, tmp_path):
    full = run(tmp_path, "controller_state")
    print(f"largest error [rad]: without {without:.4f}, set points {full:.6f}")
    assert full < 0.02 * without

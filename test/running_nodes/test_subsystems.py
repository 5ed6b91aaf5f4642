"""A robot as one process per subsystem while it moves; one is a foreign program, and one is killed."""

import os
import re
import signal
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState

import modular_dynamics as md
from examples.demo.processes import Processes
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS, ROOT
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
NODES = ("stem", "left_branch")
PERIOD = 0.05  # [s] of the joint states: the processes share the processor with other tests
STALE = 1.0  # [s]


class Robot(SpunNodes):
    """Sends joint states of a motion, and hears the torques of all nodes.

    Attributes:
        torques: subsystem -> stamp [ns] -> message. states: stamp -> (q, v). missing: part of the diagnostics
        -> what it says now, where that is an error. fixed: joints that stand at zero: no node computes them.
    """

    def __init__(self, urdf, folder):
        self.urdf, self.graph, self.node = urdf, md.load_urdf(urdf), Node("robot")
        super().__init__(self.node)
        self.processes = Processes(folder)
        self.names, self.fixed = list(self.graph.joint_names), set()
        self.torques, self.states, self.missing = {name: {} for name in NODES}, {}, {}
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.on_diagnostics, 100)
        for name in NODES:
            self.node.create_subscription(JointState, f"{name}/joint_torques", self.keeper(name), 1000)
        self.publisher = self.node.create_publisher(JointState, "joint_states", 500)
        self.began, self.next_state = time.time_ns(), 0.0

    def keeper(self, name):
        return lambda message: self.torques[name].update({stamp_nanoseconds(message.header.stamp): message})

    def on_diagnostics(self, message):
        for status in message.status:
            self.missing[status.name] = status.message if status.level == DiagnosticStatus.ERROR else ""

    def start(self, name):
        given = f"subsystem:={name}", f"robot_description_file:={self.urdf}", f"stale_after:={STALE}"
        self.processes.start("subsystem_node", *given, "autostart:=true", name=name)

    def send(self):
        now, n = time.time_ns(), np.arange(len(self.names))
        phases = n + 2.0 * (now - self.began) * 1e-9
        q, v = 0.3 * np.cos(phases), -0.6 * np.sin(phases)
        for values in (q, v):
            values[[self.names.index(name) for name in self.fixed]] = 0.0
        message = JointState(name=self.names, position=q.tolist(), velocity=v.tolist())
        message.header.stamp = stamp_message(now)
        self.publisher.publish(message)
        self.states[now] = q, v

    def play_until(self, reached, what):
        """Move on until the condition holds."""

        def reached_after_a_state():
            if time.monotonic() > self.next_state:
                self.next_state = time.monotonic() + PERIOD
                self.send()
            return reached()

        self.spin_until(reached_after_a_state, what)

    def processed(self, count, since=0):
        """A condition: so many states, later than a stamp [ns], were processed by all nodes."""
        kept = self.torques.values()
        return lambda: sum(s > since and all(s in one for one in kept) for s in self.states) >= count

    def check_all(self):
        """Every torque that was published against the whole robot's, to 1e-9 N m; return how many were."""
        count, expected = 0, {}
        for stamp, message in (pair for kept in self.torques.values() for pair in kept.items()):
            if stamp not in expected:
                tau = md.nonlinear_effects(self.graph, *self.states[stamp])
                expected[stamp] = dict(zip(self.names, tau.tolist(), strict=True))
            effort = dict(zip(message.name, message.effort, strict=True))
            assert effort == pytest.approx({name: expected[stamp][name] for name in effort}, abs=1e-9)
            count += len(effort)
        return count

    def close(self):
        with self.processes:
            super().close()


def test_a_robot_of_processes_one_a_foreign_program_and_one_killed_and_started_again(tmp_path):
    """examples/nodes/foreign_subsystem.py, without anything of modular_dynamics, is the right branch."""
    path = ROOT / "examples/nodes/foreign_subsystem.py"
    assert not re.search(r"(import|from) modular_dynamics\b", path.read_text())
    with closing(Robot(ROBOTS / "four_link.urdf", tmp_path)) as robot:
        branch = robot.graph.subsystem("right_branch")
        (body,), (joint,) = branch.bodies, branch.joints
        assert joint.x_parent_joint.is_close(branch.connection.x_body_connection)
        moments = [float(body.inertia[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        for name in NODES:
            robot.start(name)
        words = ["__node:=right_branch", "~/motion_in:=stem/motion_out/right_branch"]
        words = ["--ros-args", *(word for rule in words for word in ("-r", rule))]
        words += ["-p", f"mass:={body.mass}", "-p", f"com:={body.com.tolist()}", "-p", f"inertia:={moments}"]
        robot.processes.start_file("foreign", path, *words)
        robot.fixed = {joint.name}
        robot.play_until(robot.processed(30), "torques of both nodes")
        os.kill(robot.processes.pid("stem"), signal.SIGKILL)
        killed = time.time_ns()
        missing = "/left_branch: neighbours"
        robot.play_until(lambda: "'stem'" in robot.missing.get(missing, ""), "diagnostics that name 'stem'")
        # what was on its way when the process was killed may still have been processed
        named = time.time_ns()
        assert not [s for one in robot.torques.values() for s in one if killed + 0.2e9 < s < named - 0.2e9]
        robot.processes.end("stem")
        robot.start("stem")
        robot.play_until(robot.processed(10, named), "all torques after 'stem' was started again")
        assert robot.check_all() >= 3 * 40


@pytest.mark.parametrize(("chosen", "used"), [(None, False), ("DEFAULT", True)])
def test_a_process_that_may_be_killed_leaves_no_shared_memory_unless_it_is_chosen(
    tmp_path, monkeypatch, chosen, used
):
    """Another process that writes to it could wait for ever."""
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF")  # instead of the tests' profile
    for name in (
        "FASTDDS_BUILTIN_TRANSPORTS",
        "FASTRTPS_DEFAULT_PROFILES_FILE",
        "FASTDDS_DEFAULT_PROFILES_FILE",
    ):
        monkeypatch.delenv(name, raising=False)
    if chosen:
        monkeypatch.setenv("FASTDDS_BUILTIN_TRANSPORTS", chosen)
    with Processes(tmp_path) as processes, closing(SpunNodes()) as waiting:
        file = f"robot_description_file:={ROBOTS / 'charmie.urdf'}"
        processes.start("subsystem_node", file, "autostart:=true", name="head")
        waiting.spin_until(lambda: "it carries" in processes.log("head"), "the node's robot")
        memory = Path(f"/proc/{processes.pid('head')}/maps").read_text(encoding="utf-8")
    assert ("/dev/shm/fastrtps" in memory) == used

"""A robot as one process per subsystem: it moves, one process is killed; one is a foreign program."""

import os
import re
import signal
import time
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import modular_dynamics as md
from examples.demo.processes import Processes
from examples.demo.subsystems import start_subsystem, started_nodes
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS, ROOT
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
CHARMIE = ROBOTS / "charmie.urdf"
PERIOD = 0.05  # [s] of the joint states: six processes share the processor with other tests
STALE = 1.0  # [s]


class Robot(SpunNodes):
    """Sends joint states and references of a motion, and hears the torques of all nodes.

    Attributes:
        torques: subsystem -> stamp [ns] -> message. states: stamp -> (q, v, a). missing: part of the
        diagnostics -> what it says now, where that is an error.
    """

    def __init__(self, urdf, folder):
        self.urdf, self.graph, self.node = urdf, md.load_urdf(urdf), Node("robot")
        super().__init__(self.node)
        self.processes = Processes(folder)
        self.nodes = started_nodes(urdf, None)
        self.names = list(self.graph.joint_names)
        self.torques = {name: {} for name in self.nodes}
        self.states, self.missing = {}, {}
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.on_diagnostics, 100)
        for name, node in self.nodes.items():
            self.node.create_subscription(JointState, f"{node}/joint_torques", self.keeper(name), 1000)
        self.publisher = self.node.create_publisher(JointState, "joint_states", 500)
        self.references = self.node.create_publisher(JointTrajectory, "reference", 10)
        self.fixed = set()  # joints that stand at zero, if no node computes them
        self.began, self.next_reference = time.time_ns(), 0

    def keeper(self, name):
        def keep(message):
            self.torques[name][stamp_nanoseconds(message.header.stamp)] = message

        return keep

    def on_diagnostics(self, message):
        for status in message.status:
            self.missing[status.name] = status.message if status.level == DiagnosticStatus.ERROR else ""

    def start(self, name):
        parameters = "acceleration_source:=reference", f"stale_after:={STALE}"
        start_subsystem(self.processes, name, self.nodes[name], self.urdf, *parameters)

    def acceleration(self, ticks):
        """At a number of periods since the start: linear between whole ones, as a reference is."""
        n, before = np.arange(len(self.names)), np.floor(ticks)
        (a, b), share = (0.5 * np.sin(n + 0.3 * k) for k in (before, before + 1)), ticks - before
        return (1.0 - share) * a + share * b

    def send(self):
        """One state; ahead of it, each half second, the accelerations of the next two, as a planner does."""
        now, period = time.time_ns(), round(PERIOD * 1e9)
        ticks, n = (now - self.began) / period, len(self.names)
        if now > self.next_reference:
            first = int(ticks)
            reference = JointTrajectory(joint_names=self.names)
            reference.header.stamp = stamp_message(self.began + first * period)
            for k in range(round(2.0 / PERIOD)):
                point = JointTrajectoryPoint(accelerations=self.acceleration(first + k).tolist())
                point.time_from_start.sec, point.time_from_start.nanosec = divmod(k * period, 10**9)
                reference.points.append(point)
            self.references.publish(reference)
            self.next_reference = now + round(0.5e9)
        q, v = 0.3 * np.cos(np.arange(n) + 0.1 * ticks), -0.3 * np.sin(np.arange(n) + 0.1 * ticks)
        a = self.acceleration(ticks)
        for values in (q, v, a):
            values[[self.names.index(name) for name in self.fixed]] = 0.0
        message = JointState(name=self.names, position=q.tolist(), velocity=v.tolist())
        message.header.stamp = stamp_message(now)
        self.publisher.publish(message)
        self.states[now] = q, v, a

    def play_until(self, reached, what):
        """Move on until the condition holds."""
        next_time = [time.monotonic()]

        def looked():
            while time.monotonic() < next_time[0]:
                self.executor.spin_once(timeout_sec=0.005)
            next_time[0] = time.monotonic() + PERIOD
            self.send()
            return reached()

        self.spin_until(looked, what)

    def answered(self, count, since=0, names=None):
        """A condition: so many states, later than a stamp [ns], were answered by all of these subsystems."""

        def reached():
            stamps = [stamp for stamp in [*self.states] if stamp > since]
            kept = [self.torques[name] for name in names or self.nodes]
            return sum(all(stamp in one for one in kept) for stamp in stamps) >= count

        return reached

    def check_all(self):
        """Every torque that was published against the whole robot's, to 1e-9 N m; return how many were."""
        count = 0
        expected = {}
        for kept in self.torques.values():
            for stamp, message in kept.items():
                if stamp not in expected:
                    expected[stamp] = dict(
                        zip(self.names, md.inverse_dynamics(self.graph, *self.states[stamp]), strict=True)
                    )
                effort = dict(zip(message.name, message.effort, strict=True))
                assert effort == pytest.approx({name: expected[stamp][name] for name in effort}, abs=1e-9)
                count += len(effort)
        return count

    def close(self):
        with self.processes:
            super().close()


@pytest.fixture
def make(tmp_path):
    with ExitStack() as ended:
        yield lambda urdf: ended.enter_context(closing(Robot(urdf, tmp_path)))


def test_all_torques_of_a_motion_are_the_whole_robots_also_after_a_process_was_killed(make):
    robot = make(CHARMIE)
    for name in robot.nodes:
        robot.start(name)
    robot.play_until(robot.answered(20), "torques of all subsystems")
    os.kill(robot.processes.pid(robot.nodes["torso"]), signal.SIGKILL)
    killed, others = time.time_ns(), [node for name, node in robot.nodes.items() if name != "torso"]

    def is_missed():
        """By all others, which cannot answer without it, and by its name."""
        said = [robot.missing.get(f"/{node}: neighbours", "") for node in others]
        return all(said) and any("'torso'" in one for one in said)

    robot.play_until(is_missed, "'torso' to be missed")
    # what was on its way when the process was killed may still have been answered
    named = time.time_ns()
    assert not [s for one in robot.torques.values() for s in one if killed + 0.2e9 < s < named - 0.2e9]
    robot.processes.end(robot.nodes["torso"])
    robot.start("torso")
    robot.play_until(robot.answered(10, named), "all torques after 'torso' was started again")
    assert robot.check_all() >= 19 * 30


@pytest.mark.parametrize(("chosen", "used"), [(None, False), ("DEFAULT", True)])
def test_a_process_that_may_be_killed_leaves_no_shared_memory_unless_it_is_chosen(
    tmp_path, monkeypatch, chosen, used
):
    """Whoever wrote to it might else wait for ever."""
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
        start_subsystem(processes, "head", "head", CHARMIE)
        waiting.spin_until(lambda: "it carries" in processes.log("head"), "the node's robot")
        memory = Path(f"/proc/{processes.pid('head')}/maps").read_text(encoding="utf-8")
    assert ("/dev/shm/fastrtps" in memory) == used


BODY = "turn", "bend", "left", "right"


def test_a_foreign_program_is_one_of_the_subsystems(make):
    """examples/nodes/foreign_subsystem.py, without anything of modular_dynamics, as the right branch."""
    robot = make(ROBOTS / "four_link.urdf")
    assert robot.names == list(BODY)
    source = (ROOT / "examples/nodes/foreign_subsystem.py").read_text()
    assert not re.search(r"(import|from) modular_dynamics\b", source)
    branch = robot.graph.subsystem("right_branch")
    (body,), (joint,) = branch.bodies, branch.joints
    assert joint.x_parent_joint.is_close(branch.connection.x_body_connection)
    moments = [body.inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    for name in ("stem", "left_branch"):
        robot.start(name)
    words = [f"mass:={body.mass}", f"com:={body.com.tolist()}", f"inertia:={list(map(float, moments))}"]
    remaps = "__node:=right_branch", "~/motion_in:=stem/motion_out/right_branch"
    robot.processes.start_file(
        "foreign",
        ROOT / "examples/nodes/foreign_subsystem.py",
        "--ros-args",
        *(word for one in remaps for word in ("-r", one)),
        *(word for one in words for word in ("-p", one)),
    )
    robot.fixed = {"right"}
    robot.play_until(robot.answered(50, 0, ["stem", "left_branch"]), "torques of both nodes")
    assert robot.check_all() >= 3 * 50

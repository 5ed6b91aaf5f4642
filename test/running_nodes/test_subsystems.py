"""A robot as one process per subsystem: played, each process killed in turn, with a foreign program."""

import os
import re
import signal
import time
from contextlib import ExitStack, closing

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
from helpers.random_examples.examples import some
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.player import sent_in

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
CHARMIE = ROBOTS / "charmie.urdf"
NEEDS = {  # who cannot answer without a subsystem
    "base": {"torso", "left_arm", "right_arm", "head"},
    "torso": {"base", "left_arm", "right_arm", "head"},
    "left_arm": {"base", "torso"},
    "right_arm": {"base", "torso"},
    "head": {"base", "torso"},
}
PERIOD = 0.05  # [s] of the joint states: six processes share the processor with other tests
STALE = 1.0  # [s]


class Robot(SpunNodes):
    """Sends joint states and references of a motion, and hears the torques and the diagnostics of all nodes.

    Attributes:
        torques: subsystem -> stamp [ns] -> message. states: stamp -> (q, v, a). diagnostics: node -> part ->
        status, the newest.
    """

    def __init__(self, urdf, folder, namespace=""):
        self.urdf, self.graph, self.node = urdf, md.load_urdf(urdf), Node("robot", namespace=namespace)
        self.namespace = namespace
        super().__init__(self.node)
        self.folder, self.processes = folder, Processes(folder)
        self.nodes = started_nodes(urdf, None)
        self.names = list(self.graph.joint_names)
        self.torques = {name: {} for name in self.nodes}
        self.states, self.diagnostics, self.heard = {}, {}, {}
        for name, node in self.nodes.items():
            keep = self.torques[name]
            self.node.create_subscription(JointState, f"{node}/joint_torques", self.keeper(keep, name), 1000)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.on_diagnostics, 100)
        self.publisher = self.node.create_publisher(JointState, "joint_states", 500)
        self.references = self.node.create_publisher(JointTrajectory, "reference", 10)
        self.fixed = set()  # joints that stand at zero, if no node computes them
        self.began, self.next_reference = time.time_ns(), 0

    def keeper(self, kept, name):
        def keep(message):
            kept[stamp_nanoseconds(message.header.stamp)] = message
            self.heard.setdefault(name, []).append(time.monotonic())

        return keep

    def on_diagnostics(self, message):
        for status in message.status:
            node, part = re.match(r"/(.*): (.*)", status.name).groups()
            self.diagnostics.setdefault(node, {})[part] = status

    def start(self, name, *parameters, params_file=None):
        options = {"params_file": params_file, "namespace": self.namespace}
        start_subsystem(self.processes, name, self.nodes[name], self.urdf, *parameters, **options)

    def activated(self, name):
        """When a node was ready, by its log [s of the system]; None before that."""
        log = (self.folder / f"{self.nodes[name]}.log").read_text()
        found = re.search(rf"\[INFO\] \[([0-9.]+)\] \[.*\]: subsystem '{name}' of", log)
        return float(found[1]) if found else None

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

    def neighbours_error(self, name):
        """What a node's diagnostics say of its neighbours, where that is an error."""
        status = self.diagnostics.get(self.nodes[name], {}).get("neighbours")
        return status.message if status and status.level == DiagnosticStatus.ERROR else ""

    def close(self):
        with self.processes:
            super().close()


@pytest.fixture
def make(tmp_path):
    with ExitStack() as ended:
        yield lambda urdf, namespace="": ended.enter_context(closing(Robot(urdf, tmp_path, namespace)))


def test_each_process_is_killed_in_turn_while_the_robot_moves(make, tmp_path):
    robot = make(CHARMIE)
    parameters = "acceleration_source:=reference", f"stale_after:={STALE}"
    for name in robot.nodes:
        robot.start(name, *parameters)
    robot.play_until(robot.answered(20), "torques of all subsystems")
    killed = some([*robot.nodes], 2)
    durations = {name: kill_and_restart(robot, name, *parameters) for name in killed}
    print("whole again after", {name: f"{seconds:.2f} s" for name, seconds in durations.items()})
    assert robot.check_all() > 19 * (20 + 10 * len(killed))
    robot.play_until(lambda: not any(map(robot.neighbours_error, robot.nodes)), "nobody to be missing")


def kill_and_restart(robot, name, *parameters):
    """How long [s] after the new process was active all torques are there again."""
    node, blamed = robot.nodes[name], NEEDS[name]
    os.kill(robot.processes.pid(node), signal.SIGKILL)
    killed = time.time_ns()
    robot.play_until(lambda: all(map(robot.neighbours_error, blamed)), f"'{name}' to be missed")
    assert any(f"'{name}'" in robot.neighbours_error(one) for one in blamed)
    silent = time.time_ns()
    for one in blamed:
        log = robot.folder / f"{robot.nodes[one]}.log"
        named = re.compile(r"\[ERROR\].*neighbours: no (motion|wrench) from subsystem ")
        robot.play_until(lambda log=log, named=named: named.search(log.read_text()), f"the log of '{one}'")
        # what was on its way when the process was killed may still have been answered
        assert not [stamp for stamp in robot.torques[one] if killed + 0.2e9 < stamp < silent - 0.2e9]
    if others := robot.nodes.keys() - blamed - {name}:
        robot.play_until(robot.answered(5, killed, others), f"answers of those that need nothing of '{name}'")
    robot.processes.end(node)
    robot.start(name, *parameters)
    robot.play_until(lambda: robot.activated(name) is not None, f"'{name}' to be active")
    since = round(robot.activated(name) * 1e9)
    robot.play_until(robot.answered(1, since), f"all torques after '{name}' was started again")
    duration = time.time() - robot.activated(name)
    robot.play_until(robot.answered(10, since), "more of them")
    return duration


def accelerations_at(stamp, references, names):
    """Of the reference that came last of those which hold this instant [ns]."""
    for reference in reversed(references):
        since = stamp - stamp_nanoseconds(reference.header.stamp)
        offsets = [one.time_from_start.sec * 10**9 + one.time_from_start.nanosec for one in reference.points]
        if offsets[0] <= since <= offsets[-1]:
            values = np.array([one.accelerations for one in reference.points])
            order = [reference.joint_names.index(name) for name in names]
            return np.array([np.interp(since, offsets, values[:, k]) for k in order])
    raise AssertionError(f"no reference holds {stamp}")


def test_the_published_motion_gives_the_torques_of_one_node(make):
    """Of joint_state_player, with the files that the documentation names."""
    robot = make(CHARMIE, "/played")  # subscribers are counted: those of other tests are elsewhere
    files = {"params_file": ROOT / "config/charmie_subsystems.yaml"}
    for name in robot.nodes:
        robot.start(name, "stale_after:=60.0", **files)
    robot.node.destroy_publisher(robot.publisher)
    robot.node.destroy_publisher(robot.references)
    references, sent = [], {}

    def on_state(message):
        sent[stamp_nanoseconds(message.header.stamp)] = message

    nodes = robot.nodes.values()
    robot.spin_until(
        lambda: (
            all(robot.activated(name) for name in robot.nodes)
            and robot.node.count_subscribers("joint_states") == len(nodes)
            and all(robot.node.count_subscribers(f"{one}/wrench_out") == 1 for one in nodes if one != "base")
        ),
        "the nodes",
    )
    motion = f"motion_file:={ROOT / 'config/charmie_motion.yaml'}"
    # at this rate no queue overflows while other tests have the processor; the file's 200 Hz would
    rate = f"rate:={1.0 / PERIOD}"
    own = motion, rate, f"wait_for_subscriber:={len(nodes) + 2}", "lead_in:=true"
    count = round(5.0 / PERIOD) + 1
    robot.node.create_subscription(JointTrajectory, "reference", references.append, 10)
    robot.node.create_subscription(JointState, "joint_states", on_state, 2000)
    robot.processes.start("joint_state_player", *own, **files, namespace=robot.namespace)
    # the player begins when it knows the last subscriptions, which come once all have its topics
    kept = robot.torques.values()
    robot.spin_until(lambda: set(sent).intersection(*kept), "an answer of all to the first pose")
    for kind, topic in ((JointTrajectory, "reference"), (JointState, "joint_states")):
        robot.node.create_subscription(kind, topic, lambda message: None, 10)
    robot.spin_until(
        lambda: sent_in(robot.processes.log("joint_state_player")) == count and len(sent) >= count,
        "the motion",
    )
    robot.spin_until(lambda: all(max(sent) in one for one in kept), "an answer to the last state")
    played = sorted(sent)[-count:]
    assert [stamp for stamp in played if any(stamp not in one for one in kept)] == []
    for one in kept:  # of the lead-in, states or references may not have been heard here
        for stamp in one.keys() - played:
            del one[stamp]
    for stamp in played:
        message = sent[stamp]
        order = [message.name.index(name) for name in robot.names]
        measured = np.array(message.position)[order], np.array(message.velocity)[order]
        robot.states[stamp] = *measured, accelerations_at(stamp, references, robot.names)
    assert robot.check_all() == 19 * count


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
        robot.start(name, "acceleration_source:=reference", f"stale_after:={STALE}")
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

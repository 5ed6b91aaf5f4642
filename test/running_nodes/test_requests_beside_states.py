"""500 joint states a second beside a hail of bad changes, or of queries: all are processed, and rightly."""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import closing
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pinocchio
import pytest
from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState

from helpers.changed_robots import remove_subtree
from helpers.nodes.request_hail import KINDS
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS, ROOT
from helpers.random_examples.examples import rounds
from modular_dynamics_ros.lifecycle.entities import ANSWER_DEPTH
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

PERIOD = 0.002  # [s] of joint states
#: Enough for each answer where other tests have the processor: what is counted here is that none is lost.
STALE = 30.0  # [s]
PATIENCE = 30.0  # [s] for the last answers
MOST_AHEAD = ANSWER_DEPTH - 20  # states that are not processed yet: no queue on the way holds fewer
ROUNDS = rounds(2, daily=1)
#: [N, N m] What the robot exerts on its black box, at and in the frame of the link that carries it.
WRENCH, FRAME, BOX = np.array([3.0, -4.0, 5.0, 0.6, -0.7, 0.8]), "upper_stem", "right_branch"
EVERY = 50  # joint states between two wrenches
PARTITION = f"""version: 1
subsystems:
  - {{name: stem, joints: [turn, bend]}}
  - {{name: left_branch, joints: [left]}}
  - {{name: {BOX}, root_link: {BOX}, black_box: true}}
"""


class Subject(NamedTuple):
    """A robot, and how far torques may be from Pinocchio's [N m]: both add up in different orders."""

    robot: str
    tolerance: float
    boxed: bool


SUBJECTS = {"changes": Subject("four_link", 1e-12, True), "queries": Subject("charmie", 1e-10, False)}


class Oracle:
    """Pinocchio's torques of a robot; a black box exerts the opposite of WRENCH on the link of 'bend'."""

    def __init__(self, subject):
        root = ElementTree.fromstring((ROBOTS / f"{subject.robot}.urdf").read_text())
        for tag in root.findall("modular_dynamics"):
            root.remove(tag)
        if subject.boxed:
            remove_subtree(root, BOX)
        self.boxed = subject.boxed
        self.model = pinocchio.buildModelFromXML(ElementTree.tostring(root, "unicode"))
        self.data, self.names = self.model.createData(), list(self.model.names)[1:]

    def state_at(self, stamp):
        """Positions and velocities at a stamp [ns]; at any time a joint is faster than 0.7 rad/s."""
        phase = 2.0 * (stamp % 10**12) * 1e-9 + 0.5 * np.pi * np.arange(len(self.names))
        return 0.5 * np.sin(phase), np.cos(phase)

    def torques(self, stamp):
        q, v = self.state_at(stamp)
        forces = [pinocchio.Force.Zero() for _ in self.model.joints]
        if self.boxed:
            forces[self.model.getJointId("bend")] = pinocchio.Force(-WRENCH)
        # pinocchio has cosine and sine of a continuous joint, 'turn', in its configuration
        position = pinocchio.integrate(self.model, pinocchio.neutral(self.model), q)
        tau = pinocchio.rnea(self.model, self.data, position, v, np.zeros(len(v)), forces)
        return dict(zip(self.names, tau.tolist(), strict=True))


class Robot(SpunNodes):
    """Publishes joint states in a thread of its own, and keeps the answers.

    It waits for a node that has less of the machine than it needs, before a queue overflows.
    """

    def __init__(self, oracle):
        self.node, self.oracle, self.sent, self.answers = Node("robot"), oracle, [], {}
        super().__init__(self.node)
        self.ended, self.newest = threading.Event(), 0  # stamp of the last answer [ns]: they never go back
        self.states = self.node.create_publisher(JointState, "joint_states", 1000)
        self.wrenches = self.node.create_publisher(WrenchStamped, f"dynamics_node/black_box/{BOX}/wrench", 10)
        self.node.create_subscription(JointState, "dynamics_node/joint_torques", self.hear, 10_000)
        self.thread = threading.Thread(target=self.publish_all)

    def hear(self, message):
        self.newest = stamp_nanoseconds(message.header.stamp)
        self.answers[self.newest] = message

    def publish_all(self):
        writer, due = WrenchWriter(), time.monotonic()
        while not self.ended.is_set():
            stamp = time.time_ns()
            if self.oracle.boxed and len(self.sent) % EVERY == 0:
                self.wrenches.publish(writer.write(stamp_message(stamp), FRAME, WRENCH))
            q, v = self.oracle.state_at(stamp)
            message = JointState(name=self.oracle.names, position=q.tolist(), velocity=v.tolist())
            message.header.stamp = stamp_message(stamp)
            self.states.publish(message)
            self.sent.append(stamp)
            due = max(due + PERIOD, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))
            deadline = time.monotonic() + PATIENCE
            while self.newest and self.sent[-MOST_AHEAD:][0] > self.newest and time.monotonic() < deadline:
                time.sleep(PERIOD)


@pytest.fixture
def start():
    """Start `python -m MODULE ...`; what still runs at the end is ended."""
    path = os.pathsep.join([str(ROOT / "test"), os.environ.get("PYTHONPATH", "")])
    started = []

    def begin(*words):
        command, environment = [sys.executable, "-m", *map(str, words)], os.environ | {"PYTHONPATH": path}
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment))
        return started[-1]

    yield begin
    for one in started:
        one.kill()
        one.wait()


@pytest.mark.parametrize("kind", SUBJECTS)
def test_all_states_are_processed_and_all_requests_as_they_should_be(start, tmp_path, kind):
    subject, partition = SUBJECTS[kind], tmp_path / "partition.yaml"
    partition.write_text(PARTITION)
    parameters = [f"robot_description_file:={ROBOTS / subject.robot}.urdf", f"stale_after:={STALE}"]
    parameters += ["autostart:=true", *([f"partition_file:={partition}"] if subject.boxed else [])]
    words = [word for parameter in parameters for word in ("-p", parameter)]
    node = start("modular_dynamics_ros", "dynamics_node", "--ros-args", *words)
    oracle = Oracle(subject)
    with closing(Robot(oracle)) as robot:
        robot.thread.start()
        try:
            robot.spin_until(lambda: len(robot.answers) > 100, "the first answers")
            first = robot.newest
            more = [tmp_path] if kind == "changes" else oracle.names
            hail = start("helpers.nodes.request_hail", ROUNDS, kind, *more)
            robot.spin_until(lambda: hail.poll() is not None, "the end of the hail")
        finally:
            robot.ended.set()
            robot.thread.join()
        outcomes = json.loads(hail.communicate()[0] or "{}")
        assert hail.returncode == 0
        sent, deadline = [stamp for stamp in robot.sent if stamp > first], time.monotonic() + PATIENCE
        robot.spin_until(lambda: {*sent} <= robot.answers.keys() or time.monotonic() > deadline)
    assert [k for k, stamp in enumerate(sent) if stamp not in robot.answers] == []
    assert {name.split()[0] for name in outcomes} == {*KINDS[kind][1]}
    for stamp, message in robot.answers.items():
        effort = dict(zip(message.name, message.effort, strict=True))
        assert effort == pytest.approx(oracle.torques(stamp), rel=0.0, abs=subject.tolerance)
    node.terminate()
    assert node.wait(60) == 0

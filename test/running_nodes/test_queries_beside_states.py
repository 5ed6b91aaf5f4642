"""500 joint states a second beside a hail of requests of every service, good and bad: all are answered."""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import closing

import numpy as np
import pytest
from rclpy.node import Node
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.answer_brake import AnswerBrake
from helpers.nodes.asking import SERVICES
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS, ROOT
from helpers.random_examples.examples import rounds
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

PERIOD = 0.002  # [s] of joint states
STATES = rounds(3000, daily=1000)
PATIENCE = 30.0  # [s] for answers that are late
CHARMIE = str(ROBOTS / "charmie.urdf")


class Robot(SpunNodes):
    """Publishes joint states in a thread of its own, and notes which are answered."""

    def __init__(self):
        self.node, self.sent, self.answered, self.brake = Node("robot"), [], set(), AnswerBrake()
        super().__init__(self.node)
        self.names = list(md.load_urdf(CHARMIE).independent_joint_names)
        self.publisher = self.node.create_publisher(JointState, "joint_states", 1000)
        self.node.create_subscription(JointState, "dynamics_node/joint_torques", self._hear, 1000)

    def _hear(self, message):
        self.answered.add(stamp_nanoseconds(message.header.stamp))
        self.brake.hear(message)

    def publish(self, k=0):
        q = (0.1 * np.sin(0.01 * k + np.arange(len(self.names)))).tolist()
        message = JointState(name=self.names, position=q, velocity=q)
        stamp = time.time_ns()
        message.header.stamp = stamp_message(stamp)
        self.sent.append(stamp)
        self.publisher.publish(message)

    def publish_all(self):
        """In a thread beside the one that hears the answers."""
        due = time.monotonic()
        for k in range(STATES):
            self.publish(k)
            due = max(due + PERIOD, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))
            self.brake.hold(self.sent)


@pytest.fixture
def dynamics_node():
    words = ["-m", "modular_dynamics_ros", "dynamics_node", "--ros-args", "-p", "autostart:=true"]
    words += ["-p", f"robot_description_file:={CHARMIE}", "-p", "stale_after:=30.0"]
    process = subprocess.Popen([sys.executable, *words])
    yield
    process.terminate()
    assert process.wait(60) == 0


def test_all_states_and_all_requests_are_answered(dynamics_node):
    path = os.pathsep.join([str(ROOT / "test"), os.environ.get("PYTHONPATH", "")])
    with closing(Robot()) as robot:

        def answered():
            robot.publish()
            return robot.answered

        robot.spin_until(answered, "the first answer")  # requests without a state are of the last answer's
        words = [sys.executable, "-m", "helpers.nodes.query_hail", *robot.names]
        pipe, environment = subprocess.PIPE, os.environ | {"PYTHONPATH": path}
        hail = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, env=environment)
        while (line := hail.stdout.readline()) != "connected\n":
            assert line, "the hail has ended"
        robot.sent.clear()
        publishing = threading.Thread(target=robot.publish_all)
        publishing.start()
        robot.spin_until(lambda: not publishing.is_alive())
        outcomes = json.loads(hail.communicate()[0])
        assert hail.returncode == 0
        deadline = time.monotonic() + PATIENCE
        robot.spin_until(lambda: robot.answered >= {*robot.sent} or time.monotonic() > deadline)
        missing = [k for k, stamp in enumerate(robot.sent) if stamp not in robot.answered]
        seconds = (robot.sent[-1] - robot.sent[0]) * 1e-9
        print(f"{sum(outcomes.values())} requests beside {STATES} joint states in {seconds:.1f} s")
        assert missing == []
        assert {name.split()[0] for name in outcomes} == set(SERVICES)

"""ramp_to_zero where the robot is replaced: controllers keep the old one's torques until the next answer."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.status import ERROR
from modular_dynamics_ros.node.session_node import SharedEntities
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

OTHERS = [f"new_{name}" for name in NAMES]
MASS = re.compile(r'mass value="([^"]+)"')


class Robots:
    """Robots of a node without DDS: four_link, then one with other joints and masses, without stamps."""

    def __init__(self, four_link, **parameters):
        table = {"stale_after": 0.1, "on_stale": "ramp_to_zero", "ramp_time": 1.0, "crosscheck_rate": 0.0}
        self.parameters = DynamicsParameters(**(table | parameters))
        self.node, self.old = lone_node(), Path(four_link).read_text()
        self.new = MASS.sub(lambda m: f'mass value="{2 * float(m[1])}"', self.old)
        for name, other in zip(NAMES, OTHERS, strict=True):
            self.new = self.new.replace(f'"{name}"', f'"{other}"')
        self.entities = SharedEntities(self.node, lambda: self.parameters.stale_after)
        self.session = self.session_of(self.old)
        self.session.activate(None)

    def session_of(self, text):
        return DynamicsSession(self.entities, DynamicsSession.load(text, self.parameters), self.parameters)

    def replace(self, text):
        """As `RobotNode` does it."""
        before, self.session = self.session, self.session_of(text)
        self.session.activate(None)
        before.finish()
        self.session.continue_from(before)
        before.destroy()

    def answer_at(self, seconds, names=NAMES):
        self.node.time = round(1e9 * seconds)
        message = JointState(name=names, position=Q.tolist(), velocity=V.tolist())
        before = len(self.torques)
        self.session.receive(message, message_info(self.node.time))
        return self.torques[before:]

    def published_at(self, seconds):
        """What the robot in force publishes when it looks for stale input."""
        self.node.time = round(1e9 * seconds)
        before = len(self.torques)
        self.session.on_watch()
        return self.torques[before:]

    @property
    def torques(self):
        return self.node.sent["~/joint_torques"]

    @property
    def commands(self):
        return self.node.sent["~/effort_commands"]


def test_the_torques_of_a_replaced_robot_fall_to_zero_until_the_new_one_is_processed(four_link):
    robots = Robots(four_link)
    robots.answer_at(1.0)
    robots.replace(robots.new)
    assert robots.published_at(1.1) == []  # they are not old yet
    for seconds, factor in ((1.11, 0.99), (1.6, 0.5), (2.1, 0.0)):
        (message,) = robots.published_at(seconds)
        assert message.name == NAMES
        assert message.effort == pytest.approx(factor * expected(four_link), abs=1e-12)
        assert robots.commands[-1].data == pytest.approx(message.effort, abs=0)
        assert message.header.stamp.nanosec == round(1e9 * seconds) % 10**9
    assert robots.published_at(3.0) == []
    status = robots.session.statuses()[0]
    assert (status.level, "none was processed for 2.00 s" in status.message) == (ERROR, True)
    (answer,) = robots.answer_at(4.0, OTHERS)
    loads = md.inverse_dynamics(md.load_urdf(robots.new), Q, V, np.zeros(4))
    assert answer.effort.tolist() == loads.tolist()
    robots.published_at(4.11)
    (message,) = robots.published_at(4.6)
    assert message.name == OTHERS
    assert message.effort == pytest.approx(0.5 * loads, abs=1e-12)


def test_a_ramp_that_has_begun_goes_on_when_the_robot_is_replaced(four_link):
    robots = Robots(four_link)
    robots.answer_at(1.0)
    robots.published_at(1.11)
    robots.published_at(1.36)
    robots.replace(robots.new)
    for seconds, factor in ((1.37, 0.73), (1.86, 0.24)):
        (message,) = robots.published_at(seconds)
        assert message.effort == pytest.approx(factor * expected(four_link), abs=1e-12)


def test_the_new_robot_winds_the_torques_of_the_old_one_down(four_link):
    robots = Robots(four_link, ramp_time=0.1)
    robots.answer_at(1.0)
    robots.replace(robots.new)
    before = len(robots.torques)
    robots.session.wind_down(lambda: False)
    efforts = np.array([message.effort for message in robots.torques[before:]])
    assert (np.diff(efforts[:, 0] / expected(four_link)[0]) < 0.0).all()
    assert efforts[-1].tolist() == [0.0] * 4


def test_a_ramp_after_a_hold_begins_with_the_torques_that_held(four_link):
    robots = Robots(four_link, on_stale="hold_gravity")
    robots.answer_at(1.0)
    (held,) = robots.published_at(1.2)
    assert held.effort != pytest.approx(expected(four_link), abs=1e-3)
    session = robots.session
    session.set_parameters(replace(robots.parameters, on_stale="ramp_to_zero"))
    robots.published_at(1.3)
    (ramped,) = robots.published_at(1.78)
    assert ramped.effort == pytest.approx(0.5 * np.array(held.effort), abs=1e-12)


def test_after_deactivating_nothing_is_left_to_ramp(four_link):
    robots = Robots(four_link)
    robots.answer_at(1.0)
    robots.session.deactivate()
    robots.entities.begin()
    robots.session.activate(None)
    robots.replace(robots.new)
    assert robots.published_at(2.0) == []

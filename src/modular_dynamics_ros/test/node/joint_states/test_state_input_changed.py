"""Joint states of two publishers around a change of the robot: one of them is late."""

import pytest
from sensor_msgs.msg import JointState

from helpers.nodes.dynamics_harness import NAMES, Q, V
from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.computation.changes.edits import Applied
from modular_dynamics_ros.dynamics.prepared_robot import prepared_robot
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

pytestmark = pytest.mark.ros
S = 1_000_000_000  # [ns]
POSITION = dict(zip(NAMES, Q.tolist(), strict=True))
VELOCITY = dict(zip(NAMES, V.tolist(), strict=True))


class Stage:
    """A robot, and the same with a load; times in s."""

    def __init__(self, description):
        table = DynamicsParameters()
        self.node = lone_node()
        prepared = DynamicsSession.load(description, table)
        loaded = prepared.described.with_payload("left_branch", mass=1.0)
        self.before = DynamicsSession(self.node, prepared, table)
        self.torques = {self.before: self.node.sent["~/joint_torques"]}
        changed = prepared_robot(prepared.described, Applied(loaded, ()), table)
        self.after = DynamicsSession(self.node, changed, table)
        self.torques[self.after] = self.node.sent["~/joint_torques"]
        self.before.activate(None)

    def change(self):
        self.after.activate(None)
        self.after.continue_from(self.before)
        self.before.retire()

    def send(self, session, stamp, names, moved=0.0):
        """Positions are `moved` further."""
        self.node.time = round((stamp + 0.05) * S)
        message = JointState(name=names)
        message.position = [POSITION[name] + moved for name in names]
        message.velocity = [VELOCITY[name] for name in names]
        message.header.stamp = stamp_message(round(stamp * S))
        session.receive(message, message_info(self.node.time))

    def moved(self, session):
        """How far the joints of its last answer have moved, by name."""
        last = self.torques[session][-1]
        return {name: at - POSITION[name] for name, at in zip(last.name, last.position, strict=True)}


def test_what_comes_late_for_the_robot_as_it_was_is_known_of_the_changed_one_too(four_link):
    stage, (a, b, c, d) = Stage(four_link), NAMES
    stage.send(stage.before, 1.00, [a, b])
    stage.send(stage.before, 1.00, [c, d])
    stage.change()
    stage.send(stage.before, 1.01, [a, b], 0.1)
    assert stage.moved(stage.before) == pytest.approx({a: 0.1, b: 0.1, c: 0.0, d: 0.0})
    stage.send(stage.after, 1.02, [c, d], 0.2)
    assert stage.moved(stage.after) == pytest.approx({a: 0.1, b: 0.1, c: 0.2, d: 0.2})


def test_a_late_value_does_not_replace_a_newer_one_of_the_changed_robot(four_link):
    stage, (a, b, c, d) = Stage(four_link), NAMES
    stage.send(stage.before, 1.00, NAMES)
    stage.change()
    stage.send(stage.after, 1.02, [a, b], 0.2)
    stage.send(stage.before, 1.01, [a, b], 0.1)
    stage.send(stage.after, 1.03, [c, d], 0.3)
    assert stage.moved(stage.after) == pytest.approx({a: 0.2, b: 0.2, c: 0.3, d: 0.3})

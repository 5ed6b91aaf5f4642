"""A succession of robots in a node without DDS, and the joint states that it gets."""

import time
from unittest.mock import MagicMock

from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.messages.stamps import description_frame, stamp_message
from modular_dynamics_ros.node.joint_states import succession, waiting_states
from modular_dynamics_ros.node.joint_states.robot_version import Vacancy
from modular_dynamics_ros.node.joint_states.succession import Succession

S = 1_000_000_000  # [ns]


class Robot:
    """A session that keeps the stamps [ns] of what it gets, and the causes of what is rejected."""

    def __init__(self, *joints):
        self.joints, self.got, self.causes, self.calls = set(joints), [], [], []
        for name in ("activate", "deactivate", "retire", "destroy"):
            setattr(self, name, lambda *of, name=name: self.calls.append(name))

    def continue_from(self, other):
        self.causes, self.calls = other.causes, [*self.calls, "continue"]

    def answer(self, data, info, since):
        return False

    def fits(self, names):
        return self.joints <= set(names)

    def knows(self, names):
        return self.joints >= set(names)

    def receive(self, message, info):
        self.got.append(message.header.stamp.sec)

    def reject(self, error):
        self.causes.append(error.cause)


class Stage:
    """A succession in a node without DDS, in a steady time [s] that the test sets."""

    def __init__(self, monkeypatch):
        self.node, self.time = lone_node(), 0.0
        self.node.time = 9 * S
        for module in (succession, waiting_states):
            monkeypatch.setattr(module, "time", MagicMock(monotonic=lambda: self.time))
        self.succession = Succession(self.node, lambda: 0.2)
        self.succession.activate(None)

    def add(self, stamp, *joints):
        robot = Robot(*joints)
        self.succession.add(robot, "robot", stamp)
        return robot

    def refuse(self, stamp):
        self.succession.add_vacant("robot", stamp, Vacancy("it has no inertia", usual=False))

    def send(self, stamp, *names, description=None, frame="", sent=None):
        message = JointState(name=names)
        message.header.stamp, message.header.frame_id = stamp_message(stamp * S), frame
        if description is not None:
            message.header.frame_id = description_frame("robot", description * S)
        self.node.create_subscription.call_args.args[2](
            serialize_message(message),
            message_info(time.time_ns()) | ({"source_timestamp": sent * S} if sent else {}),
        )

    def wait(self, time):
        self.time += time
        self.node.create_timer.call_args.args[1]()

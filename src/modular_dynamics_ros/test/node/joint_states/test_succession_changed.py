"""A robot that is changed while it runs: which joint states belong to it as it was, and as it is."""

import time
from unittest.mock import MagicMock

import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.messages.stamps import description_frame, stamp_message
from modular_dynamics_ros.node.joint_states.succession import Succession

pytestmark = pytest.mark.ros
S = 1_000_000_000  # [ns]


class Session:
    """Keeps the stamps [s] of what it gets."""

    def __init__(self, *joints):
        self.joints, self.got, self.errors = {*joints}, [], []
        self.robot = MagicMock()
        for name in ("activate", "deactivate", "retire", "destroy", "continue_from"):
            setattr(self, name, lambda *of: None)

    def answer(self, data, info, since):
        return False

    def fits(self, names):
        return self.joints <= {*names}

    def knows(self, names):
        return self.joints >= {*names}

    def receive(self, message, info):
        self.got.append(message.header.stamp.sec)

    def reject(self, error):
        self.errors.append(error)

    @property
    def causes(self):
        return [error.cause for error in self.errors]


class Stage:
    """A robot from a description with a stamp [ns] or None, changed at 5 s; it is 9 s."""

    def __init__(self, described, *joints):
        self.node = lone_node()
        self.node.time = 9 * S
        self.succession = Succession(self.node, lambda: 0.2)
        self.succession.activate(None)
        self.old, self.new = Session("a", "b"), Session(*joints)
        self.succession.add(self.old, "robot", described)
        self.succession.add_changed(self.new, 5 * S)

    def send(self, stamp, *names, description=None):
        message = JointState(name=names or ("a", "b"))
        message.header.stamp = stamp_message(round(stamp * S))
        if description is not None:
            message.header.frame_id = description_frame("robot", description * S)
        self.node.create_subscription.call_args.args[2](
            serialize_message(message), message_info(time.time_ns())
        )


@pytest.mark.parametrize("described", [None, 1 * S])
def test_the_stamp_tells_how_the_robot_was(described):
    stage = Stage(described, "a")
    for stamp in (4, 5, 4, 6):
        stage.send(stamp)
    assert (stage.old.got, stage.new.got) == ([4, 4], [5, 6])


def test_a_state_that_names_the_description_belongs_to_the_robot_as_it_was_at_its_stamp():
    stage = Stage(1 * S, "a")
    for stamp in (4, 6, 5):
        stage.send(stamp, description=1)
    assert (stage.old.got, stage.new.got) == ([4], [6, 5])
    stage.send(7, description=3)  # waits for a description that is to come
    assert (stage.new.got, stage.new.causes) == ([6, 5], [])
    other = Session("a")
    stage.succession.add(other, "robot", 3 * S)
    assert other.got == [7]
    stage.send(6, description=1)
    assert stage.new.got == [6, 5, 6]


def test_of_a_robot_that_was_changed_long_ago_nothing_is_answered_for_the_time_before(monkeypatch):
    stage = Stage(1 * S, "a")
    later = time.monotonic() + 10.0
    monkeypatch.setattr(time, "monotonic", lambda: later)
    stage.succession.tidy()
    stage.send(4, description=1)
    stage.send(4)
    assert stage.new.causes == ["older than the robot"] * 2
    assert str(stage.new.errors[1]) == "its stamp is 1.000 s older than the robot's last change"
    stage.send(6, description=1)
    assert (stage.old.got, stage.new.got) == ([], [6])


def test_joints_that_were_detached_are_not_waited_for_where_no_description_can_come():
    """Publishers of parts of a robot go on to name them."""
    stage = Stage(None, "a")
    stage.send(6, "b")
    assert stage.new.got == [6]
    of_assembly = Stage(1 * S, "a")
    of_assembly.send(6, "b")  # the next description may have it
    assert of_assembly.new.got == []


@pytest.mark.parametrize("now", [1, 4, 4.75])
@pytest.mark.parametrize("described", [None, 1 * S])
def test_a_simulation_that_starts_again_is_answered_by_the_robot_in_force(described, now):
    """The change was at 5 s."""
    stage = Stage(described, "a")
    stage.node.time = round(now * S)
    stage.send(now)
    stage.node.time = round(4.9 * S)  # the change says nothing any more, also once the clock is there again
    stage.send(4)
    assert (stage.old.got, stage.new.got, stage.new.causes) == ([], [int(now), 4], [])


def test_where_the_clock_was_set_back_a_state_that_names_the_description_has_the_robot_in_force():
    stage = Stage(1 * S, "a")
    stage.node.time = 3 * S
    stage.send(2, description=1)
    assert (stage.old.got, stage.new.got) == ([], [2])


def test_a_clock_that_differs_a_little_is_not_set_back():
    stage = Stage(None, "a")
    stage.node.time = round(4.85 * S)
    for stamp in (4, 5):
        stage.send(stamp)
    assert (stage.old.got, stage.new.got) == ([4], [5])


def test_a_change_after_the_clock_was_set_back_leaves_what_was_on_its_way_to_the_robot_before():
    stage = Stage(None, "a")
    stage.node.time = round(4.5 * S)
    later = Session("a")
    stage.succession.add_changed(later, round(4.5 * S))
    for stamp in (4.4, 4.6):
        stage.send(stamp)
    assert (stage.old.got, stage.new.got, later.got) == ([], [4], [4])

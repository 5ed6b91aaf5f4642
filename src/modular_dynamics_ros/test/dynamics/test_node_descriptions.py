"""dynamics_node: robots from a file and from the topic, good and bad."""

import re
import threading
import time

import numpy as np
import pytest
from rclpy.parameter import Parameter
from std_msgs.msg import String

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from modular_dynamics.urdf import stamped
from modular_dynamics_ros.lifecycle.node import FAILURE, SUCCESS
from modular_dynamics_ros.messages.stamps import description_frame
from modular_dynamics_ros.messages.status import OK

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


@pytest.mark.parametrize(("content", "words"), [("<robot name='x'>", "line 1"), (None, "nowhere.urdf")])
def test_a_bad_file_fails_configuring_and_the_node_lives_on(make, tmp_path, four_link, capfd, content, words):
    path = tmp_path / "nowhere.urdf"
    if content is not None:
        path.write_text(content)
    harness = make(robot_description_file=str(path))
    assert harness.node.trigger_configure() == FAILURE
    log = capfd.readouterr().err
    assert "robot_description_file refused" in log
    assert words in log
    (result,) = harness.node.set_parameters([Parameter("robot_description_file", value=four_link)])
    assert result.successful
    harness.activate()
    harness.answer()


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("/etc/passwd", "must carry the URDF's XML, which starts with '<', not '/etc/passwd'"),
        ("", "must carry the URDF's XML"),
        ("<robot name='still'><link name='a'/></robot>", "'still' has no moving joint"),
    ],
)
def test_what_is_no_robot_displaces_none(make, root, four_link, capfd, description, words):
    harness = make(robot_description_file="").start()
    good = (root / "urdf/four_link.urdf").read_text()
    harness.descriptions.publish(String(data=good))
    harness.spin_until(lambda: harness.node.session is not None)
    session = harness.node.session
    harness.descriptions.publish(String(data=description or " "))
    harness.said(words, capfd)
    assert harness.node.session is session


def test_a_topic_is_not_expanded_even_with_xacro_arguments(make, capfd):
    """Expanding reads files; arguments are for the file of robot_description_file."""
    harness = make(robot_description_file="", xacro_arguments=["x:=1"]).start()
    description = "<robot name='r'><xacro:include filename='/etc/passwd'/></robot>"
    harness.descriptions.publish(String(data=description))
    log = harness.said("<xacro:include> is xacro, not URDF", capfd)
    assert "Give the path of the file, or the text that the xacro program makes of it" in log
    assert "mappings" not in log
    assert harness.node.session is None


def test_a_robot_from_the_topic_replaced_refused_replaced(make, root, four_link, capfd):
    harness = make(robot_description_file="").start()
    assert "waiting for a robot" in harness.status("input").message
    harness.descriptions.publish(String(data=(root / "urdf/four_link.urdf").read_text()))
    harness.spin_until(lambda: harness.node.session is not None)
    harness.connect()
    assert harness.answer().effort.tolist() == expected(four_link).tolist()
    capfd.readouterr()
    harness.descriptions.publish(String(data="<robot name='broken'>"))
    log = harness.said("robot_description: refused", capfd)
    assert "'four_link' stays" in log
    status = harness.status("input", lambda status: status.level != OK)
    assert "robot_description: refused" in status.message
    assert harness.answer().effort.tolist() == expected(four_link).tolist()
    harness.descriptions.publish(String(data=(root / "urdf/branched_38dof.urdf").read_text()))
    harness.spin_until(lambda: harness.node.session.robot.graph.name == "branched_38dof")
    graph = harness.node.session.robot.graph
    harness.spin_until(lambda: harness.states.get_subscription_count() == 1)
    harness.spin_until(lambda: harness.graphs and harness.graphs[-1].robot == "branched_38dof")
    q, v = np.full((2, 38), [[0.1], [0.2]])
    answer = harness.answer_when_connected(names=graph.joint_names, q=q, v=v)
    assert answer.effort.tolist() == md.inverse_dynamics(graph, q, v, np.zeros(38)).tolist()


def test_a_robot_that_is_refused_for_its_black_boxes_leaves_no_publisher_behind(make, root, capfd):
    whole = (root / "urdf/four_link.urdf").read_text()
    own = '<subsystem name="right_branch" root_link="right_branch"'
    boxed = whole.replace(own, f'{own} black_box="true"')
    harness = make(robot_description_file="", black_box_loads=["right_branch:=1 0 0 0"]).start()
    harness.descriptions.publish(String(data=boxed))
    harness.spin_until(lambda: harness.node.session is not None)
    before = [publisher.topic_name for publisher in harness.node.publishers]
    harness.descriptions.publish(String(data=whole.replace("left_branch", "other_branch")))
    harness.said(
        "robot_description: does not fit the parameters: black_box_loads names 'right_branch'", capfd
    )
    assert [publisher.topic_name for publisher in harness.node.publishers] == before
    harness.node.trigger_deactivate()
    harness.node.trigger_cleanup()
    assert not [one.topic_name for one in harness.node.publishers if "connections" in one.topic_name]


class Bodies:
    """Two robots with the same joints, one after the other: four_link, and the same with doubled masses."""

    def __init__(self, make, root, **parameters):
        light = (root / "urdf/four_link.urdf").read_text()
        doubled = re.compile(r'mass value="([^"]+)"').sub(lambda m: f'mass value="{2 * float(m[1])}"', light)
        self.begin = time.time_ns()
        self.harness = make(robot_description_file="", **parameters).start()
        self.texts = light, doubled
        self.torques = [md.inverse_dynamics(md.load_urdf(text), Q, V, np.zeros(4)) for text in self.texts]
        self.describe(0, 0)
        self.harness.spin_until(lambda: self.harness.node.session is not None)
        assert self.harness.answer_when_connected().effort.tolist() == self.torques[0].tolist()

    def stamp(self, time):
        return self.begin + round(1e9 * time)

    def describe(self, body, time):
        self.harness.descriptions.publish(String(data=stamped(self.texts[body], self.stamp(time))))

    def send(self, time, described=None):
        frame = "" if described is None else description_frame("four_link", self.stamp(described))
        return self.harness.send(stamp=self.stamp(time), frame=frame)

    def answers(self, *stamps):
        """Which body processed each state."""
        self.harness.spin_until(lambda: all(map(self.harness.torque_of, stamps)))
        efforts = [self.harness.torque_of(stamp).effort.tolist() for stamp in stamps]
        return [[torques.tolist() for torques in self.torques].index(effort) for effort in efforts]


@pytest.fixture
def bodies(make, root):
    return Bodies(make, root)


def test_a_description_counts_from_the_next_joint_state_on_and_another_ones_states_are_refused(bodies):
    early = bodies.send(2.0, described=0.5)  # its description comes later
    own = bodies.send(1.0, described=0.0)
    assert bodies.answers(own) == [0]
    bodies.describe(1, 0.5)
    bodies.harness.spin_until(lambda: bodies.harness.node._described.stamp == bodies.stamp(0.5))
    late = bodies.send(3.0, described=0.0)
    states = bodies.send(3.1), bodies.send(4.0, described=0.5)
    assert bodies.answers(*states) == [1, 1]
    assert [bodies.harness.torque_of(stamp) for stamp in (early, late)] == [None, None]
    assert bodies.harness.node.session.record.counts.rejected == {"another robot": 2}


def test_a_part_of_a_new_robot_is_not_completed_by_values_of_the_one_before(bodies):
    assert bodies.answers(bodies.send(1.0, described=0.0)) == [0]
    bodies.describe(1, 1.5)
    bodies.harness.spin_until(lambda: bodies.harness.node._described.stamp == bodies.stamp(1.5))
    frame, names = description_frame("four_link", bodies.stamp(1.5)), NAMES[:1]
    part = bodies.harness.send(names=names, q=Q[:1], v=V[:1], stamp=bodies.stamp(2.0), frame=frame)
    assert bodies.answers(bodies.send(3.0, described=1.5)) == [1]
    assert bodies.harness.torque_of(part) is None
    assert bodies.harness.node.session.record.counts.incomplete == 1


def test_states_of_a_refused_description_get_no_torques_of_the_robot_in_force(bodies, capfd):
    assert bodies.answers(bodies.send(0.4)) == [0]  # and so are those that were on their way
    broken = stamped(bodies.texts[1], bodies.stamp(0.5)).replace('type="revolute"', 'type="hinge"', 1)
    bodies.harness.descriptions.publish(String(data=broken))
    log = bodies.harness.said("robot_description: refused", capfd)
    assert "'four_link' stays" not in log  # the body has changed, whatever it is now
    unprocessed = bodies.send(2.0, described=0.5), bodies.send(3.0)
    rejected = bodies.harness.node._entities.record.counts.rejected
    bodies.harness.spin_until(lambda: rejected["robot refused"] == 2)
    bodies.describe(1, 4.0)
    bodies.harness.spin_until(lambda: bodies.harness.node.session is not None)
    assert bodies.answers(bodies.send(5.0, described=4.0)) == [1]
    assert [bodies.harness.torque_of(stamp) for stamp in unprocessed] == [None] * 2
    assert rejected == {"robot refused": 2}


def test_after_a_refused_description_nothing_is_held(make, root, capfd):
    """The body has changed: its old one's weight would be the wrong one."""
    bodies = Bodies(make, root, on_stale="hold_gravity")
    broken = stamped(bodies.texts[1], time.time_ns()).replace('type="revolute"', 'type="hinge"', 1)
    (result,) = bodies.harness.node.set_parameters([Parameter("stale_after", value=0.1)])
    assert result.successful
    count = len(bodies.harness.torques)
    bodies.harness.spin_until(lambda: len(bodies.harness.torques) > count + 2)  # the old one is held
    bodies.harness.descriptions.publish(String(data=broken))
    bodies.harness.spin_until(lambda: "cannot be used" in bodies.harness.node.why_no_robot)
    status = bodies.harness.status(
        "input", lambda status: "until the next robot_description" in status.message
    )
    assert (status.level, "hinge" in status.message) == (b"\x02", True)
    count = len(bodies.harness.torques)
    bodies.harness.status("input")
    assert len(bodies.harness.torques) == count


def test_a_robot_without_joints_silences_the_node_and_is_no_fault(bodies, capfd):
    base = "<robot name='four_link'><link name='a'/><modular_dynamics version='1' stamp='{}'/></robot>"
    seconds, rest = divmod(bodies.stamp(1.0), 10**9)
    bodies.harness.descriptions.publish(String(data=base.format(f"{seconds}.{rest:09d}")))
    bodies.harness.spin_until(lambda: "cannot be used" in bodies.harness.node.why_no_robot)
    unprocessed = bodies.send(2.0)
    status = bodies.harness.status("input", lambda status: "no moving joint" in status.message)
    assert status.level == b"\x00"
    assert "ERROR" not in capfd.readouterr().err
    bodies.describe(1, 3.0)
    assert bodies.answers(bodies.send(4.0, described=3.0)) == [1]
    assert bodies.harness.torque_of(unprocessed) is None


def test_a_description_far_ahead_of_the_clock_is_refused(bodies, capfd):
    bodies.describe(1, 3600.0)
    log = bodies.harness.said("is ahead of this node's clock", capfd)
    assert "'four_link' stays" in log
    assert bodies.answers(bodies.send(3.0)) == [0]


class SlowLoading:
    """Lets the next robot be prepared only after `go_on`."""

    def __init__(self, node, monkeypatch):
        self.begun, self._go_on, session = threading.Event(), threading.Event(), type(node.session)
        load = session.load
        self.go_on = self._go_on.set

        def slowly(*of):
            self.begun.set()
            assert self._go_on.wait(60.0)
            return load(*of)

        monkeypatch.setattr(session, "load", staticmethod(slowly))


def test_states_of_a_description_with_a_stamp_wait_until_it_is_prepared(bodies, monkeypatch):
    loading = SlowLoading(bodies.harness.node, monkeypatch)
    bodies.describe(1, 3.0)
    bodies.harness.spin_until(loading.begun.is_set)
    new = bodies.send(3.1, described=3.0), bodies.send(3.2)
    old = bodies.send(2.5, described=0.0)
    assert bodies.answers(old) == [0]
    assert [bodies.harness.torque_of(stamp) for stamp in new] == [None, None]
    loading.go_on()
    assert bodies.answers(*new) == [1, 1]
    assert {*bodies.harness.node.session.record.counts.rejected} <= {"older than the last result"}


def test_more_states_than_the_middleware_keeps_do_not_wait(bodies, monkeypatch):
    loading = SlowLoading(bodies.harness.node, monkeypatch)
    bodies.describe(1, 3.0)
    bodies.harness.spin_until(loading.begun.is_set)
    rejected, waiting = bodies.harness.node.session.record.counts.rejected, bodies.harness.node._waiting
    sent = []
    for number in range(1, 211):
        sent.append(bodies.send(3.0 + 1e-3 * number, described=3.0))
        bodies.harness.spin_until(lambda: len(waiting) + rejected["robot not prepared"] >= len(sent))
    loading.go_on()
    assert {*bodies.answers(*sent[10:])} == {1}
    assert rejected["robot not prepared"] >= 10


def test_nothing_is_held_of_a_robot_whose_successor_is_being_prepared(make, root, monkeypatch):
    bodies = Bodies(make, root, on_stale="hold_gravity")
    (result,) = bodies.harness.node.set_parameters([Parameter("stale_after", value=0.1)])
    assert result.successful
    loading = SlowLoading(bodies.harness.node, monkeypatch)
    bodies.harness.descriptions.publish(String(data=stamped(bodies.texts[1], time.time_ns())))
    bodies.harness.spin_until(loading.begun.is_set)
    before = bodies.harness.node.session
    bodies.harness.send()
    bodies.harness.spin_until(lambda: before.superseded)
    count = len(bodies.harness.torques)
    status = bodies.harness.status("input", lambda status: "stale" in status.message)
    assert status.level != OK
    assert len(bodies.harness.torques) == count
    loading.go_on()
    bodies.harness.spin_until(lambda: bodies.harness.node.session is not before)


def test_a_node_that_is_cleaned_up_while_a_robot_is_prepared_blames_nothing(bodies, monkeypatch, capfd):
    loading = SlowLoading(bodies.harness.node, monkeypatch)
    monkeypatch.setattr("modular_dynamics_ros.node.worker.PATIENCE", 0.1)
    bodies.describe(1, 1.0)
    bodies.harness.spin_until(loading.begun.is_set)
    assert bodies.harness.node.trigger_deactivate() == SUCCESS
    assert bodies.harness.node.trigger_cleanup() == SUCCESS
    loading.go_on()
    assert "ERROR" not in capfd.readouterr().err


def test_a_description_without_a_stamp_does_not_end_the_comparison_of_stamps(bodies, capfd):
    bodies.harness.descriptions.publish(String(data=bodies.texts[1]))
    bodies.harness.spin_until(lambda: bodies.harness.node._described.stamp is None)
    bodies.describe(0, -60.0)
    bodies.harness.said("is older than", capfd)
    assert bodies.answers(bodies.send(3.0)) == [1]

"""Joint states: which are answered, in which order, from which messages."""

import time
from contextlib import closing, contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from helpers.nodes.lone_node import message_info
from helpers.nodes.process_probe import NODE, ProcessProbe
from helpers.nodes.sessions.lone_session import LoneSession, S
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS
from modular_dynamics_ros.computation.accelerations.acceleration_source import filter_lag
from modular_dynamics_ros.computation.robot import robot_of
from modular_dynamics_ros.exceptions import BadMessage, RobotError
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.status import ERROR, OK
from modular_dynamics_ros.node.joint_states import JointSteps

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def input_status(robot, now):
    """The status of joint states, after a look for stale input."""
    robot.watch(now)
    return robot.statuses()[0]


@contextmanager
def unanswerable(robot):
    """Joint states are read, and then not answered."""
    refusal = BadMessage("made up", "not this one")
    with patch.object(robot.computation, "compute", side_effect=refusal):
        yield


@pytest.fixture
def robot(four_link):
    return LoneSession(four_link)


def test_a_state_older_than_stale_after_by_its_stamp_is_counted_and_not_answered(robot):
    for age in (0.0, 0.19, 0.21, 0.9, 3.0):
        robot.send(100.0, 100.0 - age, q=Q + age)
    assert robot.stamps == [100.0]  # that of 0.19 s is older than the answer before
    assert robot.record.counts.rejected == {"too old": 3, "older than the last answer": 1}
    robot.send(100.4, 100.21)
    assert robot.stamps == [100.0, 100.21]
    assert "synchronise" in robot.node.log.texts("joint_states")[0]


def test_a_state_ahead_of_the_clock_is_not_answered_and_does_not_stop_those_that_follow(robot):
    robot.send(100.0, 103.0)
    robot.send(100.1, 100.15)  # clocks of two computers differ by less than stale_after
    robot.send(100.2)
    assert robot.stamps == [100.15, 100.2]
    assert robot.record.counts.rejected == {"ahead of the clock": 1}


def test_stamps_of_answers_never_go_back(robot):
    for now, stamp in ((1.0, 1.0), (1.01, 0.99), (1.02, 1.01), (1.03, 1.005), (1.04, 1.01), (1.05, 1.05)):
        robot.send(now, stamp)
    assert robot.stamps == [1.0, 1.01, 1.01, 1.05]
    assert robot.record.counts.rejected == {"older than the last answer": 2}
    assert robot.node.log.current() == []  # usual with several publishers


def test_a_publisher_ahead_of_the_clock_that_silences_others_is_reported(robot):
    robot.send(1.0, 1.15)
    robot.send(1.01)
    assert robot.record.counts.rejected == {"overtaken from ahead": 1}
    assert "synchronise the clocks of all publishers" in robot.node.log.texts("joint_states")[0]


def test_a_simulation_that_starts_again_is_answered_at_once(robot):
    robot.node.simulated = True
    for now in (50.0, 50.1, 0.1, 0.2):
        robot.send(now)
    assert robot.stamps == [50.0, 50.1, 0.1, 0.2]


def test_use_sim_time_without_a_clock_is_named(robot):
    robot.node.simulated = True
    robot.send(0.0, 1e9)
    robot.send(0.0)  # without a stamp
    assert (robot.record.counts.rejected, robot.stamps) == ({"no clock": 2}, [])


def test_a_message_without_a_stamp_counts_from_when_it_was_sent(robot):
    robot.node.time = 10 * S
    message = JointState(name=NAMES, position=Q.tolist(), velocity=V.tolist())
    for sent in (9.0, 9.9, 10.5):
        robot.receive(message, message_info(round(sent * S)))
    assert robot.stamps == [9.9, 10.0]
    assert robot.record.counts.rejected == {"too old": 1}


def test_joints_of_several_publishers_are_merged_each_with_its_age(robot, four_link):
    def arm(now, q):
        robot.send(now, names=["bend", "turn"], q=[q[1], q[0]], v=[V[1], V[0]])

    def leg(now, q):
        robot.send(now, names=["right", "camera", "left"], q=[q[3], 9.0, q[2]], v=[V[3], 9.0, V[2]])

    arm(1.0, Q)
    leg(1.05, Q)
    arm(1.1, Q + 0.1)
    merged = [*(Q + 0.1)[:2], *Q[2:]]
    assert robot.stamps == [1.05, 1.1]
    assert robot.torques[0].effort.tolist() == expected(four_link).tolist()
    assert robot.torques[1].effort.tolist() == expected(four_link, q=merged).tolist()
    arm(1.3, Q)  # the leg's values are 0.25 s old
    assert (robot.stamps, robot.record.counts.incomplete) == ([1.05, 1.1], 2)
    assert input_status(robot, 1.31).level == ERROR
    text = "joint states are stale: none was answered for 0.21 s: no position of 'left', 'right'"
    assert text in input_status(robot, 1.31).message
    leg(1.31, Q)
    assert input_status(robot, 1.31).level == OK


def test_a_grippers_message_alone_is_no_problem(robot):
    for k in range(100):
        robot.send(1.0 + 0.01 * k)
        robot.send(1.005 + 0.01 * k, names=["finger", "thumb"], q=[0.1, 0.2], v=[0.0, 0.0])
    assert (
        robot.record.counts.answered,
        robot.record.counts.of_other_joints,
        robot.record.counts.received,
    ) == (100, 100, 200)
    assert input_status(robot, 2.0).level == OK


def test_an_answer_has_nothing_in_it_that_is_newer_than_its_stamp(robot):
    arm, leg = {"names": ["turn", "bend"]}, {"names": ["left", "right"], "q": Q[2:], "v": V[2:]}
    robot.send(1.0)
    with unanswerable(robot):
        robot.send(1.02, q=Q + 1.0)
    robot.send(1.022, 1.015, **leg)  # the arm's position at that time is not known any more
    assert robot.record.counts.rejected == {"made up": 1, "overtaken by other joints": 1}
    robot.send(1.03, **arm, q=Q[:2], v=V[:2])
    robot.send(1.031, **leg)
    assert robot.stamps == [1.0, 1.03, 1.031]


def test_passive_joints_that_came_before_the_state_are_compared_where_they_are_by_then():
    """A publisher of the passive joints, and one of the crank, which turns at 3 rad/s, 10 ms later."""
    robot, of_crank = (LoneSession(ROBOTS / "four_bar.urdf") for _ in range(2))
    names, crank = robot.robot.passive_names, robot.robot.state_names
    for k in range(100):
        now = 1.0 + 0.01 * k
        of_crank.send(now, names=crank, q=[0.7 + 3.0 * now], v=[3.0])
        at_crank = of_crank.record.last.dynamics.result
        robot.send(now, names=names, q=at_crank.coordinates[1:], v=at_crank.velocities[1:])
        later = now + 0.009
        robot.send(later, names=crank, q=[0.7 + 3.0 * later], v=[3.0])
        assert not robot.record.last.configuration.disagreements
    assert robot.record.counts.answered >= 100


@pytest.mark.parametrize("rate", [50, 25, 10, 3])
def test_joints_whose_velocities_come_too_rarely_for_the_filter_are_named(four_link, rate):
    """Two parts that swing at 0.5 Hz, one of them at 500 Hz, the other one at another rate."""
    robot = LoneSession(four_link, acceleration_source="filtered", stale_after=0.5)
    omega, lag, errors = np.pi, filter_lag(10.0), []
    for k in range(1500):
        now = 1.0 + 0.002 * k
        robot.send(now, names=NAMES[:2], q=Q[:2], v=np.full(2, np.sin(omega * now)))
        if k * rate % 500 == 0:
            robot.send(now, names=NAMES[2:], q=Q[2:], v=np.full(2, np.sin(omega * now)))
        if k >= 500 and (last := robot.record.last) is not None:
            assert last.state.stamp == round(now * S)
            errors.append(np.abs(last.state.a - omega * np.cos(omega * (now - lag))).max())
    if rate > 20:
        assert len(errors) == 1000
        assert max(errors) < 0.1 * omega  # of steps 40 ms long; at 10 Hz it would be 1.4 omega
        return
    assert not robot.stamps
    slow = "come at 10 Hz: filter_cutoff 10 Hz needs more than 20 Hz"
    text = slow if rate == 10 else "must come twice within 0.25 s"
    assert f"values of 'left', 'right' {text}" in robot.node.log.current()[-1]


def test_absent_joints_have_the_given_position_while_no_message_holds_them(four_link):
    robot = LoneSession(four_link, absent_joints=("left:=0.25", "right:=-1e-1"))
    arm = {"names": ["turn", "bend"], "q": Q[:2], "v": V[:2]}
    robot.send(1.0, **arm)
    given = {"q": [*Q[:2], 0.25, -0.1], "v": [*V[:2], 0.0, 0.0]}
    assert robot.torques[-1].effort.tolist() == expected(four_link, **given).tolist()
    robot.send(1.01, names=["left"], q=[Q[2]], v=[V[2]])
    given["q"][2], given["v"][2] = Q[2], V[2]
    assert robot.torques[-1].effort.tolist() == expected(four_link, **given).tolist()


@pytest.mark.parametrize(
    "wrong", ["left", "left:=", "left:=x", "left:=１", "left:=nan", "left:=1e99", "wing:=1", ":=1"]
)
def test_a_given_position_that_cannot_be_used_is_refused_by_name(four_link, wrong):
    with pytest.raises(RobotError, match=r"absent_joints (has|names) '"):
        LoneSession(four_link, absent_joints=(wrong,))


@pytest.mark.parametrize("bad", [np.inf, 1e10])
def test_a_bad_velocity_of_one_publisher_does_not_silence_the_others(robot, bad):
    leg = {"names": ["left", "right"], "q": Q[2:]}
    robot.send(1.0)
    robot.send(1.01, **leg, v=[bad, 0.0])
    for k in range(10):
        robot.send(1.02 + 0.01 * k, names=NAMES[:2], q=Q[:2], v=V[:2])
    assert robot.record.counts.answered == 11


@pytest.mark.parametrize("back", [99.9, 50.0])
def test_where_the_clock_is_set_back_values_from_before_do_not_count(robot, back):
    """One joint's publisher ends at 100.0, where the new time may come by again."""
    robot.send(100.0)
    for k in range(1, 20):
        robot.send(100.0 + 0.01 * k, names=NAMES[1:], q=Q[1:], v=V[1:])
    robot.send(100.5, names=NAMES[1:], q=Q[1:], v=V[1:])
    answered = len(robot.torques)
    for k in range(30):
        robot.send(back + 0.01 * k, names=NAMES[1:], q=Q[1:], v=V[1:])
    assert len(robot.torques) == answered
    robot.send(back + 0.31)
    assert robot.stamps[-1] == pytest.approx(back + 0.31)
    assert not robot.record.counts.rejected


BUSY = "not answered: it came in time, but this node was busy for longer than 0.2 s (stale_after)"


def test_a_busy_node_is_named_once(robot):
    for k in range(5):
        robot.send(100.81, 100.0 + 0.01 * k, 100.001 + 0.01 * k)
    assert robot.node.log.texts("joint_states") == [BUSY]
    assert robot.record.counts.rejected == {"too old": 5}
    assert robot.node.log._logger.warning.call_count == 1
    assert robot.torques == []


@pytest.mark.parametrize(
    ("stamp", "arrival", "simulated", "words"),
    [
        (99.0, 99.9, False, "behind this node's clock: synchronise"),
        (99.0, 0.0, False, "behind this node's clock: synchronise"),  # the middleware does not say
        (99.0, 99.0, True, "behind this node's clock: synchronise"),  # another clock
        (101.0, 101.0, False, "ahead of this node's clock: synchronise"),
    ],
)
def test_otherwise_the_clocks_are_named(robot, stamp, arrival, simulated, words):
    robot.node.simulated = simulated
    robot.send(100.0, stamp, arrival)
    assert words in robot.node.log.texts("joint_states")[0]


MS = 1_000_000  # [ns]
INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
LINK = f'<link name="{{}}"><inertial><mass value="1"/>{INERTIA}</inertial></link>'
JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><axis xyz="0 0 1"/>{4}</joint>'
LIMIT = '<limit lower="-3" upper="3" effort="1" velocity="{}"/>'
TWO = ("/joint_state_broadcaster", "/joint_state_publisher")


def steps_of(*joints, publishers=TWO):
    """Joints by type and velocity limit, None without limits."""
    parts = [LINK.format("l0")]
    for k, (kind, velocity) in enumerate(joints):
        limit = "" if velocity is None else LIMIT.format(velocity)
        parts += [LINK.format(f"l{k + 1}"), JOINT.format(f"j{k}", kind, f"l{k}", f"l{k + 1}", limit)]
    graph = md.load_urdf(f"<robot name='arm'>\n{''.join(parts)}</robot>")
    return JointSteps(robot_of(graph), lambda: publishers)


def fed(steps, messages):
    """What is said of messages of all joints: (time [ms], positions)."""
    found = [steps.take(np.arange(len(q)), np.array(q, float), round(at * MS)) for at, q in messages]
    return [one for one in found if one.text]


ARM = (("revolute", 2.0), ("prismatic", 0.5))


def test_zeros_beside_a_broadcaster_are_counted_and_both_are_named():
    messages = [
        (10 * k + 4 * other, (0.6 * (1 - other), 0.2 * (1 - other))) for k in range(10) for other in (0, 1)
    ]
    found = fed(steps_of(*ARM), messages)
    assert len(found) == 19  # all but the first
    assert all(one.joints == ["j0", "j1"] for one in found)
    assert found[0].text == (
        "'j0' steps from 0.600 to 0.000 rad within 10.0 ms; at 2.000 rad/s it can move 0.0200 rad: "
        "'/joint_state_broadcaster', '/joint_state_publisher' publish joint states; if both know this joint, "
        "torques go to and fro"
    )


def test_a_step_of_the_only_publisher_is_said_with_figures():
    steps = steps_of(*ARM, publishers=TWO[:1])
    found = fed(steps, [(20 * k, (0.1 + (k >= 5), 0.2)) for k in range(10)])
    assert [one.joints for one in found] == [["j0"]]
    assert found[0].text == (
        "'j0' steps from 0.100 to 1.100 rad within 20.0 ms; at 2.000 rad/s it can move 0.0400 rad: look at "
        "its encoder and its driver, and whether the velocity limit is right"
    )


@pytest.mark.parametrize("joint", [("revolute", 0), ("continuous", None), ("revolute", 1e16)])
def test_a_joint_without_a_limit_steps_only_where_there_are_several_publishers(joint):
    messages = [(10 * k, (1.2 * (k % 2),)) for k in range(9)]
    assert len(fed(steps_of(joint), messages)) == 7  # all but the first time to and fro
    assert not fed(steps_of(joint, publishers=TWO[:1]), messages)


def test_publishers_of_different_joints_make_no_step_and_each_joint_has_its_own():
    steps, found = steps_of(*ARM), []
    for k in range(10):
        for joint in (0, 1):
            q = np.array([0.2 + (0.5 if joint and k >= 5 else 0.0)])
            found.append(steps.take(np.array([joint]), q, (10 * k + joint) * MS))
    assert [one.joints for one in found if one.text] == [["j1"]]


QUIET = {
    "the first message": [(0, (2.5, 0.4))],
    "motion at twice the limit": [(10 * k, (-2 + 0.04 * k, 0.2)) for k in range(100)],
    "noise of encoders": [
        (k, (0.5 + 2e-3 * np.sin(37 * k), 0.2 + 1e-3 * np.cos(53 * k))) for k in range(300)
    ],
    "equal stamps": [(10 * (k // 4), (0.005 * k, 0.2)) for k in range(100)],
    "a pause": [(10 * k + 900 * (k > 5), (2.0 * (k > 5), 0.2)) for k in range(10)],
    "messages that were lost": [(10 * k, (0.015 * k, 0.2)) for k in range(0, 100, 7)],
    "a late message": [(0, (0, 0)), (10, (0.02, 0)), (5, (0.01, 0)), (15, (0.03, 0))],
    "a relay": [(10 * k + 6 * late, (np.sin(0.02 * k), 0.1)) for k in range(200) for late in (0, 1)],
}


@pytest.mark.parametrize("publishers", [TWO[:1], TWO])
@pytest.mark.parametrize("name", QUIET)
def test_nothing_is_said_of(name, publishers):
    assert not fed(steps_of(*ARM, publishers=publishers), QUIET[name])


def test_nothing_is_said_of_a_joint_that_goes_around():
    """0.2 rad in 10 ms, from pi to -pi; a revolute joint cannot do that."""
    angles = [np.angle(np.exp(0.2j * k)) for k in range(100)]
    for kind, said in (("continuous", 0), ("revolute", 3)):
        steps = steps_of((kind, 30.0), publishers=TWO[:1])
        assert len(fed(steps, [(10 * k, (angle,)) for k, angle in enumerate(angles)])) == said


@pytest.mark.parametrize("limit", [100.0, None])
def test_nothing_is_said_of_a_fast_wheel_beside_another_publisher(limit):
    """60 rad/s: more than is usual, but it does not go to and fro."""
    angles = [np.angle(np.exp(1.2j * k)) for k in range(100)]
    assert not fed(steps_of(("continuous", limit)), [(20 * k, (angle,)) for k, angle in enumerate(angles)])


def test_nothing_is_said_after_the_clock_was_set_back():
    steps = steps_of(*ARM, publishers=TWO[:1])
    steps.note_time(50 * MS)
    assert not fed(steps, [(50, (2.0, 0.4))])
    steps.note_time(0)
    assert not fed(steps, [(0, (0.0, 0.0))])


class Publisher:
    def __init__(self, name, names, q):
        self.node, self.names, self.q = Node(name), list(names), np.array(q, float).tolist()
        self.states = self.node.create_publisher(JointState, "joint_states", 10)

    def send(self):
        zeros = [0.0] * len(self.names)
        message = JointState(name=self.names, position=self.q, velocity=zeros)
        message.header.stamp = stamp_message(time.time_ns())
        self.states.publish(message)


class Probe(ProcessProbe):
    def __init__(self, folder, robot, *publishers):
        super().__init__(folder)
        self.publishers, self.values, self.messages = publishers, {}, []
        self.node.destroy_publisher(self.states)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.diagnosed, 10)
        self.nodes = SpunNodes(*(one.node for one in publishers))
        self.processes.start(NODE, "autostart:=true", "stale_after:=30.0", f"robot_description_file:={robot}")

    def diagnosed(self, message):
        for status in message.status:
            if status.name.endswith(": input"):
                self.values = {one.key: one.value for one in status.values}
                self.messages.append(status.message)

    def until(self, reached):
        def sent():
            for one in self.publishers:
                one.send()
            return reached()

        self.spin_until(sent)

    def close(self):
        self.nodes.close()
        super().close()


def test_publishers_that_contradict_each_other_are_named_and_counted(tmp_path, four_link):
    broadcaster = Publisher("joint_state_broadcaster", NAMES, Q)
    with closing(
        Probe(tmp_path, four_link, broadcaster, Publisher("joint_state_publisher", NAMES, 0 * Q))
    ) as probe:
        probe.until(lambda: int(probe.values.get("steps of left beyond its velocity limit", 0)) > 20)
        words = "'/joint_state_broadcaster', '/joint_state_publisher' publish joint states"
        probe.until(lambda: words in probe.messages[-1])  # the middleware may know publishers before nodes
        log = probe.processes.log(NODE)
        assert 1 <= log.count(words) <= len(NAMES)  # once for each joint that is the worst
        assert log.count("publishing torques including gravity (output: full)") == 1

"""Joint states: which are processed, in which order, from which messages; and random schedules of them."""

import time
from collections import namedtuple
from contextlib import contextmanager
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import JointState

from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from helpers.nodes.lone_node import lone_node, message_info
from helpers.nodes.sessions.lone_session import LoneSession, S
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from modular_dynamics_ros.exceptions import BadMessage, RobotError
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.status import ERROR, OK
from modular_dynamics_ros.node.joint_states import JointStates

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def input_status(robot, now):
    """The status of joint states, after a look for stale input."""
    robot.watch(now)
    return robot.statuses()[0]


@contextmanager
def unanswerable(robot):
    """Joint states are read, and then not processed."""
    refusal = BadMessage("made up", "not this one")
    with patch.object(robot.computation, "compute", side_effect=refusal):
        yield


@pytest.fixture
def robot(four_link):
    return LoneSession(four_link)


def test_a_state_older_than_stale_after_by_its_stamp_is_counted_and_not_processed(robot):
    for age in (0.0, 0.19, 0.21, 0.9, 3.0):
        robot.send(100.0, 100.0 - age, q=Q + age)
    assert robot.stamps == [100.0]  # that of 0.19 s is older than the answer before
    assert robot.record.counts.rejected == {"too old": 3, "older than the last result": 1}
    robot.send(100.4, 100.21)
    assert robot.stamps == [100.0, 100.21]
    assert "synchronise" in robot.node.log.texts("joint_states")[0]


def test_a_state_ahead_of_the_clock_is_not_processed_and_does_not_stop_those_that_follow(robot):
    robot.send(100.0, 103.0)
    robot.send(100.1, 100.15)  # clocks of two computers differ by less than stale_after
    robot.send(100.2)
    assert robot.stamps == [100.15, 100.2]
    assert robot.record.counts.rejected == {"ahead of the clock": 1}


def test_stamps_of_answers_never_go_back(robot):
    for now, stamp in ((1.0, 1.0), (1.01, 0.99), (1.02, 1.01), (1.03, 1.005), (1.04, 1.01), (1.05, 1.05)):
        robot.send(now, stamp)
    assert robot.stamps == [1.0, 1.01, 1.01, 1.05]
    assert robot.record.counts.rejected == {"older than the last result": 2}
    assert robot.node.log.current() == []  # usual with several publishers


def test_a_publisher_ahead_of_the_clock_that_silences_others_is_reported(robot):
    robot.send(1.0, 1.15)
    robot.send(1.01)
    assert robot.record.counts.rejected == {"overtaken from ahead": 1}
    assert "synchronise the clocks of all publishers" in robot.node.log.texts("joint_states")[0]


def test_a_simulation_that_starts_again_is_processed_at_once(robot):
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
    text = "joint states are stale: none was processed for 0.21 s: no position of 'left', 'right'"
    assert text in input_status(robot, 1.31).message
    leg(1.31, Q)
    assert input_status(robot, 1.31).level == OK


def test_a_changed_robot_goes_on_with_the_values_of_the_one_before(robot, four_link):
    changed = LoneSession(four_link)
    robot.send(1.0, names=NAMES[:2], q=Q[:2], v=V[:2])
    changed.keep_joint_states(robot)
    changed.send(1.01, names=NAMES[2:], q=Q[2:], v=V[2:])
    assert changed.stamps == [1.01]
    assert changed.torques[0].effort.tolist() == expected(four_link).tolist()
    changed.send(1.3, names=NAMES[2:], q=Q[2:], v=V[2:])  # the others are too old by now
    assert changed.record.missing == ("turn", "bend")


def test_a_grippers_message_alone_is_no_problem(robot):
    for k in range(100):
        robot.send(1.0 + 0.01 * k)
        robot.send(1.005 + 0.01 * k, names=["finger", "thumb"], q=[0.1, 0.2], v=[0.0, 0.0])
    assert (
        robot.record.counts.processed,
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
    assert robot.record.counts.processed >= 100


def test_the_filter_takes_only_values_of_the_states_stamp(four_link):
    robot = LoneSession(four_link, acceleration_source="filtered", stale_after=0.5)
    arm, leg = ({"names": NAMES[k : k + 2], "q": Q[k : k + 2], "v": V[k : k + 2]} for k in (0, 2))
    for k in range(20):
        now = 1.0 + 0.002 * k
        robot.send(now, **leg)
        robot.send(now, **arm)
    assert robot.record.counts.rejected == {"filter starts": 5, "unfit for the filter": 19}
    assert len(robot.stamps) == 15
    assert "values of its stamp of all joints, also of 'turn', 'bend'" in robot.node.log.current()[-1]


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
    assert robot.record.counts.processed == 11


@pytest.mark.parametrize("back", [99.9, 50.0])
def test_where_the_clock_is_set_back_values_from_before_do_not_count(robot, back):
    """One joint's publisher ends at 100.0, where the new time may come by again."""
    robot.send(100.0)
    for k in range(1, 20):
        robot.send(100.0 + 0.01 * k, names=NAMES[1:], q=Q[1:], v=V[1:])
    robot.send(100.5, names=NAMES[1:], q=Q[1:], v=V[1:])
    processed = len(robot.torques)
    for k in range(30):
        robot.send(back + 0.01 * k, names=NAMES[1:], q=Q[1:], v=V[1:])
    assert len(robot.torques) == processed
    robot.send(back + 0.31)
    assert robot.stamps[-1] == pytest.approx(back + 0.31)
    assert not robot.record.counts.rejected


BUSY = "not processed: it came in time, but this node was busy for longer than 0.2 s (stale_after)"


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


NEEDED, OPTIONAL = ("a", "b", "c"), ("p",)
MS, VALID = 1_000_000, 200_000_000  # [ns]
KINDS = ("good",) * 6 + ("fails", "NaN", "twice")

Sent = namedtuple("Sent", "names stamp stamped kind value")
Value = namedtuple("Value", "stamp order value")


class Node:
    """What stands between the topic and the dynamics, whose answer fails where a message is to fail."""

    def __init__(self, simulated):
        self.node, self.answers, self.fatal = lone_node(), [], set()
        self.node.simulated = simulated
        robot = SimpleNamespace(state_names=NEEDED, passive_names=OPTIONAL)
        computation = SimpleNamespace(
            robot=robot,
            settings=SimpleNamespace(stale_after=VALID * 1e-9, closure_tolerance=1.0),
            needs_velocity=False,
            note_position=lambda *of: None,
            accelerations=SimpleNamespace(note_time=lambda now: None, filters=False),
            observe=lambda stamp, q, v, without, optional, effort: SimpleNamespace(
                stamp=stamp, q=q, optional=optional, coverage=SimpleNamespace(doubtful=False)
            ),
        )
        self.record = self.node.record
        self.states = JointStates(self.node, computation, self.answer, self.record, {})

    def answer(self, state, arrival):
        if self.fatal & {*state.q, *state.optional}:
            raise BadMessage("not finite", "the torques are not finite")
        self.answers.append(state)
        configuration = SimpleNamespace(continues_last=True, disagreements={})
        self.record.processed(
            SimpleNamespace(state=state, configuration=configuration), arrival, self.node.time
        )

    def take(self, now, messages):
        """Messages that wait at a time."""
        self.node.time, self.answers = now, []
        arrival = time.time_ns()
        for one in messages:
            names = list(one.names) * (2 if one.kind == "twice" else 1)
            value = np.nan if one.kind == "NaN" else one.value
            message = JointState(name=names, position=[value] * len(names), velocity=[0.0] * len(names))
            if one.stamped:
                message.header.stamp = stamp_message(one.stamp)
            if one.kind == "fails":
                self.fatal.add(one.value)
            info = {"received_timestamp": arrival, "source_timestamp": one.stamp}
            self.states.receive(message, info)


class Model:
    """All values that were ever sent, by joint."""

    def __init__(self):
        self.values, self.count, self.last = {name: [] for name in (*NEEDED, *OPTIONAL)}, 0, None

    def take(self, one, stamp, now):
        """Add a message; return whether its values count."""
        self.count += 1
        for values in self.values.values():
            if any(value.stamp > now + VALID for value in values):  # from before the clock was set back
                values.clear()
        ours = [name for name in one.names if name in self.values]
        needed = any(name in NEEDED for name in ours)
        if not ours or one.kind == "twice" or (one.kind == "NaN" and needed) or abs(now - stamp) > VALID:
            return False
        for name in ours:
            if one.kind != "NaN":
                self.values[name].append(Value(stamp, self.count, one.value))
        return True

    def at(self, stamp, now):
        """The newest value of each joint, not newer than a stamp; NaN where there is no fresh one."""
        known = [[one for one in values if one.stamp <= stamp] for values in self.values.values()]
        newest = [max(values, default=Value(now - VALID - 1, 0, np.nan)) for values in known]
        return [np.nan if one.stamp < now - VALID else one.value for one in newest]

    def missing(self, now):
        """Joints without a fresh value."""
        values = self.at(now + VALID, now)
        return tuple(name for name, value in zip(NEEDED, values, strict=False) if np.isnan(value))


publishers = st.lists(
    st.tuples(
        st.sets(st.sampled_from([*NEEDED, *OPTIONAL, "lid"]), min_size=1),
        st.sampled_from((0, 0, 7, -25, 150, 230)),  # its clock ahead [ms]
        st.sampled_from((True, True, True, False)),  # whether it stamps
    ),
    min_size=2,
    max_size=4,
)
message = st.tuples(
    st.integers(0, 3), st.sampled_from((0, 1, 9, 40, 120, 250)), st.sampled_from(KINDS)
)  # publisher, delay [ms]
wakes = st.lists(
    st.tuples(
        st.sampled_from((1, 5, 20, 60, 150, 260, -90, -3000, 2000)),  # step of the clock [ms]
        st.lists(message, min_size=1, max_size=8),
    ),
    min_size=4,
    max_size=14,
)


@examples(400)
@given(publishers, wakes, st.booleans())
def test_every_answer_holds_the_values_that_belong_to_its_stamp(sources, schedule, simulated):
    node, model, now, value = Node(simulated), Model(), 10_000 * MS, 0.0
    for step, several in schedule:
        now = max(now + step * MS, MS)
        sent = []
        for number, delay, kind in several:
            names, ahead, stamped = sources[number % len(sources)]
            value += 1.0
            stamp = max(now + (ahead - delay) * MS, 1)
            sent.append(Sent(tuple(sorted(names)), stamp, stamped, kind, value))
        node.take(now, sent)
        check(node, model, now, sent)
    counts = node.record.counts
    others = counts.processed + counts.incomplete + counts.of_other_joints
    assert counts.received == model.count == others + sum(counts.rejected.values())


def check(node, model, now, sent):
    """All that was processed is right, and what could be processed was."""
    stamps = [
        one.stamp if one.stamped else now if node.node.simulated else min(one.stamp, now) for one in sent
    ]
    answers = list(node.answers)
    for one, stamp in zip(sent, stamps, strict=True):
        good = model.take(one, stamp, now)
        if not good:
            continue
        overtaken = model.last is not None and stamp < model.last <= now + VALID
        expected = model.at(stamp, now)
        complete = not np.isnan(expected[: len(NEEDED)]).any()
        newest = all(value.stamp <= stamp for values in model.values.values() for value in values)
        fails = bool(node.fatal & set(expected))
        if (
            answers
            and answers[0].stamp == stamp
            and [*answers[0].q, *answers[0].optional] == pytest.approx(expected, nan_ok=True)
        ):
            answers.pop(0)
            assert complete
            assert not overtaken
            assert not fails
            model.last = stamp
        else:
            assert overtaken or fails or not complete or not newest
    assert not answers
    if good:
        assert node.record.missing == model.missing(now)

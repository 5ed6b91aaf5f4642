"""Usual joint states are answered as the long way answers them, whatever comes between them."""

import time
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState

from helpers.nodes.lone_node import lone_node, message_info, receive
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters

pytestmark = pytest.mark.ros
NAMES = ["turn", "bend", "left", "right"]
MS = 1_000_000
START = 1_700_000_000_000_000_000
SETTINGS = {
    "gravity": [(0.0, 0.0, -9.81), (0.0, 1.0, -1.62)],
    "output": ["full", "gravity", "full_minus_gravity"],
    "friction": ["none", "urdf"],
    "effort_limits": ["off", "clip"],
    "filter_cutoff": [10.0, 15.0],
    "acceleration_source": ["zero", "filtered", "reference"],
    "rate": [0.0, 100.0],
    "stale_after": [0.05, 0.2],
}


class Subject:
    """A session with a node of its own."""

    def __init__(self, description, *, usual, subscribed, **parameters):
        self.node = lone_node(subscribed)
        self.node.time = START
        self.table = DynamicsParameters(crosscheck_rate=0.0, **parameters)
        self.session = DynamicsSession(self.node, DynamicsSession.load(description, self.table), self.table)
        self.session.activate(None)
        self.answered, self.source = 0, self.table.acceleration_source
        answer = self.session._usual.answer
        if not usual:
            self.session._usual.answer = lambda message: None
            return

        def counted(message):
            found = answer(message)
            self.answered += found is not None
            return found

        self.session._usual.answer = counted

    def set(self, **change):
        self.table = replace(self.table, **change)
        self.session.set_parameters(self.table)

    @property
    def seen(self):
        """All that others can see of it."""
        counts = vars(self.session.record.counts) | {"latency": None}
        last = self.session.last_published
        described = self.session.computation.accelerations.description(None)
        state = None if last is None else (last.state.stamp, last.state.q.tolist(), last.state.a.tolist())
        return counts, self.session.positions, described, state, self.session.record.missing


@pytest.fixture(autouse=True)
def steady(monkeypatch):
    """The steady clock [ns]."""
    clock = [0]
    monkeypatch.setattr(time, "monotonic_ns", lambda: clock[0])
    return clock


def joint_state(rng, now, kind):
    """A joint state of a kind; its stamp is `now` [ns] but for its age."""
    names, stamp = list(NAMES), now
    if kind in ("turned round", "partly"):
        rng.shuffle(names)
    names = names[:3] if kind == "partly" else [*names, "stranger"] if kind == "stranger" else names
    q, v = rng.normal(size=(2, len(names)))
    message = JointState(name=names, position=q.tolist(), velocity=v.tolist())
    if kind == "broken":
        field, value = rng.choice(["position", "velocity"]), rng.choice([np.nan, np.inf])
        getattr(message, field)[int(rng.integers(len(names)))] = value
    elif kind == "huge":
        message.velocity[0] = 1e200
    elif kind == "at rest":
        message.velocity = []
    elif kind == "short":
        message.velocity = [0.0]
    elif kind == "efforts":
        message.effort = rng.normal(size=len(names)).tolist()
    elif kind == "another time":
        stamp += int(rng.choice([-400, -30, -2, 30, 400])) * MS
    if kind != "unstamped":
        message.header.stamp = stamp_message(stamp)
    return message


RARE = ["wrench", "setting", "watch", "pause", "names", "topic"]
ODD = "partly", "stranger", "broken", "huge", "at rest", "short", "efforts", "another time", "unstamped"


@pytest.mark.parametrize("source", ["zero", "filtered"])
@pytest.mark.parametrize("seed", range(4))
def test_both_ways_are_the_same_in_random_runs(four_link, steady, source, seed):
    rng = np.random.default_rng(seed)
    subscribed = set()
    both = [
        Subject(four_link, usual=usual, subscribed=subscribed, acceleration_source=source, stale_after=0.2)
        for usual in (True, False)
    ]
    now, names = START, "usual"
    for _ in range(1500):
        now += int(rng.normal(1.0, 0.1) * MS)
        steady[0] = now - START
        what = rng.choice(["state"] * 200 + ["odd"] * 4 + RARE)
        draws = rng.integers(1 << 30)
        for subject in both:
            again = np.random.default_rng(draws)  # the same for both
            subject.node.time = now
            with np.errstate(all="ignore"):
                _happen(subject, again, now, what, names)
        if what == "pause":
            now += 300 * MS
        elif what == "names":
            names = "turned round" if names == "usual" else "usual"
        elif what == "topic":
            subscribed ^= {str(rng.choice(["~/torque_terms", "~/external_torques", "~/joint_trajectory"]))}
        assert both[0].seen == both[1].seen
    for topic, sent in both[1].node.sent.items():
        assert _numbers(both[0].node.sent[topic]) == _numbers(sent), topic
    answered = len(both[0].node.sent["~/joint_torques"])
    assert answered > 700
    assert 50 < both[0].answered < 0.9 * answered


def _happen(subject, rng, now, what, names):
    if what in ("state", "odd"):
        message = joint_state(rng, now, names if what == "state" else rng.choice(ODD))
        # an order of the names is a publisher's: it does not change all the time
        message.name = (
            message.name if what == "odd" or names == "usual" else ["left", "right", "turn", "bend"]
        )
        subject.session.receive(message, message_info(now), superseded=what == "odd" and rng.random() < 0.3)
    elif what == "wrench":
        message = WrenchStamped()
        message.header.frame_id = "left_branch"
        message.wrench.force.x = float(rng.choice([0.0] * 19 + [1.0]))
        receive(subject.node, "~/external_wrench", message)
    elif what == "setting":
        name = rng.choice([*SETTINGS])
        choices = SETTINGS[name]
        subject.set(**{str(name): choices[int(rng.integers(len(choices)))]})
        if rng.random() < 0.5:
            subject.set(output="full", friction="none", effort_limits="off", rate=0.0)
            subject.set(acceleration_source=subject.source)
    elif what == "watch":
        subject.session._on_watch()


def _numbers(messages):
    """What was sent, without the time at which a held answer was sent."""
    return [str(message) for message in messages]


@pytest.mark.parametrize("kind", ODD)
def test_usual_joint_states_go_the_short_way_and_others_do_not(four_link, kind):
    subject, rng, ways = Subject(four_link, usual=True, subscribed=set()), np.random.default_rng(3), []
    for number, one in enumerate(["usual", "usual", kind, "usual", "usual"]):
        subject.node.time, before = START + number * MS, subject.answered
        with np.errstate(all="ignore"):
            subject.session.receive(joint_state(rng, subject.node.time, one), message_info(0), False)
        ways.append(subject.answered > before)
    assert ways[:3] == [False, True, kind == "efforts"]
    assert ways[4]  # at the latest


@pytest.mark.parametrize(
    "parameters",
    [
        MappingProxyType({"output": "gravity"}),
        MappingProxyType({"friction": "urdf"}),
        MappingProxyType({"effort_limits": "clip"}),
        MappingProxyType({"acceleration_source": "reference"}),
        MappingProxyType({"rate": 50.0}),
    ],
)
def test_with_other_settings_all_go_the_long_way(four_link, parameters):
    subject = Subject(four_link, usual=True, subscribed=set(), **parameters)
    rng = np.random.default_rng(4)
    for number in range(5):
        subject.node.time = START + number * MS
        subject.session.receive(joint_state(rng, subject.node.time, "usual"), message_info(0), False)
    assert subject.answered == 0
    assert subject.session.record.counts.received == 5


@pytest.mark.parametrize("change", ["retire", "set"])
def test_after_a_change_a_joint_state_goes_the_long_way_first(four_link, change):
    """A robot that is changed must be told of what still comes for the one before."""
    subject, rng, ways = Subject(four_link, usual=True, subscribed=set()), np.random.default_rng(7), []
    for number in range(4):
        subject.node.time, before = START + number * MS, subject.answered
        if number == 2:
            subject.session.retire() if change == "retire" else subject.set(output="gravity")
        subject.session.receive(joint_state(rng, subject.node.time, "usual"), message_info(0), False)
        ways.append(subject.answered > before)
    assert ways == [False, True, False, change == "retire"]


def test_a_usual_answer_that_grows_old_while_it_is_computed_is_not_published(four_link, monkeypatch):
    subject, rng = Subject(four_link, usual=True, subscribed=set()), np.random.default_rng(6)
    subject.session.receive(joint_state(rng, START, "usual"), message_info(0), False)
    solver = subject.session.computation.solver
    solve = solver.solve

    def interrupted(*arguments):
        subject.node.time += 300 * MS
        return solve(*arguments)

    monkeypatch.setattr(solver, "solve", interrupted)
    subject.node.time = START + MS
    subject.session.receive(joint_state(rng, START + MS, "usual"), message_info(0), False)
    assert subject.answered == 1
    assert len(subject.node.sent["~/joint_torques"]) == 1
    assert subject.session.record.counts.rejected == {"too old": 1}


@pytest.mark.parametrize("source", ["zero", "filtered"])
def test_rehearsals_change_nothing(four_link, steady, source):
    subjects = [
        Subject(four_link, usual=True, subscribed=set(), acceleration_source=source) for _ in range(2)
    ]
    draws, rehearsed = [np.random.default_rng(9) for _ in subjects], 0
    rehearse = subjects[0].session._usual.rehearse

    def counted(last):
        nonlocal rehearsed
        rehearsed += (found := rehearse(last))
        return found

    subjects[0].session._usual.rehearse = counted
    for number in range(200):
        kind = "usual" if number % 10 else ["partly", "broken", "at rest", "another time"][number // 10 % 4]
        for subject, rng in zip(subjects, draws, strict=True):
            subject.node.time, steady[0] = START + number * MS, number * MS
            subject.session.receive(joint_state(rng, subject.node.time, kind), message_info(0), False)
        for part in range(3):
            steady[0] += 250_000 * part
            subjects[0].session.rehearse()
        assert subjects[0].seen == subjects[1].seen
    assert rehearsed > 200
    assert subjects[0].answered == subjects[1].answered
    for topic, sent in subjects[1].node.sent.items():
        assert _numbers(subjects[0].node.sent[topic]) == _numbers(sent), topic


def test_rehearsals_follow_each_other_with_pauses_and_end_with_the_usual_joint_states(four_link, steady):
    subject, rng, count = Subject(four_link, usual=True, subscribed=set()), np.random.default_rng(10), []
    subject.session.rehearse()  # nothing was answered yet
    rehearse = subject.session._outputs.rehearse
    subject.session._outputs.rehearse = lambda last: (rehearse(last), count.append(steady[0]))
    for number in range(2):
        subject.node.time = START + number * MS
        subject.session.receive(joint_state(rng, subject.node.time, "usual"), message_info(0), False)
    for steady[0] in range(MS, 30 * MS, 10_000):
        subject.session.rehearse()
    assert count == list(range(MS, 30 * MS, 200_000))
    subject.set(output="gravity")
    for steady[0] in range(40 * MS, 50 * MS, 10_000):
        subject.session.rehearse()
    assert count[-1] < 30 * MS


def test_a_stamp_as_old_as_stale_after_leaves_the_same_traces(four_link):
    """0.3 s and 300 000 000 ns differ: both ways must ask the same question."""
    both = [
        Subject(four_link, usual=usual, subscribed=set(), acceleration_source="filtered", stale_after=0.3)
        for usual in (True, False)
    ]
    for subject in both:
        rng = np.random.default_rng(11)
        for number in range(20):
            subject.node.time = START + number * MS + (number >= 12) * 300 * MS
            message = joint_state(rng, subject.node.time, "usual")
            if number == 12:
                message.header.stamp = stamp_message(subject.node.time - 300 * MS)
            subject.session.receive(message, message_info(0), False)
    assert both[0].seen == both[1].seen
    assert both[0].answered > 5


def test_a_clock_that_is_at_zero_is_none(four_link):
    both = [Subject(four_link, usual=usual, subscribed=set()) for usual in (True, False)]
    for subject in both:
        rng, subject.node.simulated = np.random.default_rng(12), True
        for number, now in enumerate([50, 51, 52, 0, 0]):  # /clock was set back, messages are on their way
            subject.node.time = now * MS
            subject.session.receive(joint_state(rng, (50 + number) * MS, "usual"), message_info(0), False)
    assert both[0].seen == both[1].seen
    assert both[0].session.record.counts.rejected == {"no clock": 2}


def test_of_a_held_back_answer_no_joint_is_missing(four_link):
    both = [Subject(four_link, usual=usual, subscribed=set(), stale_after=0.005) for usual in (True, False)]
    for subject in both:
        rng = np.random.default_rng(13)
        for number, kind in ((0, "usual"), (8, "partly"), (9, "usual")):
            subject.node.time = START + number * MS
            if number == 9:
                assert subject.session.record.missing
                subject.session.crosschecks.admits = lambda answer: False
            subject.session.receive(joint_state(rng, subject.node.time, kind), message_info(0), False)
        assert subject.session.record.missing == ()


def test_a_clock_that_jumps_to_and_fro_ends_a_reference(four_link):
    for usual in (True, False):
        subject, rng = Subject(four_link, usual=usual, subscribed=set()), np.random.default_rng(14)
        for hours in (0, 1, 0):
            subject.node.time = START + hours * 3_600_000 * MS + hours
            if hours == 1:
                subject.session.computation.accelerations.reference.add(_still(), START)
            subject.session.receive(joint_state(rng, subject.node.time, "usual"), message_info(0), False)
        assert subject.session.computation.accelerations.reference.in_force(START) is None


def _still():
    """A reference of four joints that are at rest."""
    instants = np.array([START - MS, START + 10_000_000 * MS])
    return ReferenceTrajectory(START - MS, instants, np.zeros((6, 1, 4)), True, ())

"""Random schedules of several publishers: every answer against a plain list of all that was sent."""

import time
from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import JointState

from helpers.nodes.lone_node import lone_node
from helpers.random_examples.examples import examples
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.joint_states import JointStates

pytestmark = pytest.mark.ros
NAMES, OPTIONAL = ("a", "b", "c"), ("p",)
MS, VALID = 1_000_000, 200_000_000  # [ns]
KINDS = ("good",) * 6 + ("fails", "NaN", "twice")

Sent = namedtuple("Sent", "names stamp stamped kind value")
Value = namedtuple("Value", "stamp order value")


class Node:
    """What stands between the topic and the dynamics, whose answer fails where a message is to fail."""

    def __init__(self, simulated):
        self.node, self.answers, self.fatal = lone_node(), [], set()
        self.node.simulated = simulated
        robot = SimpleNamespace(state_names=NAMES, passive_names=OPTIONAL)
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
        self.record.answered(
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
        self.values, self.count, self.last = {name: [] for name in (*NAMES, *OPTIONAL)}, 0, None

    def take(self, one, stamp, now):
        """Add a message; return whether its values count."""
        self.count += 1
        for values in self.values.values():
            if any(value.stamp > now + VALID for value in values):  # from before the clock was set back
                values.clear()
        ours = [name for name in one.names if name in self.values]
        needed = any(name in NAMES for name in ours)
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
        return tuple(name for name, value in zip(NAMES, values, strict=False) if np.isnan(value))


publishers = st.lists(
    st.tuples(
        st.sets(st.sampled_from([*NAMES, *OPTIONAL, "lid"]), min_size=1),
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
    others = counts.answered + counts.incomplete + counts.of_other_joints
    assert counts.received == model.count == others + sum(counts.rejected.values())


def check(node, model, now, sent):
    """All that was answered is right, and what could be answered was."""
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
        complete = not np.isnan(expected[: len(NAMES)]).any()
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

"""Rehearsals of usual joint states change nothing."""

import numpy as np
import pytest

from helpers.nodes.lone_node import message_info
from helpers.nodes.sessions.fast_path_subject import MS, START, Subject, joint_state

pytestmark = pytest.mark.ros


@pytest.mark.parametrize("source", ["zero", "filtered"])
def test_rehearsals_change_nothing(four_link, steady, source):
    subjects = [
        Subject(four_link, usual=True, subscribed=set(), acceleration_source=source) for _ in range(2)
    ]
    draws, rehearsed = [np.random.default_rng(9) for _ in subjects], 0
    rehearse = subjects[0].session._fast_path.rehearse

    def counted():
        nonlocal rehearsed
        rehearsed += (found := rehearse()) is not None
        return found

    subjects[0].session._fast_path.rehearse = counted
    for number in range(200):
        kind = "usual" if number % 10 else ["partly", "broken", "at rest", "another time"][number // 10 % 4]
        for subject, rng in zip(subjects, draws, strict=True):
            subject.node.time, steady[0] = START + number * MS, number * MS
            subject.receive(joint_state(rng, subject.node.time, kind), message_info(0))
        for part in range(3):
            steady[0] += 250_000 * part
            subjects[0].session.rehearse()
        assert subjects[0].seen == subjects[1].seen
    assert rehearsed > 200
    assert subjects[0].answered == subjects[1].answered
    for topic, sent in subjects[1].node.sent.items():
        assert list(map(str, subjects[0].node.sent[topic])) == list(map(str, sent)), topic


def test_rehearsals_follow_each_other_with_pauses_and_end_with_the_usual_joint_states(four_link, steady):
    subject, rng, count = Subject(four_link, usual=True, subscribed=set()), np.random.default_rng(10), []
    subject.session.rehearse()  # nothing was answered yet
    rehearse = subject.session._outputs.rehearse
    subject.session._outputs.rehearse = lambda answer: (rehearse(answer), count.append(steady[0]))
    for number in range(2):
        subject.node.time = START + number * MS
        subject.receive(joint_state(rng, subject.node.time, "usual"), message_info(0))
    for steady[0] in range(MS, 30 * MS, 10_000):
        subject.session.rehearse()
    assert count == list(range(MS, 30 * MS, 200_000))
    subject.set(output="gravity")
    for steady[0] in range(40 * MS, 50 * MS, 10_000):
        subject.session.rehearse()
    assert count[-1] < 30 * MS


def test_a_filter_that_was_restarted_by_another_publisher_is_not_rehearsed(four_link, steady):
    """The stamp that ends a pause comes with one joint more: no usual joint state."""
    subject = Subject(four_link, usual=True, subscribed=set(), acceleration_source="filtered")
    rng = np.random.default_rng(15)
    for number in range(20):
        subject.node.time = START + number * MS
        subject.receive(joint_state(rng, subject.node.time, "usual"), message_info(0))
    assert subject.answered > 5
    rejected = subject.session.record.counts.rejected["filter starts"]
    subject.node.time, steady[0] = START + 320 * MS, MS
    subject.receive(joint_state(rng, subject.node.time, "stranger"), message_info(0))
    assert subject.session.record.counts.rejected["filter starts"] == rejected + 1
    subject.session.rehearse()
    assert subject.session._fast_path.rehearse() is None


@pytest.mark.parametrize("source", ["zero", "filtered"])
def test_rehearsals_go_on_with_another_publisher_and_in_long_pauses(four_link, steady, source):
    """Another one sends some of the joints; or the next joint state comes after stale_after."""
    subject, rng, count = (
        Subject(four_link, usual=True, subscribed=set(), acceleration_source=source),
        None,
        [],
    )
    rng, rehearse = np.random.default_rng(16), subject.session._outputs.rehearse
    subject.session._outputs.rehearse = lambda answer: (rehearse(answer), count.append(answer.state.stamp))
    for number in range(20):
        for part, kind in enumerate(["usual", "partly"]):
            subject.node.time = START + number * MS + part * MS // 2
            message = joint_state(rng, subject.node.time, kind)
            if kind == "partly":  # in the order of its publisher
                message.name = ["turn", "bend", "left"]
            subject.receive(message, message_info(0))
    for steady[0] in (MS, 2 * MS, 1000 * MS):
        subject.node.time = START + 20 * MS + steady[0]
        before = len(count)
        subject.session.rehearse()
        assert len(count) == before + 1
        assert count[-1] > START + 19 * MS + MS // 2

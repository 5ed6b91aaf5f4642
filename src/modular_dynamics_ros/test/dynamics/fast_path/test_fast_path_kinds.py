"""Joint states of several publishers, each of which sends its own kind."""

import numpy as np
import pytest

from helpers.nodes.lone_node import message_info
from helpers.nodes.sessions.fast_path_subject import MS, START, Subject, joint_state
from modular_dynamics_ros.dynamics.fast_path import fast_path
from modular_dynamics_ros.dynamics.fast_path.fast_path import MOST_KINDS

pytestmark = pytest.mark.ros


def publisher(number):
    """Joint states in an order, with a frame, with or without efforts, of this publisher."""

    def make(rng, now):
        message = joint_state(rng, now, "efforts" if number % 2 else "usual")
        shift = number % 4
        for field in ("name", "position", "velocity"):
            values = list(getattr(message, field))
            setattr(message, field, values[shift:] + values[:shift])
        message.header.frame_id = f"base_{number}"
        return message

    return make


def both_ways(four_link, publishers, rounds):
    """What the fast path answered, after both ways have answered the same."""
    subjects = [
        Subject(four_link, usual=usual, subscribed=set(), acceleration_source="filtered")
        for usual in (True, False)
    ]
    ways = []
    for subject in subjects:
        rng, ways = np.random.default_rng(5), []
        for number in range(rounds * len(publishers)):
            subject.node.time, before = START + number * MS, subject.answered
            message = publishers[number % len(publishers)](rng, subject.node.time)
            subject.receive(message, message_info(0))
            ways.append(subject.answered > before)
        if subject is subjects[0]:
            fast = ways
    assert subjects[0].seen == subjects[1].seen
    for topic, sent in subjects[1].node.sent.items():
        assert list(map(str, subjects[0].node.sent[topic])) == list(map(str, sent)), topic
    return fast


@pytest.mark.parametrize("count", [1, 2, 5, MOST_KINDS])
def test_each_publisher_is_known_soon(four_link, count):
    fast = both_ways(four_link, [publisher(number) for number in range(count)], 12)
    assert all(fast[10 * count :])


def test_of_too_many_publishers_some_are_not_known(four_link):
    fast = both_ways(four_link, [publisher(number) for number in range(MOST_KINDS + 2)], 12)
    assert not all(fast[-MOST_KINDS - 2 :])


def test_what_comes_only_once_is_not_learnt(four_link, monkeypatch):
    """A frame that changes all the time, such as one with a counter in it."""
    learnt, known = [], fast_path.alike_joint_states
    monkeypatch.setattr(fast_path, "alike_joint_states", lambda *of: learnt.append(of) or known(*of))
    both_ways(four_link, [publisher(number) for number in range(300)], 1)
    assert len(learnt) == 2  # the first one of each subject


def test_what_is_older_than_the_robot_is_left_to_others(four_link):
    subject, rng = Subject(four_link, usual=True, subscribed=set()), np.random.default_rng(3)
    send = publisher(0)
    for number in range(3):
        subject.node.time = START + number * MS
        subject.receive(send(rng, subject.node.time), message_info(0))
    data, stamp = subject.session._fast_path._last, START + 2 * MS
    subject.session.record.counts.last_stamp = subject.session._loaded.states._merged.latest = START
    assert subject.session._fast_path.answer(data, stamp + 1) is None
    assert subject.session._fast_path.answer(data, stamp) is not None

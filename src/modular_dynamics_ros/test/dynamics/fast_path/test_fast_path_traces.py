"""What joint states leave behind that are hardly usual: clocks, ages, answers that are held back."""

import numpy as np
import pytest

from helpers.nodes.lone_node import message_info
from helpers.nodes.sessions.fast_path_subject import MS, START, Subject, joint_state
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.messages.stamps import stamp_message

pytestmark = pytest.mark.ros


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
            subject.receive(message, message_info(0))
    assert both[0].seen == both[1].seen
    assert both[0].answered > 5


def test_a_clock_that_is_at_zero_is_none(four_link):
    both = [Subject(four_link, usual=usual, subscribed=set()) for usual in (True, False)]
    for subject in both:
        rng, subject.node.simulated = np.random.default_rng(12), True
        for number, now in enumerate([50, 51, 52, 0, 0]):  # /clock was set back, messages are on their way
            subject.node.time = now * MS
            subject.receive(joint_state(rng, (50 + number) * MS, "usual"), message_info(0))
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
            subject.receive(joint_state(rng, subject.node.time, kind), message_info(0))
        assert subject.session.record.missing == ()


def test_a_clock_that_jumps_to_and_fro_ends_a_reference(four_link):
    for usual in (True, False):
        subject, rng = Subject(four_link, usual=usual, subscribed=set()), np.random.default_rng(14)
        for hours in (0, 1, 0):
            subject.node.time = START + hours * 3_600_000 * MS + hours
            if hours == 1:
                subject.session.computation.accelerations.reference.add(_still(), START)
            subject.receive(joint_state(rng, subject.node.time, "usual"), message_info(0))
        assert subject.session.computation.accelerations.reference.in_force(START) is None


def _still():
    """A reference of four joints that are at rest."""
    instants = np.array([START - MS, START + 10_000_000 * MS])
    return ReferenceTrajectory(START - MS, instants, np.zeros((6, 1, 4)), True, ())

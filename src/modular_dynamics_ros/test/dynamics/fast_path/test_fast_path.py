"""The fast path answers joint states as the regular path does, whatever comes between them."""

from types import MappingProxyType

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped

from helpers.nodes.lone_node import message_info, receive
from helpers.nodes.sessions.fast_path_subject import MS, ODD, START, Subject, joint_state

pytestmark = pytest.mark.ros
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
WRENCHES = ["~/joint_wrenches", "~/connection_wrenches"]  # computed when they are read
TOPICS = ["~/torque_terms", "~/external_torques", "~/joint_trajectory", *WRENCHES]
RARE = ["wrench", "setting", "watch", "pause", "names", "topic"]


@pytest.mark.parametrize("source", ["zero", "filtered"])
@pytest.mark.parametrize("seed", range(4))
def test_both_ways_are_the_same_in_random_runs(four_link, steady, source, seed):
    rng = np.random.default_rng(seed)
    subscribed = set(WRENCHES)
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
            subscribed ^= {str(rng.choice(TOPICS))}
        assert both[0].seen == both[1].seen
    for topic, sent in both[1].node.sent.items():
        assert _numbers(both[0].node.sent[topic]) == _numbers(sent), topic
    assert all(both[1].node.sent[topic] for topic in WRENCHES)
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
        subject.receive(message, message_info(now))
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
            subject.receive(joint_state(rng, subject.node.time, one), message_info(0))
        ways.append(subject.answered > before)
    assert ways[:3] == [False, True, False]
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
        subject.receive(joint_state(rng, subject.node.time, "usual"), message_info(0))
    assert subject.answered == 0
    assert subject.session.record.counts.received == 5


@pytest.mark.parametrize("change", ["retire", "set"])
def test_after_a_change_a_joint_state_goes_the_long_way_first(four_link, change):
    """Late joint states of the robot before a change must also reach the changed robot."""
    subject, rng, ways = Subject(four_link, usual=True, subscribed=set()), np.random.default_rng(7), []
    for number in range(4):
        subject.node.time, before = START + number * MS, subject.answered
        if number == 2:
            subject.session.retire() if change == "retire" else subject.set(output="gravity")
        subject.receive(joint_state(rng, subject.node.time, "usual"), message_info(0))
        ways.append(subject.answered > before)
    assert ways == [False, True, False, change == "retire"]


def test_a_usual_answer_that_grows_old_while_it_is_computed_is_not_published(four_link, monkeypatch):
    subject, rng = Subject(four_link, usual=True, subscribed=set()), np.random.default_rng(6)
    subject.receive(joint_state(rng, START, "usual"), message_info(0))
    solver = subject.session.computation.solver
    write_torques = solver.write_torques

    def interrupted(*arguments):
        subject.node.time += 300 * MS
        return write_torques(*arguments)

    monkeypatch.setattr(solver, "write_torques", interrupted)
    subject.node.time = START + MS
    subject.receive(joint_state(rng, START + MS, "usual"), message_info(0))
    assert subject.answered == 1
    assert len(subject.node.sent["~/joint_torques"]) == 1
    assert subject.session.record.counts.rejected == {"too old": 1}

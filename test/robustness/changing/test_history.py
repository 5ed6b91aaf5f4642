"""The judge of robots that change and of subsystems: faults that nodes might have are found."""

import time
from pathlib import Path

import numpy as np
import pytest
from sensor_msgs.msg import JointState

import modular_dynamics as md
from modular_dynamics_ros.messages.stamps import stamp_message
from robustness.changing.history import History, robot_of_graph, robot_of_urdf
from robustness.harness.robots import joint_names, state_at, tree_urdf
from robustness.harness.tally import Tally

URDF, NAMES = tree_urdf(4, 2), joint_names(4)
LIGHT = md.load_urdf(URDF)
HEAVY = LIGHT.with_payload("joint_link_3", mass=2.0)
PART = NAMES[1:3]


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(Tally("history", tmp_path, 0), NAMES)
    made.put_in_force(0, robot_of_urdf(URDF))
    return made


def answer(history, stamp=None, graph=LIGHT, names=NAMES, published=0, factor=1.0):
    """Send a state, and answer it with the torques of a graph."""
    stamp = time.time_ns() if stamp is None else stamp
    q, v = (dict(zip(NAMES, x.tolist(), strict=True)) for x in state_at(len(NAMES), stamp))
    own = ([x[name] for name in graph.joint_names] for x in (q, v))
    tau = md.inverse_dynamics(graph, *own, np.zeros(graph.nv))
    effort = dict(zip(graph.joint_names, (factor * tau).tolist(), strict=True))
    values = ([x[name] for name in names] for x in (q, v, effort))
    message = JointState(
        name=list(names), **dict(zip(("position", "velocity", "effort"), values, strict=True))
    )
    message.header.stamp = stamp_message(stamp)
    history.on_sent(stamp)
    history.on_answer(message, {"source_timestamp": published or stamp})
    return stamp


def found(history):
    return " ".join(one.text for one in history.tally.findings)


def test_right_torques_are_right_and_others_wrong(history):
    stamp = answer(history)
    assert (history.tally.right, history.tally.wrong, history.answered) == (1, 0, [stamp])
    answer(history, factor=1.0 + 1e-6)
    assert "differ" in found(history)


def test_the_robot_of_the_stamp_counts(history):
    history.held = True
    first = answer(history)
    second = answer(history, graph=HEAVY)
    history.put_in_force(second, robot_of_graph(HEAVY))
    history.release()
    assert (history.answered, history.tally.wrong) == ([first, second], 0)
    answer(history)  # by the robot before
    assert "differ" in found(history)


def test_joints_that_the_robot_has_not_are_wrong(history):
    locked = LIGHT.lock({"joint_3": 0.1})
    history.put_in_force(1, robot_of_graph(locked))
    answer(history)
    assert "the robot has" in found(history)


def test_parts_are_answered_when_all_are(history):
    history.parts = {"a": frozenset(PART), "b": frozenset({*NAMES} - {*PART})}
    stamp = answer(history, names=PART)
    assert history.answered == []
    answer(history, stamp, names=[NAMES[0], NAMES[3]])
    assert (history.answered, history.tally.wrong) == ([stamp], 0)
    answer(history, names=NAMES[:1])
    assert history.tally.wrong == 1


@pytest.mark.parametrize(
    ("later", "published", "words"),
    [(0, 0, "answered again"), (-1, 0, "older than the one before"), (1, 10**9, "1.000 s old")],
)
def test_order_repetitions_and_old_answers(history, later, published, words):
    stamp = answer(history)
    answer(history, stamp + later, published=published and stamp + later + published)
    assert words in found(history)


def test_a_change_counts_from_the_next_state_that_arrives(history):
    stamp = time.time_ns()
    history.put_in_force(stamp + 1_000_000, robot_of_graph(HEAVY))
    answer(history, stamp, graph=HEAVY, published=stamp + 2_000_000)  # it was on its way
    assert history.tally.wrong == 0
    answer(history, stamp + 500_000, graph=HEAVY, published=stamp + 900_000)  # too early
    assert "differ" in found(history)

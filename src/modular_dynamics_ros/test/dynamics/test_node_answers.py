"""dynamics_node: what it answers, and when; transitions."""

import time

import numpy as np
import pytest

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node.robot_node import SUCCESS

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def test_an_answer_holds_names_state_effort_and_the_inputs_stamp(active, four_link):
    message = active.answer()
    assert message.name == NAMES
    assert message.position.tolist() == Q.tolist()
    assert message.velocity.tolist() == V.tolist()
    assert message.effort.tolist() == expected(four_link).tolist()
    active.spin_until(lambda: len(active.graphs) == 1)
    assert [vertex.name for vertex in active.graphs[0].vertices] == ["stem", "left_branch", "right_branch"]
    newest = message.header.stamp
    active.spin_until(lambda: any(wrench.header.stamp == newest for wrench in active.wrenches))
    wrench = next(wrench for wrench in active.wrenches if wrench.header.stamp == newest)
    assert wrench.header.frame_id == "lower_stem"  # the child link of the stem's first joint
    result = md.InverseDynamics(md.load_urdf(four_link)).solve(Q, V, np.zeros(4))
    force, moment = wrench.wrench.force, wrench.wrench.torque
    expected_wrench = result.connection_wrench_in_link(0)[1].tolist()
    assert [force.x, force.y, force.z, moment.x, moment.y, moment.z] == expected_wrench


def test_transitions_and_silence_while_inactive(make):
    harness = make()
    assert harness.node.trigger_configure() == SUCCESS
    harness.spin_until(lambda: harness.probe.count_publishers("/dynamics_node/joint_torques") == 1)
    assert harness.states.get_subscription_count() == 0  # an inactive node does not even listen
    assert harness.node.trigger_activate() == SUCCESS
    harness.connect()
    assert harness.node.trigger_deactivate() == SUCCESS
    harness.spin_until(lambda: harness.states.get_subscription_count() == 0)
    unheard = harness.send()
    assert harness.node.trigger_activate() == SUCCESS
    harness.connect()
    harness.answer()
    assert harness.torque_of(unheard) is None
    assert harness.node.trigger_deactivate() == SUCCESS
    assert harness.node.trigger_cleanup() == SUCCESS
    harness.spin_until(lambda: harness.probe.count_publishers("/dynamics_node/joint_torques") == 0)
    assert harness.node.trigger_configure() == SUCCESS
    assert harness.node.trigger_activate() == SUCCESS
    harness.connect()
    harness.answer()
    assert harness.node.trigger_shutdown() == SUCCESS


def test_shuffled_joints_with_strangers_give_the_same_torques(active, four_link):
    order = [2, 0, 3, 1]
    shuffled = active.answer(
        names=["stranger", *(NAMES[k] for k in order)],
        q=[float("nan"), *Q[order]],
        v=[float("inf"), *V[order]],
    )
    assert shuffled.name == NAMES
    assert shuffled.effort.tolist() == expected(four_link).tolist()


def test_missing_velocities_are_zero_and_said_to_be(active, four_link, capfd):
    capfd.readouterr()
    assert active.answer(v=[]).effort.tolist() == expected(four_link, v=np.zeros(4)).tolist()
    assert "no velocity of 'turn', 'bend', 'left', 'right': taken as zero" in capfd.readouterr().err


def test_a_rate_answers_the_newest_state_only(make):
    harness = make(rate=10.0)
    harness.activate()
    stamps = [harness.send(q=Q + 0.01 * k, stamp=10**18 + k) for k in range(50)]
    harness.spin_until(lambda: harness.torque_of(stamps[-1]) is not None)
    counts = harness.node.session.input.counts
    answered = sum(harness.torque_of(stamp) is not None for stamp in stamps)
    assert answered < 10  # 50 states sent at once span one or few tenths of a second
    assert counts.received == counts.answered + counts.superseded


def test_a_stamp_of_zero_is_the_arrival(active):
    active.answer()  # all that was sent before has been answered
    count, before = len(active.torques), time.time_ns()
    active.send(stamp=0)
    active.spin_until(lambda: len(active.torques) > count)
    assert before <= stamp_nanoseconds(active.torques[-1].header.stamp) <= time.time_ns()

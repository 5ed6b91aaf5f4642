"""Wrenches: frames, stamps, order, ages and ends."""

import time
from unittest.mock import MagicMock

import numpy as np
import pytest
from builtin_interfaces.msg import Time

from helpers.nodes.dynamics_harness import Q, V, expected
from helpers.nodes.lone_node import lone_node, message_info
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics.inputs import WrenchInputs
from modular_dynamics_ros.lifecycle.node import FAILURE, SUCCESS
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

ERROR, WARN, OK = b"\x02", b"\x01", b"\x00"
PUSH = np.array([0.0, 0.0, -5.0, 0.0, 0.0, 0.0])


def wrench_message(frame, wrench=PUSH, stamp=None):
    return WrenchWriter().write(Time() if stamp is None else stamp_message(stamp), frame, np.asarray(wrench))


def connected(harness):
    harness.activate()
    harness.spin_until(lambda: harness.external.get_subscription_count() == 1)
    return harness


def test_an_external_wrench_that_stops_is_one_warning_and_an_error_until_a_zero(make, four_link, capfd):
    harness = connected(make(stale_after=0.1))
    wrenches = harness.node.session.computation.wrenches
    capfd.readouterr()

    def pushed():
        harness.external.publish(wrench_message("left_branch"))
        return "left_branch" in wrenches.external

    harness.spin_until(pushed)
    status = harness.status("wrenches", lambda status: status.level == ERROR)
    text = "the external wrench in frame 'left_branch' has stopped: it counts as zero"
    assert status.message == text
    assert harness.answer().effort == pytest.approx(expected(four_link), abs=1e-13)
    harness.status("wrenches", lambda status: status.level == ERROR)  # it stays one
    assert capfd.readouterr().err.count(text) == 1

    def ended():
        harness.external.publish(wrench_message("left_branch", np.zeros(6)))

    harness.status("wrenches", lambda status: status.level == OK, meanwhile=ended)
    status = harness.status("wrenches", lambda status: status.message == "none")
    assert {value.key: value.value for value in status.values} == {"times that a wrench stopped": "1"}


def test_names_that_would_share_a_topic_fail_configuring(make, four_link, tmp_path, capfd):
    path = tmp_path / "hands.yaml"
    path.write_text(
        "version: 1\nsubsystems:\n  - {name: stem, joints: [turn, bend]}\n"
        "  - {name: hand left, joints: [left]}\n  - {name: hand-left, joints: [right]}\n"
    )
    node = make(partition_file=str(path)).node
    before = len(list(node.publishers))
    assert node.trigger_configure() == FAILURE
    assert (
        "subsystems 'hand left' and 'hand-left' would share the topics of 'hand_left'"
        in capfd.readouterr().err
    )
    assert len(list(node.publishers)) == before
    path.write_text(path.read_text().replace("hand left", "左").replace("hand-left", "右"))
    assert node.trigger_configure() == SUCCESS
    topics = {publisher.topic_name for publisher in node.publishers}
    assert {f"/dynamics_node/connections/{name}/wrench" for name in ("u5de6", "u53f3")} <= topics


@pytest.mark.parametrize("frame", ["left/left_branch", "left_branch"])
def test_frames_have_the_prefix_of_tf_outside_and_links_have_none_inside(make, frame):
    """A wrench may come with the prefix or without; what is published has it."""
    harness = connected(make(frame_prefix="left/"))
    wrenches = harness.node.session.computation.wrenches

    def pushed():
        harness.external.publish(wrench_message(frame))
        return "left_branch" in wrenches.external

    harness.spin_until(pushed)
    assert {message.header.frame_id for message in harness.wrenches} == {"left/lower_stem"}
    harness.spin_until(lambda: harness.graphs)
    assert harness.graphs[-1].header.frame_id == "left/base"


S = 1_000_000_000  # [ns]


def lone_inputs(four_link, partition="", prefix="", **settings):
    """Without DDS: the node, its inputs, and how a wrench comes, at a time of its clock [ns]."""
    node = lone_node()
    computation = Computation(
        load_robot(four_link, partition, frame_prefix=prefix), ComputationSettings(**settings)
    )
    computation.wrenches.external._steady = computation.wrenches.black_box._steady = node.steady
    inputs = WrenchInputs(node, computation, MagicMock())

    def push(wrench=PUSH, sent=None, stamp=None, frame="left_branch", topic="~/external_wrench", came=None):
        call = next(c for c in node.create_subscription.call_args_list if c.args[1] == topic)
        info = message_info(time.time_ns() if sent is None else sent)
        info |= {} if came is None else {"received_timestamp": came}
        given = Time() if stamp is None else stamp_message(stamp)
        call.args[2](WrenchWriter().write(given, frame, np.asarray(wrench)), info)

    return node, inputs, push


@pytest.mark.parametrize("box_prefix", [True, False])
@pytest.mark.parametrize("prefixed", [True, False])
def test_a_black_boxs_own_frame_is_known_with_and_without_the_prefix(
    four_link, boxed_branch, box_prefix, prefixed
):
    """The prefix may be the box's name."""
    prefix = "right_branch/" if box_prefix else "left/"
    node, inputs, push = lone_inputs(four_link, boxed_branch, prefix)
    node.time = time.time_ns()
    frame = "right_branch/connection_point"
    push(frame=prefix * prefixed + frame, topic="~/black_box/right_branch/wrench")
    assert node.log.texts("wrenches") == []
    assert inputs._wrenches.black_box.newest["right_branch"].link == frame


def test_a_wrench_without_a_stamp_is_as_old_as_its_arrival(four_link):
    node, inputs, push = lone_inputs(four_link, stale_after=2.0)
    node.time = time.time_ns()
    push(sent=node.time - S // 10)
    assert not inputs.refused
    push(sent=node.time - 21 * S // 10)  # the node was stopped meanwhile
    assert inputs.refused == {"too old": 1}


def test_wrenches_without_stamps_are_in_the_order_in_which_they_were_sent(four_link):
    """To the nanosecond: a stamp that is computed from two readings of clocks is late by chance."""
    node, inputs, push = lone_inputs(four_link, stale_after=2.0)
    node.time, external = time.time_ns(), inputs._wrenches.external
    for ago in (1000, 999, 998):
        k = float(ago)
        push(k * PUSH, sent=node.time - ago)
        given = external.by_validity(node.time, 2.0)[0]["left_branch"]
        assert given.arrival.stamp == node.time - ago
        assert given.values.tolist() == (k * PUSH).tolist()
    push(sent=node.time - 2000)
    assert inputs.refused == {"older than the last one": 1}
    push(7.0 * PUSH, sent=node.time + S // 10)  # by the clock of another computer
    given = external.by_validity(node.time, 2.0)[0]["left_branch"]
    assert (given.arrival.stamp, given.values[2]) == (node.time, 7.0 * PUSH[2])


def test_in_a_simulation_the_senders_system_clock_does_not_matter(four_link):
    """Computers need no common time but /clock."""
    node, inputs, push = lone_inputs(four_link, stale_after=2.0)
    node.time, node.simulated = 100 * S, True
    external = inputs._wrenches.external
    for stamp in (None, 100 * S):
        push(sent=time.time_ns() - 3600 * S, came=time.time_ns(), stamp=stamp)
        assert list(external.by_validity(node.time, 2.0)[0]) == ["left_branch"]
        external.clear()
    push(sent=time.time_ns(), came=time.time_ns() - 11 * S, stamp=100 * S)  # a node that stood still
    assert list(external.by_validity(node.time, 2.0)[1]) == ["left_branch"]


@pytest.mark.parametrize("box", [False, True])
def test_a_wrench_that_a_newer_one_has_overtaken_replaces_nothing(four_link, boxed_branch, box):
    """Of black boxes in whatever frame; external ones in each frame on their own."""
    node, inputs, push = lone_inputs(four_link, boxed_branch if box else "", stale_after=2.0)
    timed = inputs._wrenches.black_box if box else inputs._wrenches.external
    topic, frame = ("~/black_box/right_branch/wrench", "upper_stem") if box else ("~/external_wrench", "base")
    source = "right_branch" if box else "base"
    node.time = 100 * S

    def force():
        return timed.by_validity(node.time, 2.0)[0][source].values[2]

    push(PUSH, stamp=100 * S, frame=frame, topic=topic)
    push(2.0 * PUSH, stamp=100 * S - 1, frame="base", topic=topic)
    assert force() == PUSH[2]
    assert inputs.refused == {"older than the last one": 1}
    what = "wrench of black box 'right_branch'" if box else "external wrench"
    (said,) = node.log.texts("wrenches")
    assert said.startswith(f"{what} refused: its stamp is 0.000 s older than that of the last, which is")
    push(3.0 * PUSH, stamp=100 * S, frame=frame, topic=topic)  # two publishers at the same time
    assert force() == 3.0 * PUSH[2]
    if not box:
        push(PUSH, stamp=99 * S, frame="lower_stem")
        assert sorted(timed.by_validity(node.time, 2.0)[0]) == ["base", "lower_stem"]
    node.time = 30 * S  # the clock is set back
    push(4.0 * PUSH, stamp=30 * S, frame=frame, topic=topic)
    assert force() == 4.0 * PUSH[2]
    assert inputs.refused == {"older than the last one": 1}


def test_a_wrench_that_stopped_for_a_moment_is_reported(four_link):
    node, inputs, push = lone_inputs(four_link, stale_after=2.0)
    state = inputs._computation.observe(0, Q, V)
    push()
    inputs._computation.compute(state, 3_000_000_000)
    node.time = 3_000_000_000
    push()
    status = inputs.status()
    assert (status.level, status.message) == (1, "a wrench has stopped for a moment")
    assert (inputs.status().level, inputs.status().message) == (0, "all valid")
    other = lone_inputs(four_link)[1]
    other.continue_from(inputs)
    assert other.refused is inputs.refused

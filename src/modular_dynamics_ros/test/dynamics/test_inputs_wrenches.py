"""dynamics_node: frames, stamps and ends of wrenches, as seen from outside."""

from pathlib import Path

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped, WrenchStamped
from std_msgs.msg import String

from helpers.nodes.dynamics_harness import expected
from modular_dynamics_ros.lifecycle.entities import LATCHED
from modular_dynamics_ros.messages.geometry import TFMessage, WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.robot_node import FAILURE, SUCCESS

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

ERROR, WARN, OK = b"\x02", b"\x01", b"\x00"
PUSH = np.array([0.0, 0.0, -5.0, 0.0, 0.0, 0.0])


def wrench_message(frame, wrench=PUSH, stamp=None):
    return WrenchWriter().write(Time() if stamp is None else stamp_message(stamp), frame, np.asarray(wrench))


def connected(harness):
    harness.activate()
    harness.spin_until(lambda: harness.external.get_subscription_count() == 1)
    return harness


def boxed_harness(make, partition, **parameters):
    """With its sensor's publisher, and the wrench of the whole robot."""
    harness = make(partition_file=partition, **parameters).start()
    sensor = harness.probe.create_publisher(WrenchStamped, "dynamics_node/black_box/right_branch/wrench", 10)
    harness.spin_until(lambda: sensor.get_subscription_count() and harness.states.get_subscription_count())
    return harness, sensor


def test_a_frame_that_cannot_be_placed_is_refused_by_name(make, boxed_branch, capfd):
    frame, words = "right_branch", "moves with 'right' inside a black box"
    harness, sensor = boxed_harness(make, boxed_branch, stale_after=60.0)
    capfd.readouterr()
    log = harness.said(words, capfd, meanwhile=lambda: sensor.publish(wrench_message(frame)))
    assert "wrench of black box 'right_branch' refused" in log
    status = harness.status("wrenches", lambda status: words in status.message)
    assert status.level == ERROR
    assert "no wrench of black box 'right_branch' has come yet" in status.message
    assert harness.node.session.record.counts.answered == 0


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


def test_without_the_messages_of_tf_a_refusal_says_so(make, capfd):
    if TFMessage is not None:
        pytest.skip("tf2_msgs is installed")
    harness = connected(make())
    words = "no link 'sensor' in 'four_link', and frames of TF are not known, because the package tf2_msgs"
    harness.said(words, capfd, meanwhile=lambda: harness.external.publish(wrench_message("sensor")))


def test_a_frame_of_tf_static_is_taken_also_by_the_next_robot(make, four_link):
    if TFMessage is None:
        pytest.skip("tf2_msgs is not installed")
    harness = make(stale_after=60.0, robot_description_file="").start()
    frames = harness.probe.create_publisher(TFMessage, "/tf_static", LATCHED)
    sensor = TransformStamped(child_frame_id="sensor")
    sensor.header.frame_id, sensor.transform.translation.z = "left_branch", 0.1
    frames.publish(TFMessage(transforms=[sensor]))
    wrench = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    at_link = np.append(wrench[:3], wrench[3:] + np.cross([0.0, 0.0, 0.1], wrench[:3]))
    loaded = expected(four_link, external_wrenches={"left_branch": at_link})
    text = Path(four_link).read_text()

    def taken():
        harness.external.publish(wrench_message("sensor", wrench))
        return "sensor" in harness.node.session.computation.wrenches.external

    for count, description in enumerate((text, text + "\n")):
        harness.descriptions.publish(String(data=description))
        harness.spin_until(lambda count=count: len(harness.graphs) > count)  # one for each robot
        harness.spin_until(taken)
        assert harness.answer_when_connected().effort == pytest.approx(loaded, abs=1e-12)


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

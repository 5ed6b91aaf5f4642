"""dynamics_node: frames, stamps and ends of wrenches, as seen from outside."""

import time
from pathlib import Path

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped, WrenchStamped
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from helpers.wrenches import in_carrying_link
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


def test_a_black_boxs_wrench_counts_in_its_own_frame(make, four_link, boxed_branch):
    solution = md.InverseDynamics(md.load_urdf(four_link)).solve(Q, V, np.zeros(4))
    harness, sensor = boxed_harness(make, boxed_branch, stale_after=60.0)
    graph = harness.node.session.robot.graph
    link, wrench = in_carrying_link(graph, "right_branch", solution.connection_wrenches[2])
    assert link == "upper_stem"
    # by hand: `turn` is about z, `bend` about y, 0.3 m above the base
    (c, s), (d, e) = ((np.cos(x), np.sin(x)) for x in Q[:2])
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[d, 0, e], [0, 1, 0], [-e, 0, d]])
    force = R @ wrench[:3]
    at_base = np.append(force, R @ wrench[3:] + np.cross([0, 0, 0.3], force))
    boxes = harness.node.session.computation.wrenches.black_box

    def fed():
        sensor.publish(wrench_message("base", at_base))
        return "right_branch" in boxes

    harness.spin_until(fed)
    answer = harness.answer_when_connected(names=NAMES[:3], q=Q[:3], v=V[:3])
    assert answer.effort == pytest.approx(solution.tau[:3], abs=1e-12)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ("", "header.frame_id is empty"),
        ("nowhere", "no link 'nowhere' in 'four_link'"),
        ("right_branch", "moves with 'right' inside a black box"),
    ],
)
def test_a_frame_that_cannot_be_placed_is_refused_by_name(make, boxed_branch, capfd, frame, words):
    harness, sensor = boxed_harness(make, boxed_branch, stale_after=60.0)
    capfd.readouterr()
    log = harness.said(words, capfd, meanwhile=lambda: sensor.publish(wrench_message(frame)))
    assert "wrench of black box 'right_branch' refused" in log
    status = harness.status("wrenches", lambda status: words in status.message)
    assert status.level == ERROR
    assert "no wrench of black box 'right_branch' has come yet" in status.message
    assert harness.node.session.record.counts.answered == 0


@pytest.mark.parametrize(("age", "cause"), [(3.0, "too old"), (-3.0, "ahead of the clock")])
def test_a_stamp_far_from_now_is_refused_once_and_counted(make, four_link, capfd, age, cause):
    harness = connected(make(stale_after=1.0))
    capfd.readouterr()
    refused = harness.node.session._wrenches.refused

    def publish():
        harness.external.publish(wrench_message("left_branch", stamp=time.time_ns() - int(age * 1e9)))
        return refused[cause] > 3

    harness.spin_until(publish)
    assert harness.answer().effort.tolist() == expected(four_link).tolist()
    status = harness.status("wrenches", lambda status: status.level == WARN)
    values = {value.key: value.value for value in status.values}
    assert int(values[f"refused: {cause}"]) > 3
    assert capfd.readouterr().err.count("this node's clock") == 1


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


def test_a_clock_set_back_ends_an_external_wrench(make, four_link):
    harness = make(stale_after=5.0)
    harness.node.set_parameters([Parameter("use_sim_time", value=True)])
    clock = harness.probe.create_publisher(Clock, "/clock", LATCHED)

    def set_clock(seconds):
        def is_set():
            clock.publish(Clock(clock=Time(sec=seconds)))
            return harness.node.now() == seconds * 1_000_000_000

        harness.spin_until(is_set)

    set_clock(1)
    connected(harness)
    set_clock(100)
    wrenches = harness.node.session.computation.wrenches

    def pushed():
        harness.external.publish(wrench_message("left_branch", stamp=100_000_000_000))
        return "left_branch" in wrenches.external

    harness.spin_until(pushed)
    loaded = expected(four_link, external_wrenches={"left_branch": PUSH})
    assert harness.answer(stamp=100_000_000_001).effort == pytest.approx(loaded, abs=1e-13)
    set_clock(67)
    assert harness.answer(stamp=67_000_000_000).effort == pytest.approx(expected(four_link), abs=1e-13)


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


@pytest.mark.skipif(TFMessage is None, reason="needs tf2_msgs")
def test_transforms_of_tf_have_the_prefix_too(make):
    """/tf_static fixes left/sensor to left/left_branch: robot_state_publisher prefixes both."""
    harness = connected(make(frame_prefix="left/"))
    wrenches = harness.node.session.computation.wrenches
    transform = TransformStamped(child_frame_id="left/sensor")
    transform.header.frame_id = "left/left_branch"
    transform.transform.rotation.w = 1.0
    static = harness.probe.create_publisher(TFMessage, "/tf_static", LATCHED)
    static.publish(TFMessage(transforms=[transform]))

    def pushed():
        harness.external.publish(wrench_message("left/sensor"))
        return bool(wrenches.external.by_validity(harness.node.now(), 30.0)[0])

    harness.spin_until(pushed)

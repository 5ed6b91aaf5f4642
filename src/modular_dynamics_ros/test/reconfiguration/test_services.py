"""Services of dynamics_node that change its robot: what they do, and what they refuse."""

import numpy as np
import pytest
from modular_dynamics_interfaces.srv import SetPayload
from rclpy.parameter import Parameter

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q, V
from helpers.rebuilt import assert_same_to_the_bit
from modular_dynamics_ros.lifecycle.node import SUCCESS
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

CODES = SetPayload.Response


def test_a_payload_counts_from_the_next_joint_state_that_arrives(active, described, loaded, load):
    before = active.send()
    response = active.call("SetPayload", link="left_branch", load=load)
    assert (response.success, response.error_code, response.error_message) == (True, CODES.NONE, "")
    assert response.joint_names == NAMES
    stamp = stamp_nanoseconds(response.stamp)
    assert before < stamp <= active.node.now()
    first = active.answer(stamp=stamp)
    assert first.effort.tolist() == md.inverse_dynamics(loaded(described), Q, V, np.zeros(4)).tolist()
    active.is_answered_by(loaded(described))
    assert active.call("SetPayload", link="left_branch").success
    active.is_answered_by(described)
    assert active.node.session.robot.graph.payloads == {}
    assert active.call("SetPayload", link="left_branch").success  # none there: none to remove


def test_a_gripper_is_attached_and_detached(active, described, gripper_urdf, tmp_path):
    at = (0.0, 0.0, 0.1, 0.6, 0.0, 0.0, 0.8)
    hand = {"name": "hand", "link": "left_branch", "prefix": "g/", "at": at}
    response = active.call("AttachSubsystem", robot_description=gripper_urdf, **hand)
    assert response.success, response.error_message
    assert response.joint_names == [*NAMES, "g/finger"]
    x = np.array([[-0.28, -0.96, 0, 0], [0.96, -0.28, 0, 0], [0, 0, 1, 0.1], [0, 0, 0, 1]])
    graph = described.attach(md.load_urdf(gripper_urdf), "left_branch", x, prefix="g/")
    values = dict(zip([*NAMES, "g/finger"], zip([*Q, 0.02], [*V, 0.3], strict=True), strict=True))
    q, v = np.array(list(values.values())).T
    answer = active.answer(names=[*values], q=q, v=v)
    expected = md.inverse_dynamics(graph, q, v, np.zeros(5))
    assert answer.effort == pytest.approx(expected, rel=1e-12)
    assert answer.name == [*values]
    active.spin_until(lambda: "g/finger" in active.graphs[-1].dot)
    assert active.call("DetachSubsystem", name="hand").success
    active.is_answered_by(described)
    path = tmp_path / "gripper.urdf"
    path.write_text(gripper_urdf)
    assert active.call("AttachSubsystem", file=str(path), **hand).success
    assert active.graph().joint_names == (*NAMES, "g/finger")


def test_joints_are_locked_where_they_are_and_need_no_state_then(active, described):
    active.answer()
    assert active.call("LockJoints", joint_names=["bend"]).joint_names == ["turn", "left", "right"]
    locked = described.lock({"bend": Q[1]})
    answer = active.answer(names=["turn", "left", "right"], q=Q[[0, 2, 3]], v=V[[0, 2, 3]])
    expected = md.inverse_dynamics(locked, Q[[0, 2, 3]], V[[0, 2, 3]], np.zeros(3))
    assert answer.effort.tolist() == expected.tolist()
    assert active.call("LockJoints", joint_names=["left"], positions=[0.4]).success
    assert_same_to_the_bit(active.graph(), locked.lock({"left": 0.4}))
    assert active.call("LockJoints", joint_names=["left", "bend"], unlock=True).joint_names == NAMES
    active.is_answered_by(described)


LOAD = (1.0, (0.1, 0.0, 0.05), (0.01, 0.02, 0.015))
LONG = {"link": "x\n[INFO] " + "y" * 100_000, "load": LOAD}


@pytest.mark.parametrize(  # one of each code; others are in test_edits and helpers.nodes.changes.bad_changes
    ("kind", "fields", "code", "words"),
    [
        pytest.param("SetPayload", LONG, "UNKNOWN_NAME", "x [INFO] yyy", id="long name"),
        ("AttachSubsystem", {"name": "h", "link": "base", "text": "<robot"}, "REFUSED", "line 1"),
        ("AttachSubsystem", {"name": "h", "link": "base", "text": "<a/>", "file": "a"}, "REFUSED", "both"),
        ("AttachSubsystem", {"name": "h", "link": "base", "file": "/no/robot"}, "FILE", "no URDF or xacro"),
        ("LockJoints", {"joint_names": NAMES, "positions": [0.0] * 4}, "REFUSED", "has no moving joint"),
        ("LockJoints", {"joint_names": ["turn"], "positions": [0.0, 1.0]}, "BAD_STATE", "2 positions for 1"),
        (
            "LockJoints",
            {"joint_names": ["turn"], "positions": [0.0], "unlock": True},
            "BAD_STATE",
            "both given",
        ),
    ],
)
def test_a_refusal_says_why_and_leaves_the_robot_as_it_is(active, described, kind, fields, code, words):
    given = dict(fields)
    if (text := given.pop("text", None)) is not None:
        given["robot_description"] = text
    session = active.node.session
    response = active.call(kind, **given)
    assert not response.success
    assert words in response.error_message
    assert response.error_code == getattr(response, code), response.error_message
    assert (active.node.session, response.joint_names) == (session, NAMES)
    active.is_answered_by(described)


def test_parameters_of_the_node_that_name_joints_must_go_on_to_fit(make, described):
    client = make(controller_joints=["left", "turn"], absent_joints=["right:=0.1"]).activate()
    response = client.call("LockJoints", joint_names=["left"])
    assert response.error_code == response.REFUSED
    assert "controller_joints names 'left'" in response.error_message
    response = client.call("LockJoints", joint_names=["right"], positions=[0.1])
    assert "absent_joints names 'right'" in response.error_message
    client.is_answered_by(described)
    assert len(client.node.session._outputs._publishers) > 0


def test_a_node_that_is_not_active_or_has_no_robot_says_so(make):
    client = make(robot_description_file="")
    assert client.node.trigger_configure() == SUCCESS
    response = client.call("DetachSubsystem", name="hand")
    assert (response.error_code, response.joint_names) == (response.NOT_ACTIVE, [])
    assert "activate it first" in response.error_message
    assert client.node.trigger_activate() == SUCCESS
    assert "is awaited" in client.call("DetachSubsystem", name="hand").error_message


def test_an_unexpected_error_is_answered_and_logged(active, described, monkeypatch, capfd, load):
    def broken(*arguments):
        raise OverflowError("made up")

    monkeypatch.setattr("modular_dynamics_ros.dynamics.reconfiguration.prepared_robot", broken)
    response = active.call("SetPayload", link="left_branch", load=load)
    assert response.error_code == response.UNEXPECTED
    assert response.error_message.startswith("OverflowError: made up (test_services.py:")
    active.said("unexpected error in a service: OverflowError: made up", capfd)
    active.is_answered_by(described)


def test_gravity_that_was_set_at_run_time_stays(active, described, load):
    (result,) = active.node.set_parameters([Parameter("gravity", value=[0.0, 1.0, -3.0])])
    assert result.successful
    assert active.call("SetPayload", link="left_branch", load=load).success
    active.answer()
    assert active.graph().gravity.tolist() == [0.0, 1.0, -3.0]


def test_links_are_named_as_in_tf_or_as_in_the_urdf(make, described, loaded, load, gripper_urdf):
    client = make(frame_prefix="left/").activate()
    for link in ("left/left_branch", "left_branch"):
        assert client.call("SetPayload", link=link, load=load).success
        assert_same_to_the_bit(client.graph(), loaded(described))
    hand = {"name": "hand", "link": "left/base", "robot_description": gripper_urdf}
    assert client.call("AttachSubsystem", **hand).success
    assert_same_to_the_bit(client.graph(), loaded(described).attach(md.load_urdf(gripper_urdf), "base"))


def test_a_joint_is_not_locked_where_another_one_of_its_name_was_long_ago(make, gripper_urdf, described):
    client = make(stale_after=0.2).activate()
    client.answer()
    client.send(names=["finger"], q=[1.2], v=[0.0])  # nobody has such a joint
    client.spin_until(lambda: client.node.session.record.counts.of_other_joints == 1)
    old = client.node.now()
    client.spin_until(lambda: client.node.now() > old + 300_000_000)
    assert client.call("AttachSubsystem", name="h", link="base", robot_description=gripper_urdf).success
    refused = client.call("LockJoints", joint_names=["finger"])
    assert "no position of 'finger' was measured" in refused.error_message


def test_a_joint_is_locked_where_it_was_measured_also_while_a_new_one_was_not(
    active, described, gripper_urdf
):
    active.answer()
    assert active.call(
        "AttachSubsystem", name="h", link="base", robot_description=gripper_urdf, prefix="g/"
    ).success
    active.send(names=["bend"], q=[0.321], v=[0.0])
    active.spin_until(lambda: active.node.session.record.counts.incomplete == 1)
    assert active.call("LockJoints", joint_names=["turn", "bend"]).success
    expected = described.attach(md.load_urdf(gripper_urdf), "base", prefix="g/")
    assert_same_to_the_bit(active.graph(), expected.lock({"turn": Q[0], "bend": 0.321}))
    refused = active.call("LockJoints", joint_names=["g/finger"])
    assert "no position of 'g/finger' was measured" in refused.error_message

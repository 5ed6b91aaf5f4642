"""What requests of changes may say, and what the log says of them."""

import pytest

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q
from helpers.rebuilt import assert_same_to_the_bit

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def test_what_comes_back_takes_no_other_place(active, described):
    assert active.call("DetachSubsystem", name="right_branch").success
    for fields in ({"link": "base"}, {"prefix": "a/"}, {"at": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)}):
        response = active.call("AttachSubsystem", name="right_branch", **fields)
        assert response.error_code == response.REFUSED
        assert "comes back where it was: leave link, pose and prefix out" in response.error_message
    active.is_answered_by(described.without("right_branch"))
    for at in (
        (0.0,) * 7,
        (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    ):  # as clients fill it in that do not ask for one
        assert active.call("AttachSubsystem", name="right_branch", at=at).success
        assert active.call("DetachSubsystem", name="right_branch").success


def test_links_are_named_as_in_tf_or_as_in_the_urdf(make, described, loaded, load, gripper_urdf):
    client = make(frame_prefix="left/").activate()
    for link in ("left/left_branch", "left_branch"):
        assert client.call("SetPayload", link=link, load=load).success
        assert_same_to_the_bit(client.graph(), loaded(described))
    hand = {"name": "hand", "link": "left/base", "robot_description": gripper_urdf}
    assert client.call("AttachSubsystem", **hand).success
    assert_same_to_the_bit(client.graph(), loaded(described).attach(md.load_urdf(gripper_urdf), "base"))


def test_the_name_of_a_link_may_begin_with_the_prefix(make, described, loaded, load):
    client = make(frame_prefix="left_").activate()
    assert client.call("SetPayload", link="left_branch", load=load).success
    assert_same_to_the_bit(client.graph(), loaded(described))


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


def test_the_log_names_what_goes_with_a_subsystem(active, load, gripper_urdf, capfd):
    hand = {"name": "hand", "link": "right_branch", "robot_description": gripper_urdf}
    assert active.call("AttachSubsystem", **hand).success
    assert active.call("SetPayload", link="right_branch", load=load).success
    assert active.call("DetachSubsystem", name="right_branch").joint_names == NAMES[:3]
    said = capfd.readouterr().err
    assert (
        "'right_branch' detached; no more: 'hand' (gripper) attached to 'right_branch'; "
        "no more: payload of 2 kg on 'right_branch'; 1 changes in force"
    ) in said

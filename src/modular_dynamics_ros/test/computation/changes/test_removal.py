"""Subsystems that are taken off, with the black boxes that they carry."""

from pathlib import Path

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics_ros.computation.changes.application import applied
from modular_dynamics_ros.computation.changes.attachment import Attachment
from modular_dynamics_ros.computation.changes.edits import attached, detached, locked, reattached
from modular_dynamics_ros.computation.changes.removal import Removal
from modular_dynamics_ros.exceptions import RobotError

#: As the comment in vendor_arm_partition.yaml says: the gripper's base is fixed to the last link of the arm.
BOXED = {
    "version": 1,
    "subsystems": [
        {"name": "arm", "root_link": "tv7_link_1", "end_links": ["tv7_link_7"]},
        {"name": "gripper", "root_link": "tv7_gripper_base", "black_box": True},
    ],
}


def test_what_carries_a_black_box_with_joints_takes_it_along():
    graph = md.load_urdf(Path(ROBOTS / "vendor_arm.urdf"), BOXED)
    changes = detached(graph, (), "gripper")
    (change,) = changes
    assert [one.name for one in change.apply(graph).subsystems] == ["arm"]
    (change,) = detached(graph, (), "arm")
    left = change.apply(graph)
    assert (left.subsystems, left.joints) == ((), ())
    assert "tv7_gripper_base" not in left.links
    assert reattached(graph, (change,), "arm") == ()


@pytest.fixture
def handed(described, gripper_urdf):
    """A robot whose left branch carries a hand."""
    return md.load_urdf(described.attach(md.load_urdf(gripper_urdf), "left_branch", prefix="g/").to_urdf())


def names_of(graph):
    return [one.name for one in graph.subsystems]


def test_what_was_detached_first_stays_away_when_its_carrier_comes_back(handed):
    hand = names_of(handed)[-1]
    assert handed.subsystem(hand).joints[0].name == "g/finger"
    both = detached(handed, detached(handed, (), hand), "left_branch")
    assert applied(handed, both).graph.joint_names == ("turn", "bend", "right")
    back = reattached(handed, both, "left_branch")
    assert back == (Removal(hand),)
    assert applied(handed, back).graph.joint_names == ("turn", "bend", "left", "right")
    assert reattached(handed, back, hand) == ()
    # brought back in the other order
    early = reattached(handed, both, hand)
    assert early == (Removal("left_branch"),)
    assert reattached(handed, early, "left_branch") == ()


def test_a_subsystem_with_locked_joints_is_detached(described):
    changes = locked(described, (), ["left", "turn"], {"left": 0.1, "turn": 0.2})
    changes = detached(described, changes, "left_branch")
    assert applied(described, changes).graph.joint_names == ("bend", "right")
    assert "left_branch" not in applied(described, changes).graph.links
    back = reattached(described, changes, "left_branch")
    assert applied(described, back).graph.joint_names == ("bend", "left", "right")


def test_names_of_locked_subsystems_are_taken(described, gripper_urdf):
    tag = "<modular_dynamics version='1'><subsystem name='left_branch'><joint name='finger'/></subsystem>"
    urdf = gripper_urdf.replace("</robot>", f"{tag}</modular_dynamics></robot>")
    changes = locked(described, (), ["left"], {"left": 0.1})
    with pytest.raises(
        RobotError, match="'left_branch', as 'four_link' has one with locked joints; choose a"
    ):
        attached(described, changes, Attachment.of("tool", urdf, "right_branch"))
    with pytest.raises(RobotError, match="the name 'left_branch' is in use"):
        attached(described, changes, Attachment.of("left_branch", gripper_urdf, "right_branch"))
    changes = attached(described, changes, Attachment.of("tool", urdf, "right_branch", prefix="t/"))
    changes = detached(described, changes, "left_branch")
    assert applied(described, changes).graph.joint_names == ("turn", "bend", "right", "t/finger")


def test_what_attached_robots_brought_is_detached_also_while_its_joints_are_locked(described, gripper_urdf):
    first = Attachment.of("x1", gripper_urdf, "base", prefix="p/")
    (brought,) = {one.name for one in applied(described, (first,)).graph.subsystems} - {*names_of(described)}
    changes = locked(described, attached(described, (), first), ["p/finger"], {"p/finger": 0.01})
    assert brought not in names_of(applied(described, changes).graph)
    same_names = Attachment.of("x2", gripper_urdf, "left_branch", prefix="p/")
    with pytest.raises(RobotError, match="has one with locked joints; choose a prefix"):
        attached(described, changes, same_names)
    with pytest.raises(RobotError, match="is in use for a subsystem"):
        attached(described, changes, Attachment.of(brought, gripper_urdf, "left_branch", prefix="q/"))
    # also where another robot was attached after the lock
    changes = attached(described, changes, Attachment.of("x2", gripper_urdf, "left_branch", prefix="q/"))
    left = detached(described, changes, brought)
    assert applied(described, left).graph.joint_names == (*described.joint_names, "q/finger")
    assert "p/jaw" not in applied(described, left).graph.links
    back = reattached(described, left, brought)
    assert applied(described, back).graph.joint_names == (*described.joint_names, "p/finger", "q/finger")


def test_of_two_removals_of_a_name_the_last_one_is_taken_back(described, gripper_urdf):
    tag = "<modular_dynamics version='1'><subsystem name='right_branch'><joint name='finger'/></subsystem>"
    urdf = gripper_urdf.replace("</robot>", f"{tag}</modular_dynamics></robot>")
    without = detached(described, (), "right_branch")
    changes = attached(described, without, Attachment.of("hand", urdf, "left_branch"))
    twice = detached(described, changes, "right_branch")
    assert reattached(described, twice, "right_branch") == changes


def test_the_name_of_a_detached_subsystem_is_reserved(described, gripper_urdf):
    changes = detached(described, (), "left_branch")
    with pytest.raises(RobotError, match="'left_branch' was detached and comes back by this name"):
        attached(described, changes, Attachment.of("left_branch", gripper_urdf, "base"))

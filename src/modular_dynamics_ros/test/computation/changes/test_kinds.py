"""Other robots that are attached: where their descriptions are read from."""

import pytest

import modular_dynamics as md
from helpers.query_subjects import hand
from modular_dynamics_ros.computation.changes.edits import applied
from modular_dynamics_ros.computation.changes.kinds import (
    IDENTITY_POSE,
    Attachment,
    Lock,
    Removal,
    locked_with_mimics,
)
from modular_dynamics_ros.exceptions import ChangeFileError, RobotError


@pytest.mark.parametrize("scheme", ["file://", "FILE:", "package://", "model://"])
def test_a_path_is_needed_not_a_uri(gripper_urdf, tmp_path, scheme):
    path = tmp_path / "gripper.urdf"
    path.write_text(gripper_urdf)
    uri = f"{scheme}{path}"
    with pytest.raises(ChangeFileError, match=f"'{uri}' is a URI; a path is needed"):
        Attachment.of_file("hand", uri, "base", IDENTITY_POSE, "", strict=False)
    attachment = Attachment.of_file("hand", str(path), "base", IDENTITY_POSE, "", strict=False)
    assert attachment.robot.name == "gripper"


def test_a_text_in_xacro_is_refused_with_what_the_caller_of_a_service_can_do():
    text = '<robot name="r"><xacro:include filename="x"/><link name="a"/></robot>'
    with pytest.raises(RobotError, match=r"is xacro, not URDF\. Give the path of the file") as error:
        Attachment.of("hand", text, "base")
    assert "mappings" not in str(error.value)


pytestmark = pytest.mark.ros


def test_joints_that_mimic_a_locked_one_are_locked_with_it(described):
    """q4 = -0.5 q3 + 0.1; also of a robot that is attached with a prefix."""
    attached = Attachment.of("hand", hand(), "left_branch", prefix="h/")
    for robot, changes, prefix in ((md.load_urdf(hand()), (), ""), (described, (attached,), "h/")):
        held = {f"{prefix}j1": 0.25, f"{prefix}j3": 0.5}
        graph = applied(robot, (*changes, Lock(held))).graph
        assert locked_with_mimics(robot, (*changes, Lock(held)), graph) == held | {f"{prefix}j4": -0.15}
        assert locked_with_mimics(robot, (*changes, Lock({"j1": 0.25})), graph) == {"j1": 0.25}


def test_a_mimic_joint_that_was_removed_is_not_locked():
    robot, changes = md.load_urdf(hand()), (Removal("j4"), Lock({"j3": 0.5}))
    graph = applied(robot, changes).graph
    assert locked_with_mimics(robot, changes, graph) == {"j3": 0.5}

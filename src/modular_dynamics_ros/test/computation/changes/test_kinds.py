"""Other robots that are attached: where their descriptions are read from."""

import pytest

from modular_dynamics_ros.computation.changes.kinds import IDENTITY_POSE, Attachment
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

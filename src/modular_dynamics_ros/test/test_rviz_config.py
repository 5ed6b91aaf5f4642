"""The configuration of rviz2: rviz2 itself is not needed."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
import yaml

from helpers.paths import ROBOTS, ROOT
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.rviz_config import WRENCH_MARKERS, rviz_config

pytestmark = pytest.mark.ros


def displays(text, kind):
    """Those of one class."""
    manager = yaml.safe_load(text)["Visualization Manager"]
    return [one for one in manager["Displays"] if one["Class"] == f"rviz_default_plugins/{kind}"]


def test_it_shows_the_robot_and_the_arrows_of_all_subsystems():
    text = rviz_config("base", "robot_description")
    assert yaml.safe_load(text)["Visualization Manager"]["Global Options"]["Fixed Frame"] == "base"
    (model,) = displays(text, "RobotModel")
    assert model["Description Topic"]["Value"] == "robot_description"
    (arrows,) = displays(text, "MarkerArray")
    assert (arrows["Topic"]["Value"], arrows["Enabled"]) == ("dynamics_node/markers", True)


def test_markers_and_prefix():
    text = rviz_config("left/base", "/left/urdf", markers="node/markers", frame_prefix="left/")
    (*markers,), (model,) = displays(text, "MarkerArray"), displays(text, "RobotModel")
    assert [one["Topic"]["Value"] for one in markers] == [WRENCH_MARKERS, "node/markers"]
    assert model["TF Prefix"] == "left"  # rviz2 adds the slash


@pytest.mark.parametrize("prefix", ["left_", "/left/", "left//", "/"])
def test_a_prefix_that_rviz_cannot_show_is_refused(prefix):
    with pytest.raises(ValueError, match="rviz2 shows the robot if it ends in '/'"):
        rviz_config("base", "robot_description", frame_prefix=prefix)


def test_layouts_of_foxglove_and_plotjuggler_name_what_is_published():
    """Topics in docs/interfaces.md, and the joints of the care robot in the messages' order."""
    joints = load_robot(ROBOTS / "charmie.urdf").joint_names
    page = (ROOT / "docs" / "interfaces.md").read_text("utf-8")
    section = re.search(r"^## dynamics_node\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)[1]
    names = re.findall(r"^\| `~/([a-z_]+)` \| `[a-z_]+/[A-Z]\w+` \| reliable", section, re.MULTILINE)
    published = {f"/dynamics_node/{name}" for name in names}

    panels = json.loads((ROOT / "config/charmie_foxglove.json").read_text("utf-8"))["configById"].values()
    assert set().union(*(panel.get("topics", {}) for panel in panels)) <= published
    paths = [path for panel in panels for path in panel.get("paths", [])]
    for path in paths:
        topic, index = re.fullmatch(r"(.*)\.effort\[(\d+)\]", path["value"]).groups()
        assert (topic in published, joints[int(index)]) == (True, path["label"])
    assert sorted(path["label"] for path in paths) == sorted(joints)

    root = ET.parse(ROOT / "config/charmie_plotjuggler.xml").getroot()
    curves = {curve.get("name") for curve in root.iter("curve")}
    assert {"/".join(curve.split("/")[:3]) for curve in curves} <= published
    assert {f"/dynamics_node/joint_torques/{joint}/effort" for joint in joints} <= curves
    message = (ROOT / "src/modular_dynamics_interfaces/msg/TorqueTerms.msg").read_text("utf-8")
    lift = joints.index("torso_lift")
    for term in re.findall(r"^float64\[\] (\w+)", message, re.MULTILINE):
        assert f"/dynamics_node/torque_terms/{term}[{lift}]" in curves

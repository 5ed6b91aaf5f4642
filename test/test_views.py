"""Views of rviz2, Foxglove and PlotJuggler show what is published; none of the programs is needed."""

import json
import re
import xml.etree.ElementTree as ET

import pytest
import yaml

from helpers.paths import ROBOTS, ROOT
from modular_dynamics_ros.computation.robot import load_robot

pytestmark = pytest.mark.ros


def published(node):
    """Topics of a node in docs/reference/interfaces.md."""
    page = (ROOT / "docs/reference/interfaces.md").read_text("utf-8")
    section = re.search(rf"^## {node}\n(.*?)(^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]
    names = re.findall(r"^\| `~/([a-z_]+)` \| `[a-z_]+/[A-Z]\w+` \| reliable", section, re.MULTILINE)
    return {f"/{node}/{name}" for name in names}


def test_rviz_shows_the_robot_and_arrows():
    """The launch files replace the words in capitals."""
    text = (ROOT / "config/robot.rviz").read_text("utf-8")
    manager = yaml.safe_load(text)["Visualization Manager"]
    assert manager["Global Options"]["Fixed Frame"] == "FIXED_FRAME"
    displays = {one["Name"]: one for one in manager["Displays"]}
    assert displays["Robot"]["Description Topic"]["Value"] == "DESCRIPTION_TOPIC"
    assert displays["Robot"]["TF Prefix"] == "TF_PREFIX"
    shown = {f"/{one['Topic']['Value']}" for one in displays.values() if "Topic" in one}
    assert shown <= published("dynamics_node") | published("torso_reaction_node")
    assert len(shown) == 2


def test_layouts_of_foxglove_and_plotjuggler_name_what_is_published():
    """Topics in docs/reference/interfaces.md, and the joints of the care robot in the messages' order."""
    joints = load_robot(ROBOTS / "charmie.urdf").joint_names
    topics = published("dynamics_node")
    panels = json.loads((ROOT / "config/charmie_foxglove.json").read_text("utf-8"))["configById"].values()
    assert set().union(*(panel.get("topics", {}) for panel in panels)) <= topics
    paths = [path for panel in panels for path in panel.get("paths", [])]
    for path in paths:
        topic, index = re.fullmatch(r"(.*)\.effort\[(\d+)\]", path["value"]).groups()
        assert (topic in topics, joints[int(index)]) == (True, path["label"])
    assert sorted(path["label"] for path in paths) == sorted(joints)

    root = ET.parse(ROOT / "config/charmie_plotjuggler.xml").getroot()
    curves = {curve.get("name") for curve in root.iter("curve")}
    assert {"/".join(curve.split("/")[:3]) for curve in curves} <= topics
    assert {f"/dynamics_node/joint_torques/{joint}/effort" for joint in joints} <= curves
    message = (ROOT / "src/modular_dynamics_interfaces/msg/TorqueTerms.msg").read_text("utf-8")
    lift = joints.index("torso_lift")
    for term in re.findall(r"^float64\[\] (\w+)", message, re.MULTILINE):
        assert f"/dynamics_node/torque_terms/{term}[{lift}]" in curves

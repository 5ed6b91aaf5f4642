"""The configuration of rviz2: rviz2 itself is not needed."""

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

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


TERMS = re.findall(
    r"^float64\[\] (\w+)",
    (ROOT / "src/modular_dynamics_interfaces/msg/TorqueTerms.msg").read_text("utf-8"),
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def joints() -> tuple[str, ...]:
    """Of the messages, in their order."""
    return load_robot(ROBOTS / "charmie.urdf").joint_names


def published() -> set[str]:
    """Topics of dynamics_node in docs/interfaces.md."""
    text = (ROOT / "docs" / "interfaces.md").read_text("utf-8")
    section = re.search(r"^## dynamics_node\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    names = re.findall(r"^\| `~/([a-z_]+)` \| `[a-z_]+/[A-Z]\w+` \| reliable", section[1], re.MULTILINE)
    return {f"/dynamics_node/{name}" for name in names}


def leaves(layout: Any) -> list[str]:
    """Panels in a tree of splits."""
    if isinstance(layout, str):
        return [layout]
    assert layout["direction"] in ("row", "column")
    assert 0 < layout["splitPercentage"] < 100
    return [*leaves(layout["first"]), *leaves(layout["second"])]


def test_foxglove_shows_every_panel_with_values_that_are_published(joints: tuple[str, ...]) -> None:
    layout = json.loads((ROOT / "config" / "charmie_foxglove.json").read_text("utf-8"))
    panels = layout["configById"]
    assert sorted(leaves(layout["layout"])) == sorted(panels)
    assert {name.partition("!")[0] for name in panels} == {"3D", "Plot", "DiagnosticSummary"}
    shown = []
    for panel in panels.values():
        assert set(panel.get("topics", {})) <= published()
        for path in panel.get("paths", []):
            topic, index = re.fullmatch(r"(.*)\.effort\[(\d+)\]", path["value"]).groups()
            assert topic in published()
            assert joints[int(index)] == path["label"]
            shown.append(path["label"])
    assert sorted(shown) == sorted(joints)


def test_plotjuggler_shows_the_torques_of_all_joints(joints: tuple[str, ...]) -> None:
    root = ET.parse(ROOT / "config" / "charmie_plotjuggler.xml").getroot()
    tabs = root.findall("tabbed_widget/Tab")
    assert root.tag == "root"
    assert [tab.get("containers") for tab in tabs] == [str(len(tab.findall("Container"))) for tab in tabs]
    for splitter in root.iter("DockSplitter"):
        assert splitter.get("orientation") in ("-", "|")
        sizes = [float(size) for size in splitter.get("sizes").split(";")]
        assert len(sizes) == len(splitter) == int(splitter.get("count"))
        assert sum(sizes) == pytest.approx(1.0, abs=1e-3)
    curves = [curve.get("name") for curve in root.iter("curve")]
    for joint in joints:
        assert {
            f"/dynamics_node/{topic}/{joint}/effort" for topic in ("joint_torques", "external_torques")
        } <= {*curves}
    lift = joints.index("torso_lift")
    terms = [f"/dynamics_node/torque_terms/{term}[{lift}]" for term in TERMS]
    assert sorted(terms) == sorted(curve for curve in curves if "torque_terms" in curve)
    assert {"/".join(curve.split("/")[:3]) for curve in curves} <= published()

"""The layouts of Foxglove and PlotJuggler for CHARMIE: well-formed, of topics and joints that exist."""

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from helpers.paths import ROBOTS, ROOT
from modular_dynamics_ros.computation.robot import load_robot

pytestmark = pytest.mark.ros
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

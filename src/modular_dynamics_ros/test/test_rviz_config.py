"""The configuration of rviz2: rviz2 itself is not needed."""

import pytest
import yaml

import modular_dynamics as md
from modular_dynamics_ros.messages.terms.arrow_scales import LONGEST
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.rviz_config import WRENCH_MARKERS, robot_displays, rviz_config

pytestmark = pytest.mark.ros


def displays(text, kind):
    """Those of one class."""
    manager = yaml.safe_load(text)["Visualization Manager"]
    return [one for one in manager["Displays"] if one["Class"] == f"rviz_default_plugins/{kind}"]


@pytest.mark.parametrize(
    ("name", "partition"), [("charmie", ""), ("crane", ""), ("vendor_arm", "_partition.yaml")]
)
def test_it_shows_the_robot_from_its_root_with_the_wrench_on_each_subsystem(root, name, partition):
    file = str(root / f"urdf/{name}{partition}") if partition else None
    description = (root / f"urdf/{name}.urdf").read_text("utf-8")
    graph = md.load_urdf(description, file)
    link, wrenches = robot_displays(description, file)
    text = rviz_config(link, "robot_description", wrenches)
    options = yaml.safe_load(text)["Visualization Manager"]["Global Options"]
    assert options["Fixed Frame"] == link == graph.links[0]
    (model,) = displays(text, "RobotModel")
    assert model["Description Topic"]["Value"] == "robot_description"
    shown = {one["Name"]: one["Topic"]["Value"] for one in displays(text, "Wrench")}
    assert shown == {
        f"Wrench on {one.name}": f"dynamics_node/connections/{topic_name(one.name)}/wrench"
        for one in graph.subsystems
    }
    # the arrows of all are one display; those of one subsystem can be switched on
    assert not any(one["Enabled"] for one in displays(text, "Wrench"))
    (arrows,) = displays(text, "MarkerArray")
    assert (arrows["Topic"]["Value"], arrows["Enabled"]) == ("dynamics_node/markers", True)


def test_the_weight_has_an_arrow_of_one_length_whatever_the_robot_weighs(root):
    for name in ("charmie", "four_link"):
        description = (root / f"urdf/{name}.urdf").read_text("utf-8")
        weight = 9.81 * sum(body.mass for body in md.load_urdf(description).bodies)
        (arrow, *_) = displays(rviz_config("world", "x", robot_displays(description, None)[1]), "Wrench")
        assert arrow["Force Arrow Scale"] * weight == pytest.approx(LONGEST)


def test_markers_and_prefix():
    text = rviz_config("left/base", "/left/urdf", [], markers="node/markers", frame_prefix="left/")
    (*markers,), (model,) = displays(text, "MarkerArray"), displays(text, "RobotModel")
    assert [one["Topic"]["Value"] for one in markers] == [WRENCH_MARKERS, "node/markers"]
    assert model["TF Prefix"] == "left"  # rviz2 adds the slash


@pytest.mark.parametrize("prefix", ["left_", "/left/", "left//", "/"])
def test_a_prefix_that_rviz_cannot_show_is_refused(prefix):
    with pytest.raises(ValueError, match="rviz2 shows the robot if it ends in '/'"):
        rviz_config("base", "robot_description", [], frame_prefix=prefix)


def test_defects_of_the_robot_are_not_reported_twice(root, recwarn):
    """dynamics_node logs them."""
    description = (root / "urdf/four_link.urdf").read_text("utf-8").replace('ixx="', 'ixx="9', 1)
    robot_displays(description, None)
    assert [str(one.message) for one in recwarn] == []
    md.load_urdf(description)
    assert len(recwarn) > 0

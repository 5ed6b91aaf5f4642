"""What the library does not read stays in the text, by link and joint, after every kind of change."""

import pickle
import re

import numpy as np
import pytest
from lxml import etree
from urdf_parser_py.urdf import URDF

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.robots.urdf_text import inertial, joint, robot
from modular_dynamics.algebra import from_xyz_rpy

POSE = from_xyz_rpy([0.3, -0.2, 0.5], [0.4, 1.1, -2.0])
NAMES = sorted(path.stem for path in ROBOTS.glob("*.urdf"))


def drawn(text, prefix=""):
    """Visuals and collisions by link, without white space; of names with this prefix, which is left out."""
    text = text.replace(f'<material name="{prefix}', '<material name="')
    parser = etree.XMLParser(remove_blank_text=True, remove_comments=True)
    root = etree.fromstring(text.encode(), parser)
    return {
        link.get("name").removeprefix(prefix): [
            etree.tostring(own, method="c14n") for own in link if own.tag != "inertial"
        ]
        for link in root.findall("link")
        if link.get("name").startswith(prefix)
    }


def arm(color="1 0 0 1", name="arm", more=""):
    """Two links, drawn in a colour of that name."""
    visual = (
        '<visual><geometry><box size="{0} 1 1"/></geometry><material name="paint"/></visual>'
        '<collision><geometry><sphere radius="{0}"/></geometry></collision>'
    )
    mass, safety = inertial(1, (0, 0, 0), np.eye(3)), '<safety_controller k_velocity="7"/>'
    return robot(
        name,
        [
            f'<material name="paint"><color rgba="{color}"/></material>',
            f'<link name="base">{visual.format(1)}</link>',
            f'<link name="hand">{mass}{visual.format(2)}</link>',
            f'<link name="tip">{mass}<sensor name="eye"/></link>',
            joint("wrist", "revolute", "base", "hand", (0.1, 0.2, 0.3), (0.3, 0, 0), (0, 0, 1), more=safety),
            joint("claw", "prismatic", "hand", "tip", (0, 0, 1), axis=(1, 0, 0)),
            more,
        ],
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_robot_is_drawn_as_before(load_robot, name):
    graph = load_robot(name)
    before = drawn(graph.urdf)
    assert drawn(graph.to_urdf()) == before
    joints = [own.name for own in graph.joints if own.type.nq == 1 and own.mimic is None]
    changed = graph.with_payload(graph.links[-1], mass=1.0).with_parameters(
        {f"joint {joints[0]} origin x": 0.123}
    )
    assert changed.urdf == ""
    assert drawn(changed.to_urdf()) == before
    assert drawn(pickle.loads(pickle.dumps(changed)).to_urdf()) == before


@pytest.mark.parametrize(("name", "prefix"), [("vendor_arm", "tool_"), ("four_link", "")])
def test_the_shapes_of_attached_robots_come_along(load_robot, name, prefix):
    graph, tool = load_robot("charmie"), load_robot(name)
    text = graph.attach(tool, graph.links[-1], POSE, prefix=prefix).to_urdf()
    own = {link: shapes for link, shapes in drawn(text).items() if link in graph.links}
    assert own == drawn(graph.urdf)
    theirs = {link: shapes for link, shapes in drawn(text, prefix).items() if link in tool.links}
    assert theirs == drawn(tool.urdf)
    both = URDF.from_xml_string(text)  # as robot_state_publisher's and rviz's tools do
    used = {material.name for material in URDF.from_xml_string(tool.urdf).materials}
    assert {prefix + name for name in used} <= {material.name for material in both.materials}


def test_prefixes_add_up():
    inner = md.load_urdf(arm())
    text = inner.attach(inner.attach(inner, "hand", prefix="b_"), "hand", POSE, prefix="a_").to_urdf()
    for prefix in ("", "a_", "a_b_"):
        own = drawn(text, prefix)
        assert [own[link] for link in ("base", "hand", "tip")] == [*drawn(arm()).values()]
        assert f'<joint name="{prefix}wrist"' in text


def test_what_was_removed_is_not_drawn_on_what_comes_instead():
    """The new hand has the name of the old one, which another text describes."""
    graph = md.load_urdf(arm()).without("hand")
    other = md.load_urdf(
        arm()
        .replace('box size="2', 'box size="99')
        .replace('link="base"', 'link="root"')
        .replace('name="base"', 'name="root"')
    )
    text = graph.attach(other, "base").to_urdf()
    assert drawn(text)["hand"] == drawn(other.urdf)["hand"]
    assert 'size="2 1 1"' not in text


def test_texts_of_removed_robots_are_let_go():
    graph = tool = md.load_urdf(arm())
    for k in range(50):
        graph = graph.attach(tool, "tip", prefix=f"tool{k}_").without(f"tool{k}_base")
        assert [source.prefix for source in graph.sources] == [""]
    assert graph.sources == tool.sources
    assert drawn(graph.to_urdf()) == drawn(tool.urdf)


def test_materials_of_an_attached_robot_have_its_prefix():
    red, blue = md.load_urdf(arm("1 0 0 1")), md.load_urdf(arm("0 0 1 1"))
    found = URDF.from_xml_string(red.attach(blue, "tip", prefix="b_").to_urdf())
    colors = {own.name: own.color.rgba for own in found.materials}
    assert colors == {"paint": [1.0, 0.0, 0.0, 1.0], "b_paint": [0.0, 0.0, 1.0, 1.0]}
    links = {own.name: own.visual.material.name for own in found.links if own.visual}
    assert (links["hand"], links["b_hand"]) == ("paint", "b_paint")


def test_one_material_of_a_name_is_written():
    """Readers refuse two: without a prefix the first one's colour counts."""
    blue = arm("0 0 1 1")
    for name in ("base", "hand", "tip", "wrist", "claw"):
        blue = blue.replace(f'"{name}"', f'"b_{name}"')
    found = URDF.from_xml_string(md.load_urdf(arm("1 0 0 1")).attach(md.load_urdf(blue), "tip").to_urdf())
    assert [(own.name, own.color.rgba) for own in found.materials] == [("paint", [1.0, 0.0, 0.0, 1.0])]


def test_joints_keep_what_only_other_programs_read():
    graph = md.load_urdf(arm())
    assert graph.to_urdf().count("safety_controller") == 1
    assert graph.attach(graph, "tip", prefix="b_").to_urdf().count("safety_controller") == 2
    assert "safety_controller" not in graph.lock({"wrist": 0.1}).to_urdf()
    assert '<sensor name="eye"/>' in graph.to_urdf()


def test_origins_are_written_as_in_the_source_unless_they_changed():
    text = arm()
    number = re.search(r'name="wrist".*?xyz="(\S+)', text, re.DOTALL)[1]
    text = text.replace(f'xyz="{number} ', 'xyz="+10e-2 ', 1)
    graph = md.load_urdf(text)
    origin = etree.fromstring(text).find("joint[@name='wrist']/origin").attrib
    written = etree.fromstring(graph.to_urdf()).find("joint[@name='wrist']/origin").attrib
    assert written == origin
    assert written["xyz"].startswith("+10e-2 ")
    moved = graph.with_parameters({"joint wrist origin z": 0.3 + 1e-12})
    assert md.load_urdf(moved.to_urdf()).parameters["joint wrist origin z"].value == 0.3 + 1e-12
    turned = graph.lock({"wrist": 1e-9})
    assert etree.fromstring(turned.to_urdf()).find("joint[@name='wrist']/origin").attrib != origin


OTHERS = """<gazebo reference="hand"><mu1>0.3</mu1></gazebo><gazebo reference="wrist"/>
  <gazebo><plugin name="p" filename="q"/></gazebo>
  <transmission name="t"><joint name="claw"><hardwareInterface/></joint><actuator name="m"/></transmission>
  <ros2_control name="sys" type="system"><hardware/>
    <joint name="wrist"><command_interface name="effort"/></joint>
    <joint name="claw"><state_interface name="position"/></joint></ros2_control>"""


def names_in(text):
    """Of elements beside links and joints: their kind, and the names of links and joints in them."""
    root = etree.fromstring(text)
    return [
        (
            own.tag,
            *filter(None, [own.get("reference"), own.get("name")]),
            *(j.get("name") for j in own.findall("joint")),
        )
        for own in root
        if own.tag not in ("link", "joint", "material", "modular_dynamics")
    ]


def test_elements_for_gazebo_and_controllers_stay_as_far_as_what_they_name_does():
    graph = md.load_urdf(arm(more=OTHERS))
    everything = [
        ("gazebo", "hand"),
        ("gazebo", "wrist"),
        ("gazebo",),
        ("transmission", "t", "claw"),
        ("ros2_control", "sys", "wrist", "claw"),
    ]
    assert names_in(graph.to_urdf()) == everything
    assert "<mu1>0.3</mu1>" in graph.to_urdf()
    locked = names_in(graph.lock({"claw": 0.0}).to_urdf())
    assert locked == [*everything[:3], ("ros2_control", "sys", "wrist")]
    assert names_in(graph.without("hand").to_urdf()) == [("gazebo",), ("ros2_control", "sys")]
    both = names_in(md.load_urdf(arm()).attach(graph, "tip", prefix="b_").to_urdf())
    assert both == [
        ("gazebo", "b_hand"),
        ("gazebo", "b_wrist"),
        ("transmission", "b_t", "b_claw"),
        ("ros2_control", "b_sys", "b_wrist", "b_claw"),
    ]

"""examples/ros2_control: its files agree with each other."""

from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

import modular_dynamics as md
from helpers.paths import ROOT
from modular_dynamics.urdf import plain_urdf

EXAMPLE = ROOT / "examples" / "ros2_control"
# What joint_trajectory_controller of Jazzy takes together.
COMBINATIONS = [
    {"position"},
    {"velocity"},
    {"acceleration"},
    {"effort"},
    {"position", "velocity"},
    {"position", "effort"},
    {"position", "velocity", "acceleration"},
]


@pytest.fixture(scope="module")
def nodes():
    content = yaml.safe_load((EXAMPLE / "controllers.yaml").read_text("utf-8"))
    return {name: node["ros__parameters"] for name, node in content.items()}


@pytest.fixture(scope="module")
def dynamics():
    content = yaml.safe_load((EXAMPLE / "dynamics.yaml").read_text("utf-8"))
    return content["/**"]["dynamics_node"]["ros__parameters"]


def types(nodes):
    manager = nodes["controller_manager"]
    return {name: value["type"] for name, value in manager.items() if isinstance(value, dict)}


def interfaces(kind, **arguments):
    """By joint, the command or state interfaces in the URDF's section ros2_control."""
    root = ElementTree.fromstring(plain_urdf(str(EXAMPLE / "arm.urdf.xacro"), arguments))
    section = root.find("ros2_control")
    return {one.get("name"): {i.get("name") for i in one.findall(kind)} for one in section.findall("joint")}


def test_the_joints_of_all_files_are_the_robots(nodes, dynamics):
    graph = md.load_urdf(EXAMPLE / "arm.urdf.xacro")
    lists = [node["joints"] for node in nodes.values() if "joints" in node]
    assert len(lists) == 3
    assert [set(joints) for joints in lists] == [set(graph.joint_names)] * 3
    assert set(interfaces("command_interface")) == set(graph.joint_names)
    # the array of torques has no names
    assert dynamics["controller_joints"] == nodes["effort_controller"]["joints"]
    gains = nodes["arm_effort_controller"]["gains"]
    assert {joint for joint, own in gains.items() if own["p"] > 0 and own["d"] > 0} == set(graph.joint_names)


def test_the_interfaces_of_the_controllers_exist_and_fit(nodes):
    commands, states = interfaces("command_interface"), interfaces("state_interface")
    claimed = {}
    for name, kind in types(nodes).items():
        own = nodes.get(name, {})
        wanted = set(
            own.get("command_interfaces", [own["interface_name"]] if "interface_name" in own else [])
        )
        claimed[name] = wanted
        assert all(wanted <= commands[joint] for joint in own.get("joints", ()))
        assert all(set(own.get("state_interfaces", ())) <= states[joint] for joint in own.get("joints", ()))
        if kind.startswith("joint_trajectory"):
            assert wanted in COMBINATIONS
            assert {"position", "velocity"} <= set(own["state_interfaces"])  # effort needs both
    assert claimed["arm_controller"] & claimed["effort_controller"] == set()  # they run together


def test_the_mock_takes_efforts_alone():
    """With calculate_dynamics GenericSystem refuses a controller that claims the effort alone."""
    text = plain_urdf(str(EXAMPLE / "arm.urdf.xacro"), {})
    hardware = ElementTree.fromstring(text).find("ros2_control/hardware")
    assert hardware.findtext("plugin") == "mock_components/GenericSystem"
    assert [one.get("name") for one in hardware.findall("param")] == []
    other = ElementTree.fromstring(plain_urdf(str(EXAMPLE / "arm.urdf.xacro"), {"plugin": "driver/Arm"}))
    assert other.findtext("ros2_control/hardware/plugin") == "driver/Arm"


def test_the_robot_is_sound_and_its_limits_carry_its_weight():
    graph = md.load_urdf(EXAMPLE / "arm.urdf.xacro", strict=True)
    assert list(graph.warnings) == []
    root = ElementTree.fromstring(plain_urdf(str(EXAMPLE / "arm.urdf.xacro"), {}))
    limits = {one.get("name"): float(one.find("limit").get("effort")) for one in root.findall("joint")}
    stretched = np.array([0.0, np.pi / 2, 0.0, 0.0])
    torques = md.inverse_dynamics(graph, stretched, np.zeros(4), np.zeros(4))
    # about y, of rods along x: sums of mass times distance from the joint
    lift = 9.81 * (3.0 * 0.2 + 2.0 * (0.4 + 0.175) + 0.8 * (0.75 + 0.06))
    assert torques[1] == pytest.approx(-lift, rel=1e-3)
    limit = [limits[name] for name in graph.joint_names]
    assert (np.abs(torques) < np.array(limit)).all()

"""examples/ros2_control/arm.launch.py: what it starts."""

from pathlib import Path

import pytest
import yaml
from ament_index_python.packages import get_packages_with_prefixes

from helpers.nodes.launch_commands import description, started
from helpers.paths import ROOT

EXAMPLE = ROOT / "examples" / "ros2_control"
FILE = str(EXAMPLE / "arm.launch.py")
PACKAGES = (
    "control_msgs",
    "controller_manager",
    "forward_command_controller",
    "hardware_interface",
    "joint_state_broadcaster",
    "joint_trajectory_controller",
)


@pytest.fixture
def ros2_control(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing packages in the ament index, with programs that nobody starts."""
    index = tmp_path / "share/ament_index/resource_index/packages"
    programs = tmp_path / "lib/controller_manager"
    for folder in (index, programs):
        folder.mkdir(parents=True)
    for name in {*PACKAGES} - get_packages_with_prefixes().keys():
        (index / name).touch()
    for name in ("ros2_control_node", "spawner"):
        (programs / name).write_text("#!/bin/false\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path), prepend=":")


@pytest.mark.usefixtures("ros2_control")
def test_every_argument_of_its_own_is_described() -> None:
    own = description(FILE).get_launch_arguments()
    assert {"plugin", "controllers"} <= {one.name for one in own}
    assert [one.name for one in own if one.description in ("", "no description given")] == []


@pytest.mark.usefixtures("ros2_control")
def test_the_manager_its_controllers_and_the_nodes_start(monkeypatch: pytest.MonkeyPatch) -> None:
    running = started(monkeypatch, FILE)
    names = {"ros2_control_node", "spawner", "robot_state_publisher", "dynamics_node"}
    assert set(running) == names
    controllers = yaml.safe_load((EXAMPLE / "controllers.yaml").read_text("utf-8"))
    manager = controllers["controller_manager"]["ros__parameters"]
    *activated, option, path = running["spawner"].words[: running["spawner"].words.index("--ros-args")]
    assert (option, path) == ("--param-file", str(EXAMPLE / "controllers.yaml"))
    assert set(activated) <= set(manager)
    node = running["dynamics_node"]
    topics = {name: topic for name, topic in node.remapped.items() if not name.startswith("__")}
    assert topics == {
        "~/effort_commands": "/effort_controller/commands",
        "controller_state": "/arm_controller/controller_state",
    }
    assert {"effort_controller", "arm_controller"} <= set(activated)
    assert node.parameters["reference_type"] == "controller_state"
    assert node.parameters["robot_description_file"] == str(EXAMPLE / "arm.urdf.xacro")
    robot = running["robot_state_publisher"].parameters["robot_description"]
    assert "<plugin>mock_components/GenericSystem</plugin>" in robot


@pytest.mark.usefixtures("ros2_control")
def test_a_driver_and_other_controllers_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = "joint_state_broadcaster arm_effort_controller"
    running = started(monkeypatch, FILE, plugin="driver/Arm", controllers=chosen)
    assert "<plugin>driver/Arm</plugin>" in running["robot_state_publisher"].parameters["robot_description"]
    assert running["spawner"].words[:2] == chosen.split()
    assert list(running["dynamics_node"].parameters["xacro_arguments"]) == ["plugin:=driver/Arm"]

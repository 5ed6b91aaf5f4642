"""Every argument of every launch file changes what is started, and nothing reaches only some of the nodes."""

from pathlib import Path

import pytest
import yaml

from helpers.nodes.launch_commands import Process, description, started
from helpers.nodes.launch_probe import CHARMIE, SHARE

LAUNCH_FILES = ("charmie_demo", "charmie_torso", "dynamics", "modular_assembly")
CONFIG, URDF = SHARE / "config", SHARE / "urdf"
XACRO = """<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="tool" default="hand"/>
<link name="base"/><link name="$(arg tool)"/><joint name="j" type="revolute">
<parent link="base"/><child link="$(arg tool)"/><axis xyz="0 0 1"/>
<limit effort="1" velocity="1" lower="-1" upper="1"/></joint></robot>"""
SHOWN = {"rviz": "true"}
# argument -> value other than the default, and the other arguments with which it is compared
OTHER: dict[str, tuple[str, dict[str, str]]] = {
    "urdf": (str(URDF / "four_link.urdf"), {}),
    "xacro_arguments": ("tool:=gripper", {"urdf": "XACRO"}),
    "partition_file": (str(URDF / "vendor_arm_partition.yaml"), {"urdf": str(URDF / "vendor_arm.urdf")}),
    "params_file": ("PARAMS", {}),
    "robot_state_publisher": ("false", {"urdf": str(CHARMIE)}),
    "namespace": ("left", {}),
    "use_sim_time": ("true", {}),
    "frame_prefix": ("left/", {}),
    "joint_states": ("/arm/joint_states", {}),
    "robot_description": ("/arm/robot_description", {}),
    "reference": ("/arm/reference", {}),
    "controller_state": ("/arm_controller/controller_state", {}),
    "effort_commands": ("/effort_controller/commands", {}),
    "autostart": ("false", {}),
    "respawn": ("false", {}),
    "log_level": ("debug", {}),
    "rviz": ("true", {}),
    "rviz_config": ("RVIZ", SHOWN),
    "fixed_frame": ("map", SHOWN),
    "loop": ("false", {}),
    "motion_file": (str(CONFIG / "exoskeleton_motion.yaml"), {}),
    "rules_file": ("PARAMS", {}),
    "assembly_file": ("PARAMS", {}),
    "gait_file": ("PARAMS", {}),
}


def walk() -> list[tuple[str, str]]:
    """All arguments of all launch files."""
    names = {name: description(f"{name}.launch.py").get_launch_arguments() for name in LAUNCH_FILES}
    return [(name, one.name) for name, arguments in names.items() for one in arguments]


@pytest.fixture
def file(tmp_path: Path) -> dict[str, str]:
    """Files that the table above names."""
    contents = {
        "XACRO": XACRO,
        "PARAMS": "{dynamics_node: {ros__parameters: {rate: 7.0}}}",
        "RVIZ": "Panels: []",
    }
    for name, text in contents.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return {name: str(tmp_path / f"{name}.yaml") for name in contents}


def visible(processes: dict[str, Process]) -> str:
    """All that is known of the processes, with what rviz2's file holds in place of its name."""
    for process in processes.values():
        process.words = [Path(w).read_text() if w.endswith(".rviz") else w for w in process.words]
    return repr(processes)


@pytest.mark.parametrize(("launch_file", "name"), walk())
def test_every_argument_has_an_effect(
    launch_file: str, name: str, file: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all that `ros2 launch ... --show-args` lists."""
    value, others = OTHER[name]
    declared = {one.name for one in description(f"{launch_file}.launch.py").get_launch_arguments()}
    given = {key: file.get(other, other) for key, other in others.items() if key in declared}
    before = visible(started(monkeypatch, f"{launch_file}.launch.py", **given))
    after = visible(
        started(monkeypatch, f"{launch_file}.launch.py", **given, **{name: file.get(value, value)})
    )
    assert before != after


@pytest.mark.parametrize("launch_file", LAUNCH_FILES)
def test_clock_and_namespace_reach_every_process(launch_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"urdf": str(CHARMIE)} if launch_file == "dynamics" else {}
    arguments = {"use_sim_time": "true", "namespace": "left", "rviz": "true", **given}
    processes = started(monkeypatch, f"{launch_file}.launch.py", **arguments)
    assert len(processes) >= 3
    for process in processes.values():
        assert process.parameters["use_sim_time"] is True, process
        assert process.remapped["__ns"] == "/left", process


def test_a_running_robot_gets_nothing_but_dynamics_node(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = {"joint_states": "/ur5/joint_states", "robot_description": "/ur5/robot_description"}
    topics |= {"reference": "/ur5/reference", "effort_commands": "/effort_controller/commands"}
    processes = started(monkeypatch, "dynamics.launch.py", **topics)
    assert set(processes) == {"dynamics_node"}
    node = processes["dynamics_node"]
    assert "robot_description_file" not in node.parameters
    expected = {topic: topics[topic] for topic in ("joint_states", "robot_description", "reference")}
    expected["~/effort_commands"] = topics["effort_commands"]
    assert {k: v for k, v in node.remapped.items() if not k.startswith("__")} == expected


@pytest.mark.parametrize("launch_file", ["charmie_demo", "charmie_torso", "modular_assembly"])
def test_topics_are_remapped_for_all_that_use_them(launch_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    processes = started(monkeypatch, f"{launch_file}.launch.py", joint_states="/x", reference="/y")
    publisher = processes.pop("robot_state_publisher")
    closed = launch_file == "charmie_torso"
    assert publisher.remapped["joint_states"] == ("dynamics_node/completed_joint_states" if closed else "/x")
    assert [name for name, one in processes.items() if one.remapped.get("joint_states") != "/x"] == []
    followers = [name for name in processes if name != "assembly_node"]
    assert [name for name in followers if processes[name].remapped.get("reference") != "/y"] == []


def test_rviz_shows_the_robot_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    crane = {"urdf": str(URDF / "crane.urdf"), "frame_prefix": "left/", "robot_description": "/left/urdf"}
    processes = started(monkeypatch, "dynamics.launch.py", rviz="true", **crane)
    option, path, *_ = processes["rviz2"].words
    manager = yaml.safe_load(Path(path).read_text())["Visualization Manager"]
    assert option == "-d"
    assert manager["Global Options"]["Fixed Frame"].startswith("left/")
    for name in ("robot_state_publisher", "dynamics_node"):
        assert processes[name].parameters["frame_prefix"] == "left/"
    (model,) = [one for one in manager["Displays"] if one["Class"].endswith("/RobotModel")]
    assert (model["Description Topic"]["Value"], model["TF Prefix"]) == ("/left/urdf", "left")


def test_strings_reach_the_nodes_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither blanks nor what YAML would read as something else."""
    folder = tmp_path / "a b: c #d"
    folder.mkdir()
    urdf, params = folder / "1 robot.xacro", folder / "no params.yaml"
    urdf.write_text(XACRO)
    params.write_text("dynamics_node: {ros__parameters: {rate: 7.0}}")
    given = {"urdf": str(urdf), "params_file": str(params), "xacro_arguments": '"tool:=left hand: 1"'}
    processes = started(monkeypatch, "dynamics.launch.py", frame_prefix="1e3", **given)
    parameters = processes["dynamics_node"].parameters
    assert parameters["robot_description_file"] == str(urdf)
    assert parameters["xacro_arguments"] == ["tool:=left hand: 1"]
    assert parameters["rate"] == pytest.approx(7.0)
    publisher = processes["robot_state_publisher"].parameters
    assert 'name="left hand: 1"' in publisher["robot_description"]
    assert publisher["frame_prefix"] == "1e3"


def test_respawn_is_for_what_answers_joint_states(monkeypatch: pytest.MonkeyPatch) -> None:
    for launch_file, expected in (
        ("charmie_torso", {"dynamics_node", "torso_reaction_node"}),
        ("modular_assembly", {"dynamics_node"}),  # a new assembly_node would not know what is docked
    ):
        processes = started(monkeypatch, f"{launch_file}.launch.py")
        assert {name for name, one in processes.items() if one.respawn} == expected
        assert {processes[name].respawn_delay for name in expected} == {0.5}
        # the lifecycle is started by the node itself, so that it is after a respawn, too
        assert all(processes[name].parameters["autostart"] is True for name in expected)

import math
import re
from pathlib import Path

import pytest

from modular_dynamics.model import Limits
from modular_dynamics_ros.computation.robot import load_robot, position_range, xacro_mappings
from modular_dynamics_ros.exceptions import RobotError, SettingError


@pytest.mark.parametrize(
    ("arguments", "mappings"),
    [([], None), (["a:=1", "b:="], {"a": "1", "b": ""}), (["a:=x:=y"], {"a": "x:=y"})],
)
def test_arguments_of_xacro_files(arguments, mappings):
    assert xacro_mappings(arguments) == mappings


@pytest.mark.parametrize("argument", ["a=1", "a", ":=1", ""])
def test_what_is_no_argument_of_a_xacro_file(argument):
    with pytest.raises(RobotError, match=f"xacro_arguments has '{argument}'; name:=value is needed"):
        load_robot("robot.xacro", xacro_arguments=[argument])


def test_a_xacro_file_with_arguments(tmp_path, four_link):
    pytest.importorskip("xacro")
    path = tmp_path / "r.urdf.xacro"
    text = (
        Path(four_link).read_text().replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    )
    path.write_text(text.replace('name="turn"', 'name="$(arg prefix)turn"'))
    assert load_robot(str(path), xacro_arguments=["prefix:=left_"]).joint_names[0] == "left_turn"
    with pytest.raises(RobotError, match="Undefined substitution argument prefix"):
        load_robot(str(path))
    misspelt = load_robot(str(path), xacro_arguments=["prefix:=left_", "prefx:=right_"])
    assert "the argument 'prefx'; it is ignored" in misspelt.warnings[0]
    with pytest.raises(RobotError, match=r"strict: .*the argument 'prefx'; there is no"):
        load_robot(str(path), xacro_arguments=["prefix:=left_", "prefx:=right_"], strict=True)


@pytest.mark.parametrize(
    ("parent", "mimic", "states"),
    [
        ("b", "", ("j1", "j2", "j3")),  # beyond the box
        ("a", "", ("j1", "j3")),  # beside it
        ("a", "<mimic joint='j2'/>", ("j1", "j2")),  # beside it, driven from inside
        ("a", "<mimic joint='j1'/>", ("j1",)),
    ],
)
def test_the_state_of_a_black_box_is_needed_where_something_moves_with_it(chain, parent, mimic, states):
    robot = load_robot(chain(parent, mimic))
    assert robot.state_names == states
    assert robot.joint_names == tuple(name for name in states if name != "j2")
    assert [robot.state_names[k] for k in robot.published] == list(robot.joint_names)


FIXED = "<link name='b'/><joint name='f' type='fixed'><parent link='a'/><child link='b'/></joint>"


def test_warnings_are_summaries_by_kind_and_notes_kept_apart(four_link):
    text = Path(four_link).read_text()
    doubtful = re.sub(r'(<inertia ixx=")[^"]*"', r'\g<1>0.1"', text)
    doubtful = re.sub(r'velocity="[^"]*"', 'velocity="0"', doubtful)
    robot = load_robot(doubtful)
    (warning,) = robot.warnings
    assert warning.startswith("broken triangle inequality: ")
    assert len(robot.graph.warnings) > 1
    (note,) = robot.graph.notes
    assert note.startswith(
        "velocity limit of zero: 4 joints, 'turn', 'bend', 'left', 'right'. The first: line "
    )
    assert load_robot(four_link).warnings == load_robot(four_link).graph.notes == ()


@pytest.mark.parametrize("rest", ["", FIXED])
def test_a_robot_without_a_moving_joint_is_refused(rest):
    with pytest.raises(RobotError, match="'still' has no moving joint"):
        load_robot(f"<robot name='still'><link name='a'/>{rest}</robot>")


def test_a_bad_partition_is_refused(four_link, tmp_path):
    path = tmp_path / "partition.yaml"
    path.write_text("version: 1\nsubsystems:\n  - {name: stem, joints: [turn, nonsense]}\n")
    with pytest.raises(SettingError, match=r"partition_file: partition\.yaml, line 3: .*nonsense"):
        load_robot(four_link, str(path))
    with pytest.raises(SettingError, match=r"partition_file: .*nowhere\.yaml"):
        load_robot(four_link, str(tmp_path / "nowhere.yaml"))


def test_a_bad_tag_is_the_descriptions_fault_also_with_a_partition_file(four_link, tmp_path):
    path = tmp_path / "partition.yaml"
    path.write_text("version: 1\npassive: []\n")
    tag = '<subsystem name="s" root_link="nonsense"/>'
    urdf = f'<robot name="r"><link name="a"/><modular_dynamics version="1">{tag}</modular_dynamics></robot>'
    with pytest.raises(RobotError, match="nonsense") as caught:
        load_robot(urdf, str(path))
    assert not isinstance(caught.value, SettingError)


pytestmark = pytest.mark.ros


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (-1.0, 2.0, (-1.0, 2.0)),
        (0.5, 0.5, (0.5, 0.5)),
        (None, 2.0, (-math.inf, 2.0)),
        (-1.0, None, (-1.0, math.inf)),
        (None, None, (-math.inf, math.inf)),
        (0.0, 0.0, (-math.inf, math.inf)),
        (-0.0, 0.0, (-math.inf, math.inf)),
        (1.0, -1.0, (-math.inf, math.inf)),
    ],
)
def test_ranges(lower, upper, expected):
    assert position_range(Limits(lower, upper)) == expected

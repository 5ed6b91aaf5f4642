"""Folders of robots with parallel linkages: own ones are closed from zero, and torques are Pinocchio's."""

import re

import pytest
import yaml

from benchmark.studies.parallel_robots import closed, differences, folders, main, read_robot
from helpers.robots.parallel_mechanisms import Builder, ankle, delta

TYPES = {"fixed": "6d", "spherical": "3d"}


def written(root, builder, motors, **changes):
    """A folder with the mechanism; its loops join links that are fixed where the loop joints' anchors are."""
    urdf, pairs, kinds, frames = builder.urdf(), [], [], []
    for name, kind, ends in re.findall(r'<loop_joint name="(.*?)" type="(.*?)">(.*?)</loop_joint>', urdf):
        pair = [f"{name}_{k}" for k in range(2)]
        anchors = re.findall(r'cessor link="(\S+)" (.*?)/>', ends)
        for frame, (link, place) in zip(pair, anchors, strict=True):
            parts = f'<parent link="{link}"/><child link="{frame}"/><origin {place}/>'
            frames.append(f'<link name="{frame}"/><joint name="{frame}_weld" type="fixed">{parts}</joint>')
        pairs.append(pair)
        kinds.append(TYPES[kind])
    urdf = re.sub(r"<modular_dynamics.*</modular_dynamics>", "".join(frames), urdf)
    types = {
        name: f"UJOINT_{axes.upper()}" if len(axes) == 2 else "SPHERICAL"
        for name, axes in builder.axes.items()
    }
    content = {"closed_loop": pairs, "type": kinds, "name_mot": list(motors)}
    if builder.merged:
        content |= {"joint_name": list(types), "joint_type": list(types.values())}
    root.mkdir(parents=True)
    (root / "robot.urdf").write_text(urdf)
    (root / "robot.yaml").write_text(yaml.safe_dump(content | changes))
    return root


ANKLE = ("left_motor", "right_motor")
DELTA = ("motor_0", "motor_1", "motor_2")


@pytest.mark.parametrize("merged", [False, True])
def test_an_ankle_is_closed_and_its_torques_are_those_of_pinocchio(tmp_path, merged):
    """Also with joints of several axes written as one that robot.yaml replaces."""
    robot = closed(read_robot(written(tmp_path / "ankle", ankle(Builder(merged)), ANKLE)))
    assert (robot.free, robot.graph.nv) == (0, 14)
    assert max(differences(robot, 3)) < 1e-10


def test_rods_that_spin_are_counted(tmp_path):
    robot = closed(read_robot(written(tmp_path / "delta", delta(), DELTA)))
    assert robot.free == 3
    assert max(differences(robot, 3)) < 1e-10


def test_the_command_prints_all_folders_and_why_one_stays_open(tmp_path, capsys):
    """By their paths, for names repeat."""
    written(tmp_path / "a" / "ankle", ankle(), ANKLE)
    written(tmp_path / "b" / "delta", delta(platform=2.0), DELTA)
    assert [folder.name for folder in folders(tmp_path)] == ["ankle", "delta"]
    assert main([str(tmp_path), "--states", "1"]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert re.search(r"a/ankle 2 14 2 0 \S+e-1\d \S+e-1\d", printed)
    assert re.search(r"b/delta inf .*b/delta: .*close", printed)


def test_a_frame_that_does_not_exist_is_named(tmp_path):
    folder = written(tmp_path / "ankle", ankle(), ANKLE, closed_loop=[["here", "there"]], type=["6d"])
    with pytest.raises(ValueError, match="frame here"):
        read_robot(folder)

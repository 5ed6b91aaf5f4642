"""has_loops: read from the tags and the partition file, section by section, without building a model."""

import pytest

import modular_dynamics as md
from helpers.tree_strategies import ROBOTS
from modular_dynamics.urdf import has_loops

LOOPS = {"charmie_torso", "four_bar", "slider_crank", "crane", "exoskeleton"}
NO_LOOPS = {"charmie", "branched_38dof", "four_link", "vendor_arm"}
ROBOT = '<robot name="r"><link name="base"/>{}</robot>'
GEAR = '<modular_dynamics version="1"><gear joint="a" driver="b" ratio="2"/></modular_dynamics>'


@pytest.mark.parametrize("robot", sorted(LOOPS | NO_LOOPS))
def test_the_robots_of_this_repository(robot):
    path = ROBOTS / f"{robot}.urdf"
    assert has_loops(path) == (robot in LOOPS)
    assert has_loops(path.read_text(encoding="utf-8")) == (robot in LOOPS)


def test_all_robots_are_listed():
    assert {path.stem for path in ROBOTS.glob("*.urdf")} == LOOPS | NO_LOOPS


def test_a_tag_in_a_comment_closes_nothing():
    assert not has_loops(ROBOT.format(f"<!-- {GEAR} -->"))
    assert has_loops(ROBOT.format(GEAR))


def test_the_partition_file_wins_section_by_section(tmp_path):
    file = tmp_path / "partition.yaml"
    file.write_text("version: 1\npassive: [elbow]\n")
    assert has_loops(ROBOT.format(""), file)
    assert not has_loops(ROBOT.format(GEAR), {"version": 1, "gears": []})
    assert has_loops(ROBOT.format(GEAR), {"version": 1, "subsystems": []})


def test_what_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(md.UrdfError, match="no URDF file at"):
        has_loops(tmp_path / "missing.urdf")
    with pytest.raises(md.PartitionError, match="no partition file at"):
        has_loops(ROBOT.format(""), tmp_path / "missing.yaml")

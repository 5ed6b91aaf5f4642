"""Tags and files that annotate a URDF; has_loops."""

import re

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.algebra import translation
from modular_dynamics.urdf import has_loops


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("subsystems: [", "is not YAML"),
        ("version: 1\nsubsystems: {a: 1}", "'subsystems' is not a list"),
        ("version: 1\nsubsystems: [a]", "holds 'a'; a mapping is needed"),
        ("version: 1\nsubsystem: []", "unknown key 'subsystem'; known: version, subsystems"),
        (
            "version: 1\nsubsystems:\n- {name: a, joints: [nose]}",
            r"^partition\.yaml, line 3: .*unknown joint 'nose'",
        ),
        (
            "version: 1\ngears:\n- {joint: nose, driver: head_pan, ratio: 1}",
            r"^partition\.yaml, line 3: gear of joint 'nose' names the unknown joint 'nose'",
        ),
    ],
)
def test_bad_partition_files(tmp_path, text, message):
    path = tmp_path / "partition.yaml"
    path.write_text(text)
    with pytest.raises(md.PartitionError, match=message):
        md.load_urdf(ROBOTS / "charmie.urdf", path)


CLOSED = """
<modular_dynamics version="1">
  <loop_joint name="top" type="spherical">
    <predecessor link="base" xyz="1 0 0" rpy="0 0 1"/> <successor link="left_branch"/> <axis xyz="0 2 0"/>
  </loop_joint>
  <passive joint="bend"/>
  <gear joint="left" driver="turn" ratio="-1" offset="0.5"/>
  <spring name="s5" stiffness="1029" free_length="0.077" initial_force="15.1">
    <anchor link="base" xyz="0 0 1"/> <anchor link="right_branch"/>
  </spring>
</modular_dynamics>
"""


@pytest.fixture
def closed_by_tags():
    text = (ROBOTS / "four_link.urdf").read_text()
    return md.load_urdf(re.sub("<modular_dynamics.*</modular_dynamics>", CLOSED, text, flags=re.DOTALL))


def test_closures_are_kept(closed_by_tags):
    graph = closed_by_tags
    (loop,), (spring,), (gear,) = graph.loop_joints, graph.springs, graph.gears
    assert (loop.name, loop.type, loop.axis.tolist()) == ("top", "spherical", [0, 1, 0])
    assert translation(loop.predecessor.x_link_anchor) == pytest.approx([1, 0, 0])
    assert (spring.stiffness, spring.initial_force, spring.damping) == (1029.0, 15.1, 0.0)
    assert (gear.joint, gear.driver, gear.ratio, gear.offset) == ("left", "turn", -1.0, 0.5)
    assert graph.passive_joints == ("bend",)
    assert "loop joints: top" in str(graph)


LOOPS = {"charmie_torso", "four_bar", "slider_crank", "crane", "exoskeleton"}
NO_LOOPS = {"charmie", "branched_38dof", "four_link", "ur5e", "vendor_arm"}


@pytest.mark.parametrize("robot", sorted(LOOPS | NO_LOOPS))
def test_the_robots_of_this_repository(robot):
    path = ROBOTS / f"{robot}.urdf"
    assert has_loops(path) == (robot in LOOPS)
    assert has_loops(path.read_text(encoding="utf-8")) == (robot in LOOPS)


def test_all_robots_are_listed():
    assert {path.stem for path in ROBOTS.glob("*.urdf")} == LOOPS | NO_LOOPS


def test_the_partition_file_wins_section_by_section():
    path = ROBOTS / "four_link.urdf"
    assert has_loops(path, {"version": 1, "passive": ["bend"]})
    geared = path.read_text().replace(
        "</modular_dynamics>", '<gear joint="left" driver="turn" ratio="2"/></modular_dynamics>'
    )
    assert not has_loops(geared, {"version": 1, "gears": []})
    assert has_loops(geared, {"version": 1, "passive": []})


def test_what_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(md.UrdfError, match="no URDF file at"):
        has_loops(tmp_path / "missing.urdf")
    with pytest.raises(md.PartitionError, match="no partition file at"):
        has_loops(ROBOTS / "four_link.urdf", tmp_path / "missing.yaml")


def with_tags(tags):
    """The four-bar with further tags."""
    text = (ROBOTS / "four_bar.urdf").read_text()
    return text.replace("</modular_dynamics>", f"{tags}</modular_dynamics>")


def test_independent_joints_take_the_place_of_the_others():
    own = md.load_urdf(ROBOTS / "four_bar.urdf")
    first, *_, last = own.joint_names
    tags = f'<independent> <joint name="{last}"/> <joint name="{first}"/> </independent>'
    assert md.load_urdf(with_tags(tags)).independent_joint_names == (first, last)
    assert md.load_urdf(with_tags("<independent/>")).independent_joint_names == ()
    by_file = {"version": 1, "independent": [last]}
    assert md.load_urdf(with_tags(tags), by_file).independent_joint_names == (last,)
    assert md.load_urdf(own.urdf, {"version": 1, "independent": None}).independent is None


@pytest.mark.parametrize(
    ("tags", "error", "message"),
    [
        ('<independent joint="a"/>', md.UrdfError, "line [0-9]+: <independent> has the unknown attr"),
        ("<independent/><independent/>", md.UrdfError, "a second <independent> in <modular_dynamics>"),
        ("<independent><joint/></independent>", md.UrdfError, "<joint> in <independent> lacks 'name'"),
        ('<independent><joint name="a"/></independent>', md.PartitionError, "line [0-9]+: .*unknown joint"),
    ],
)
def test_other_independent_joints_are_refused(tags, error, message):
    with pytest.raises(error, match=message):
        md.load_urdf(with_tags(tags))


def test_a_mimic_joint_cannot_be_independent():
    with pytest.raises(md.PartitionError, match="independent joint 'tv7_right_finger_joint' mimics joint"):
        md.load_urdf(ROBOTS / "vendor_arm.urdf", {"version": 1, "independent": ["tv7_right_finger_joint"]})


def test_passive_joints_that_no_loop_holds_are_a_note():
    """They swing freely; of a loop's joints and geared ones nothing is said."""
    tag = '<modular_dynamics version="1"><passive joint="{}"/></modular_dynamics>'
    links = "".join(f'<link name="l{k}"/>' for k in range(3))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/></joint>'
        for k in range(2)
    )
    graph = md.load_urdf(f'<robot name="r">{links}{joints}{tag.format("j1")}</robot>')
    (note,) = (note for note in graph.notes if "swing freely" in note)
    assert "passive joints j1; torques are those with them at the guess's position" in note
    for name in ("four_bar", "exoskeleton", "crane", "charmie_torso"):
        robot = md.load_urdf(ROBOTS / f"{name}.urdf")
        assert robot.passive_joints
        assert not any("swing freely" in note for note in robot.notes)

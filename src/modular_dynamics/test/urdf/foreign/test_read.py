"""Words of other tools beside our tags, after changes of the robot, and in text that is written."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import DRAKE, DRIVEN, LOOPS, PASSIVE, four_bar, gravity_torque, pose
from helpers.robots.urdf_text import inertial, joint, robot
from modular_dynamics.algebra import DualQuaternion
from modular_dynamics.shell.main import main
from modular_dynamics.urdf import has_loops

LOOP = LOOPS["Isaac Sim"]
OUR_LOOP = (
    '<loop_joint name="{}" type="spherical"><predecessor link="rocker" xyz="0.4 0 0"/>'
    '<successor link="rod" xyz="0.5 0 0"/></loop_joint>'
)
ARMATURE = '<dynamics armature="0.5" stiffness="3" spring_reference="0.1"/>'
SPRING = (
    '<drake:linear_spring_damper xmlns:drake="http://drake.mit.edu">'
    '<drake:linear_spring_damper_body_A name="base"/><drake:linear_spring_damper_body_B name="crank"/>'
    '<drake:linear_spring_damper_free_length value="0.1"/><drake:linear_spring_damper_stiffness value="7"/>'
    "</drake:linear_spring_damper>"
)
MOTOR = (
    '<transmission name="m"><joint name="c"/><actuator name="n"><mechanicalReduction>10</mechanicalReduction>'
    "<motorInertia>0.002</motorInertia></actuator></transmission>"
)
GAZEBO = '<gazebo reference="b"><springStiffness>4</springStiffness><mu1>1</mu1></gazebo>'
ALL = LOOP + SPRING + MOTOR + GAZEBO


def torque(graph, joint="a"):
    """Of the crank at 0.9 rad, at rest."""
    rod, rocker = pose(0.9)
    rest = np.zeros(1)
    solved = md.InverseDynamics(graph).solve([0.9], rest, rest, guess=[0.9, rod - 0.9, rocker])
    return float(solved.tau[0])


@pytest.mark.parametrize(("tool", "name"), [*((tool, "other") for tool in LOOPS), ("Isaac Sim", "pin")])
def test_a_loop_of_our_tags_is_not_closed_twice(tool, name):
    """By its name, or by the bodies between which it is, in any order."""
    graph = md.load_urdf(four_bar(LOOPS[tool], OUR_LOOP.format(name) + PASSIVE), strict=True)
    assert [loop.name for loop in graph.loop_joints] == [name]
    assert torque(graph) == pytest.approx(gravity_torque(0.9), abs=1e-12)
    (note,) = graph.notes
    assert note.startswith("not read, because our tags say the same: <")


DYNAMICS = [
    ('<joint_dynamics joint="a" armature="0.2"/>', (0.2, 3.0, 0.1)),
    ('<joint_dynamics joint="a" stiffness="5"/>', (0.5, 5.0, 0.0)),
    ('<joint_dynamics joint="a" rest_position="0.7"/>', (0.5, 3.0, 0.7)),
]


@pytest.mark.parametrize("by_file", [False, True])
@pytest.mark.parametrize(("tag", "expected"), DYNAMICS)
def test_what_our_joint_dynamics_state_counts(tag, expected, by_file):
    file = None
    if by_file:
        key, value = (part.strip('/>"').split('="') for part in tag.split()[1:])
        file = {"version": 1, "joint_dynamics": [{key[0]: key[1], value[0]: float(value[1])}]}
    text = four_bar("", "" if by_file else tag, of_joints=(ARMATURE, "", ""))
    joint = md.load_urdf(text, file, strict=True).joint("a")
    assert (joint.armature, joint.stiffness, joint.rest_position) == expected


def test_an_empty_section_of_the_partition_file_leaves_the_words_out():
    file = {"version": 1, "loop_joints": [], "joint_dynamics": [], "springs": []}
    graph = md.load_urdf(four_bar(ALL, of_joints=(ARMATURE, "", "")), file, strict=True)
    assert (graph.loop_joints, graph.springs, graph.passive_joints) == ((), (), ())
    assert {joint.armature for joint in graph.joints} == {joint.stiffness for joint in graph.joints} == {0.0}
    assert has_loops(four_bar(LOOP, PASSIVE))
    assert not has_loops(four_bar(LOOP), file)
    assert not has_loops(four_bar(LOOP.replace("spherical", "planar") + SPRING + MOTOR + GAZEBO))


def test_a_spring_and_a_gear_of_our_tags():
    tags = (
        '<spring name="s" stiffness="1" free_length="1"><anchor link="crank"/><anchor link="base"/></spring>'
        '<gear joint="c" driver="a" ratio="2"/>'
    )
    words = SPRING + (
        '<coupling name="k"><predecessor link="crank"/><successor link="rocker"/>'
        '<ratio value="3"/></coupling>'
    )
    graph = md.load_urdf(four_bar(words, tags), strict=True)
    assert [spring.stiffness for spring in graph.springs] == [1.0]
    assert [gear.ratio for gear in graph.gears] == [2.0]


def same(one, other):
    """Whether two graphs have the same closing elements and joints."""
    assert [loop.name for loop in one.loop_joints] == [loop.name for loop in other.loop_joints]
    assert one.passive_joints == other.passive_joints
    assert [(gear.joint, gear.drivers) for gear in one.gears] == [
        (gear.joint, gear.drivers) for gear in other.gears
    ]
    assert [spring.stiffness for spring in one.springs] == [spring.stiffness for spring in other.springs]
    for ours, theirs in zip(one.joints, other.joints, strict=True):
        for key in ("armature", "stiffness", "rest_position"):
            assert getattr(ours, key) == getattr(theirs, key)


COUPLING = (
    '<coupling name="k"><predecessor link="crank"/><successor link="rocker"/><ratio value="3"/></coupling>'
)
#: Texts, and how often a word is written.
WRITTEN = {
    **{tool: four_bar(words + DRIVEN) for tool, words in LOOPS.items()},
    "all": four_bar(ALL, PASSIVE, of_joints=(ARMATURE, "", "")),
    "a coupling": four_bar(COUPLING),
    "Gazebo": four_bar(
        '<gazebo><joint name="pin" type="ball"><parent>rod</parent><child>rocker</child></joint></gazebo>',
        PASSIVE,
    ),
}
ONCE = ("<loop_joint ", "<spring ", "<gear ", 'joint="a" armature', 'joint="c" armature')
NEVER = ("<loop ", "<constraint", "<coupling", "drake:", "motorInertia", "springStiffness", "link1")


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_what_was_read_is_written_once_as_our_tags(text):
    graph = md.load_urdf(text)
    written = graph.to_urdf()
    assert all(written.count(word) <= 1 for word in ONCE)
    assert not any(word in written for word in NEVER)
    again = md.load_urdf(written, strict=True)
    same(graph, again)
    assert not any("read as" in note for note in again.notes)
    assert again.to_urdf() == written


def test_what_is_not_read_stays_in_the_text():
    words = LOOP.replace("spherical", "planar") + GAZEBO + MOTOR
    written = md.load_urdf(four_bar(words)).to_urdf()
    assert "<link1 " in written
    assert "<mu1>1</mu1>" in written
    assert "<mechanicalReduction>10</mechanicalReduction>" in written
    assert [finding.kind for finding in md.load_urdf(written).warnings] == ["loop of another tool"]


def test_changes_of_the_robot_keep_it():
    graph = md.load_urdf(four_bar(ALL, PASSIVE, of_joints=(ARMATURE, "", "")))
    loaded = graph.with_payload("rod", mass=0.5, com=[0.1, 0, 0])
    same(graph, loaded)
    same(loaded, md.load_urdf(loaded.to_urdf()))
    tool = md.load_urdf(four_bar(LOOP + DRIVEN, of_joints=(ARMATURE, "", "")))
    both = graph.attach(tool, "rocker", DualQuaternion.identity, prefix="tool_")
    assert [loop.name for loop in both.loop_joints] == ["pin", "tool_pin"]
    assert both.joint("tool_a").armature == 0.5
    again = md.load_urdf(both.to_urdf())
    assert [loop.name for loop in again.loop_joints] == ["pin", "tool_pin"]
    assert again.passive_joints == both.passive_joints
    same(graph, md.load_urdf(both.without("tool_base").to_urdf()))


def test_the_command_check_says_what_was_read(tmp_path, capsys):
    path = tmp_path / "robot.urdf"
    path.write_text(four_bar(ALL, PASSIVE))
    main(["check", str(path)])
    out = capsys.readouterr().out
    for text in (
        "<loop_joint> read as loop joints: pin, spherical, of rod and rocker (line 9)",
        "<motorInertia> times <mechanicalReduction> squared read as armature of joints [kg m^2, or "
        "kg]: c 0.2",
        "<springStiffness> of Gazebo read as springs at joints [N m/rad, or N/m]: b 4 about 0",
        "<drake:linear_spring_damper> read as springs: spring_9 of base and crank",
    ):
        assert text in out


# <drake:joint>: ball and planar joints are read, others refused.

SEED = np.random.default_rng(0)


def arm(kind, tag="drake:joint", of_joint=""):
    """A revolute joint, then one of Drake's."""
    inertia = np.diag([0.1, 0.2, 0.25])
    links = ['<link name="base"/>']
    links += [f'<link name="{name}">{inertial(1.5, (0.1, 0.2, 0.3), inertia)}</link>' for name in "ab"]
    first = joint("j", "revolute", "base", "a", (0, 0, 1), axis=(0, 1, 0))
    second = joint("k", kind, "a", "b", (0.3, 0.1, 0.2), (0.1, 0.2, 0.3), more=of_joint)
    if tag != "joint":
        second = second.replace("<joint", f"<{tag} {DRAKE}").replace("</joint", f"</{tag}")
    return robot("arm", [*links, first, second])


def test_a_ball_joint():
    graph = md.load_urdf(arm("ball"), strict=True)
    assert graph.joint("k").type is md.JointType.SPHERICAL
    own = arm("floating", "joint").replace(
        "</robot>", '<modular_dynamics version="1"><spherical joint="k"/></modular_dynamics></robot>'
    )
    expected = md.load_urdf(own)
    q, v, a = graph.neutral(), SEED.normal(size=4), SEED.normal(size=4)
    tau = md.inverse_dynamics(graph, q, v, a)
    np.testing.assert_array_equal(tau, md.inverse_dynamics(expected, q, v, a))
    assert "<drake:joint> read as ball joints: k (line 1)" in graph.notes
    written = graph.to_urdf()
    assert "drake" not in written
    np.testing.assert_allclose(md.inverse_dynamics(md.load_urdf(written), q, v, a), tau, atol=1e-14)


@pytest.mark.parametrize("kind", ["planar", "continuous", "fixed"])
def test_types_of_urdf(kind):
    ours = md.load_urdf(arm(kind, of_joint='<axis xyz="0 0 1"/>'))
    note = "<drake:joint> read as three joints each, NAME_x, NAME_y and NAME_theta: k (line 1)"
    assert (note in ours.notes) == (kind == "planar")
    expected = md.load_urdf(arm(kind, "joint", '<axis xyz="0 0 1"/>'))
    assert ours.joint_names == expected.joint_names
    q = SEED.normal(size=ours.nq)
    rest = np.zeros(ours.nv)
    tau = md.inverse_dynamics(expected, q, rest, rest)
    np.testing.assert_array_equal(md.inverse_dynamics(ours, q, rest, rest), tau)


@pytest.mark.parametrize("kind", ["screw", "universal"])
def test_other_types_are_refused(kind):
    with pytest.raises(
        md.UrdfError, match=rf"^line 1: <drake:joint> 'k' has the type '{kind}'; ball, planar"
    ):
        md.load_urdf(arm(kind))

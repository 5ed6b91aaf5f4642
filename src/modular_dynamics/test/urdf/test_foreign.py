"""Loops and inertias of drives in the words of other tools: torques by closed form and by MuJoCo."""

import re

import mujoco
import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import DRAKE, DRIVEN, LOOPS, PASSIVE, four_bar, gravity_torque, pose
from helpers.robots.urdf_text import inertial, joint, robot
from modular_dynamics.algebra import DualQuaternion
from modular_dynamics.urdf import has_loops

ANGLE = 0.9
ISAAC, PLUS = LOOPS["Isaac Sim"], LOOPS["URDF+"]


def torque(graph, angle=ANGLE, turns=(0.0, 0.0, 0.0)):
    """Of the crank at rest; ``turns``: at which angles the joints are zero."""
    rod, rocker = pose(angle)
    guess = np.array([angle, rod - angle, rocker]) - turns
    rest = np.zeros(1)
    return md.inverse_dynamics(graph, guess[:1], rest, rest, guess=guess)


@pytest.mark.parametrize("tool", LOOPS)
@pytest.mark.parametrize(("tags", "more"), [(PASSIVE, ""), ("", DRIVEN)])
def test_a_four_bar_in_the_words_of_each_tool(tool, tags, more):
    text = four_bar(LOOPS[tool] + more, tags)
    graph = md.load_urdf(text, strict=True)
    assert graph.passive_joints == ("b", "c")
    for angle in (ANGLE, -2.0):
        assert torque(graph, angle) == pytest.approx([gravity_torque(angle)], abs=1e-12)
    (loop,) = graph.loop_joints
    assert any(f"read as loop joint: {loop.name}" in note for note in graph.notes)
    assert has_loops(text)


def turned():
    """The angles of the joints' frames with which the four-bar is closed with all joints at zero."""
    rod, rocker = pose(ANGLE)
    return ANGLE, rod - ANGLE, rocker


#: SDF's joints. Their frames are in those of the rocker.
SDF = {
    "in the child": "<parent>four::rod</parent><child>rocker</child><pose>0.4 0 0 0 0 0</pose>"
    "<axis><xyz>0 -1 0</xyz></axis>",
    "turned": "<parent>rod</parent><child>rocker</child><pose>0.4 0 0 1.5707963267948966 0 0</pose>"
    "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower></limit></axis><physics/>",
}


@pytest.mark.parametrize("words", SDF.values(), ids=SDF)
@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_a_four_bar_that_gazebo_closes(words, kind):
    """Gazebo's frames coincide with all joints at zero, so the links are placed accordingly."""
    block = f'<gazebo><joint name="pin" type="{kind}">{words}</joint></gazebo>'
    graph = md.load_urdf(four_bar(block, PASSIVE, turned()), strict=True)
    for angle in (ANGLE, 1.1):
        assert torque(graph, angle, turned()) == pytest.approx([gravity_torque(angle)], abs=1e-12)


def test_a_joint_of_gazebo_that_ends_at_the_world():
    """The root link stands where the world is; a joint that holds it there closes nothing."""
    held = '<gazebo><joint name="w" type="fixed"><parent>world</parent><child>base</child></joint></gazebo>'
    graph = md.load_urdf(four_bar(held), strict=True)
    assert graph.loop_joints == ()
    crank = held.replace("base", "crank")
    (loop,) = md.load_urdf(four_bar(crank, '<passive joint="a"/>')).loop_joints
    assert (loop.predecessor.link, loop.successor.link, loop.type) == ("base", "crank", "fixed")


GAZEBO = '<gazebo><joint name="{}" type="{}"><parent>{}</parent><child>{}</child>{}</joint></gazebo>'
LEFT = {
    "of links that only Gazebo has": (
        '<gazebo><link name="bar"><inertial><mass>1</mass></inertial></link></gazebo>'
        + GAZEBO.format("pin", "revolute", "bar", "rod", ""),
        "",
        "not read, because they hold links that only <gazebo> has: <joint> 'pin'",
    ),
    "of joints that mimic": (
        GAZEBO.format("pin", "ball", "crank", "rocker", ""),
        '<mimic joint="a"/>',
        "not read, because joints of the loop are coupled by <mimic>, which counts: <joint> 'pin'",
    ),
    "that the URDF has": (GAZEBO.format("b", "revolute", "crank", "rod", ""), "", ""),
}


@pytest.mark.parametrize(("words", "of_joint", "note"), LEFT.values(), ids=LEFT)
def test_what_is_left_to_gazebo_is_at_most_a_note(words, of_joint, note):
    graph = md.load_urdf(four_bar(words, of_joints=("", "", of_joint)), strict=True)
    assert not graph.loop_joints
    assert any(one.startswith(note) for one in graph.notes) == bool(note)


@pytest.mark.parametrize(
    "words",
    [
        GAZEBO.format(
            "pin", "revolute", "rod", "rocker", "<pose>0.2 0 0 0 0 0</pose><axis><xyz>0 1 0</xyz></axis>"
        ),
        ISAAC.replace("0.4 0 0", "0.2 0 0"),
    ],
)
def test_mimic_joints_that_leave_two_coordinates(words):
    """A parallelogram whose rocker mimics the crank; the pin keeps the rod level: tau = g cos(q) sum(m x)."""
    graph = md.load_urdf(four_bar(words, '<passive joint="b"/>', of_joints=("", "", '<mimic joint="a"/>')))
    rest = np.zeros(1)
    tau = md.inverse_dynamics(graph, [ANGLE], rest, rest, guess=[ANGLE, -ANGLE])
    assert tau == pytest.approx([9.81 * np.cos(ANGLE) * (1.0 * 0.1 + 1.5 * 0.2 + 1.2 * 0.2)], abs=1e-12)


def of_gazebo(kind="ball", more="", parent="rod"):
    return GAZEBO.format("p", kind, parent, "rocker", more)


BROKEN = [
    (ISAAC.replace("spherical", "planar"), "its type is planar"),
    (ISAAC.replace(' type="spherical"', ""), "its type is missing"),
    (PLUS.replace("predecessor", "parent"), "it has <parent>, <successor>; one <predecessor link"),
    (ISAAC.replace("link2", "link1"), "it has 2 <link1>, and one is needed"),
    (ISAAC.replace("link1", "first"), "<loop_joint> has a <first>"),
    (ISAAC.replace("0.5 0 0", '0.5 0 0" pos="1'), "<link1> has the attribute 'pos'"),
    (PLUS.replace("<axis xyz", "<axis rpy"), "<axis> has the attribute 'rpy'"),
    (PLUS.replace("</loop>", '<ratio value="3"/></loop>'), "<loop> has a <ratio>"),
    (PLUS.replace("</loop>", '<axis xyz="1 0 0"/></loop>'), "it has 2 <axis>, and one"),
    (
        PLUS.replace('<predecessor link="rod"', '<predecessor link="rod" rpy="0 0.1 0"'),
        "the pose in 'rod' stands in 2 places, and one is needed",
    ),
    (PLUS.replace("0 -1 0", "0 0 0"), "its axis has no direction"),
    (ISAAC.replace('"rod"', '"rood"'), "'rood' is no link of the URDF"),
    (of_gazebo("universal"), "its type is universal"),
    (of_gazebo(parent=""), "it lacks its <parent>"),
    (of_gazebo(parent="rood"), "its parent is 'rood', which is no link of the URDF"),
    (of_gazebo(more="<Pose>0 0 1 0 0 0</Pose>"), "<joint> has a <Pose>"),
    (of_gazebo(more="<axis><xzy>0 0 1</xzy></axis>"), "<axis> has a <xzy>"),
    (of_gazebo(more="<pose>1 2</pose>"), "its <pose> does not hold 6 finite numbers"),
    (of_gazebo(more="<pose>0 0 0 0 90 0</pose>"), "its <pose> 0 0 0 0 90 0 is not six numbers in m"),
    (of_gazebo(parent="rod<pose>1 0 0 0 0 0</pose>"), "<parent> has a <pose>"),
    (of_gazebo(more='<pose relative_to="x">0 0 0 0 0 0</pose>'), "<pose> has the attribute 'relative_to'"),
    (of_gazebo(more='<axis><xyz expressed_in="x">0 0 1</xyz></axis>'), "<xyz> has the attribute 'expressed"),
]


@pytest.mark.parametrize(("words", "why"), BROKEN)
def test_a_loop_that_is_not_read_is_named_and_stays_in_the_text(words, why):
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(four_bar(words))
    assert not graph.loop_joints
    assert [one.kind for one in graph.warnings] == ["loop of another tool"]
    (message,) = map(str, (one.message for one in caught))
    assert message.startswith("line 9: <")
    assert f" closes a loop and is not read: {why}" in message
    assert "; torques are those without it; write <loop_joint>" in message
    with pytest.raises(md.UrdfError, match=r"^strict: .*line 9: "):
        md.load_urdf(four_bar(words), strict=True)
    assert re.match(r"<(\w+)", words)[0] in graph.to_urdf()


@pytest.mark.parametrize("kind", ["gearbox", "screw"])
def test_a_joint_of_gazebo_that_couples_is_no_loop(kind):
    (finding,) = md.load_urdf(four_bar(GAZEBO.format("g", kind, "crank", "rod", ""))).warnings
    assert finding.kind == "coupling of another tool"
    assert f"<joint> 'g' couples joints and is not read: its type is {kind}" in str(finding)


def test_names_that_are_taken_and_links_that_are_fixed_anyway():
    both = ISAAC + ISAAC.replace("0.5 0 0", "0.5 0 0.001")
    assert [loop.name for loop in md.load_urdf(four_bar(both, PASSIVE)).loop_joints] == ["pin", "pin_"]
    words = '<loop_joint name="l" type="fixed"><link1 link="rod"/><link2 link="rod"/></loop_joint>'
    assert md.load_urdf(four_bar(words), strict=True).loop_joints == ()


# Which joints of loops are passive.


def test_command_interfaces_are_drives():
    block = '<ros2_control name="c">{}</ros2_control>'.format(
        '<joint name="a"><state_interface name="position"/></joint>'
        '<joint name="c"><command_interface name="effort"/></joint>'
    )
    graph = md.load_urdf(four_bar(ISAAC + block), strict=True)
    assert graph.passive_joints == ("a", "b")
    note = "joints of the loops pin are taken as passive: a, b; no <transmission> or command interface"
    assert any(one.startswith(note) for one in graph.notes)


ALL_DRIVEN = "".join(DRIVEN.replace('"a"', f'"{name}"').replace('"t"', f'"{name}"') for name in "abc")


@pytest.mark.parametrize("words", ["", ALL_DRIVEN])
def test_where_nothing_says_it_torques_are_refused(words):
    text = four_bar(ISAAC + words)
    with pytest.warns(md.ModelWarning, match="which joints of the loops pin are passive: a, b, c;"):
        graph = md.load_urdf(text)
    assert [finding.kind for finding in graph.warnings] == ["loop without passive joints"]
    with pytest.raises(md.UrdfError, match=r'strict: .*write <passive joint=""/> in <modular_dynamics>'):
        md.load_urdf(text, strict=True)
    rest = [0.0, 0.0, 0.0]
    with pytest.raises(md.ClosureError, match="declare others <passive>"):
        md.inverse_dynamics(graph, rest, rest, rest)


@pytest.mark.parametrize(
    ("tags", "file"),
    [
        (PASSIVE, None),
        ("", {"version": 1, "independent": ["a"]}),
        ('<gear joint="b" driver="a" ratio="1"/><passive joint="c"/>', None),
    ],
)
def test_our_tags_say_over_drives_what_is_passive(tags, file):
    graph = md.load_urdf(four_bar(ISAAC + DRIVEN.replace('"a"', '"c"'), tags), file, strict=True)
    assert graph.independent_joint_names == ("a",)


def test_loops_with_common_joints_belong_together():
    """A second rod between crank and rocker: only the crank is driven."""
    more = (
        f'<link name="rod2">{inertial(1, (0, 0, 0), np.eye(3))}</link>'
        f"{joint('d', 'continuous', 'rocker', 'rod2', (0, 0, 0))}"
        '<loop_joint name="other" type="spherical"><link1 link="rod2"/><link2 link="rod"/></loop_joint>'
    )
    assert md.load_urdf(four_bar(ISAAC + DRIVEN + more)).passive_joints == ("b", "c", "d")


# Inertias of drives.

ROTOR, RATIO = 1.5e-4, 80.0
ARMATURE = ROTOR * RATIO**2
LENGTH, MASS = 0.4, 2.0


def arm(words="", of_joint="", kind="revolute", tags=()):
    """Two links that swing about y; ``of_joint``: further elements of the first joint."""
    links = [f'<link name="{one}">{inertial(MASS, (LENGTH, 0, 0), 0.01 * np.eye(3))}</link>' for one in "ab"]
    joints = [
        joint("j", kind, "base", "a", (0, 0, 1), axis=(0, 1, 0), more=of_joint),
        joint("k", "revolute", "a", "b", (2 * LENGTH, 0, 0), axis=(0, 1, 0)),
    ]
    return robot("arm", ['<link name="base"/>', *links, *joints, words], tags)


def transmission(actuator="", joint_part="", more="", name="t", of="j", motor="m"):
    return (
        f'<transmission name="{name}"><type>transmission_interface/SimpleTransmission</type>'
        f'<joint name="{of}">{joint_part}</joint><actuator name="{motor}">{actuator}</actuator>{more}'
        "</transmission>"
    )


REDUCTION = f"<mechanicalReduction>{RATIO}</mechanicalReduction>"
MOTOR = f"{REDUCTION}<motorInertia>{ROTOR}</motorInertia>"
OF_DRAKE = f'<drake:gear_ratio {DRAKE} value="{RATIO}"/><drake:rotor_inertia {DRAKE} value="{ROTOR}"/>'
#: Words below <robot> and in the joint.
DRIVES = {
    "Cassie": (transmission(MOTOR), ""),
    "PR2": (transmission(more=f"{REDUCTION}<rotorInertia>{ROTOR}</rotorInertia>"), ""),
    "in the transmission's joint": (transmission("", MOTOR), ""),
    "ros2_control": (f'<ros2_control name="c" type="system">{transmission(MOTOR)}</ros2_control>', ""),
    "Drake": (transmission(f"<mechanicalReduction>3</mechanicalReduction>{OF_DRAKE}"), ""),
    "Drake, in the joint": ("", f"<actuator name='m'>{OF_DRAKE}</actuator>"),
    "seen at the joint": ("", f'<dynamics armature="{ARMATURE}" damping="0"/>'),
    "RaiSim": (transmission(REDUCTION), f'<dynamics rotor_inertia="{ARMATURE}"/>'),
    "a ratio beside": ("", f'<dynamics rotor_inertia="{ROTOR}" gear_ratio="{RATIO}"/>'),
    "a motor with two interfaces": (transmission(MOTOR) + transmission(MOTOR, name="u"), ""),
    "the same in two places": (transmission(MOTOR), f'<dynamics armature="{ARMATURE}"/>'),
    "zero in the joint": (transmission(MOTOR), '<dynamics armature="0" rotor_inertia="0"/>'),
}


def mujoco_torque(q, v, a):
    """Of the same arm with the armature, built in MuJoCo."""
    body = (
        '<body pos="{}"><joint name="{}" axis="0 1 0"/><inertial pos="{} 0 0" mass="{}" '
        'diaginertia="0.01 0.01 0.01"/>'
    )
    first = body.format("0 0 1", "j", LENGTH, MASS)
    second = body.format(f"{2 * LENGTH} 0 0", "k", LENGTH, MASS)
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{first}{second}</body></body></worldbody></mujoco>"
    )
    model.dof_armature[0] = ARMATURE
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
    mujoco.mj_inverse(model, data)
    return data.qfrc_inverse


@pytest.mark.parametrize(("words", "of_joint"), DRIVES.values(), ids=DRIVES)
def test_the_inertia_of_a_drive(words, of_joint):
    graph = md.load_urdf(arm(words, of_joint), strict=True)
    for q, v, a in np.random.default_rng(0).normal(size=(3, 3, 2)):
        expected = mujoco_torque(q, v, a)
        np.testing.assert_allclose(md.inverse_dynamics(graph, q, v, a), expected, atol=1e-12)
    assert graph.joint("k").armature == 0.0
    assert any("read as armature [kg m^2, or kg]: j 0.96 (line " in note for note in graph.notes)


@pytest.mark.parametrize(
    "words",
    [
        transmission(REDUCTION),
        transmission("<mechanicalReduction>reduction</mechanicalReduction>"),
        transmission(f"{REDUCTION}<motorInertia>0</motorInertia>"),
    ],
)
def test_what_changes_no_torque_is_not_mentioned(words):
    graph = md.load_urdf(arm(words), strict=True)
    assert (graph.warnings, graph.notes, graph.joint("j").armature) == ((), (), 0.0)
    fixed = md.load_urdf(arm("", '<dynamics armature="3"/>', "fixed"), strict=True)
    assert fixed.notes == ()


@pytest.mark.parametrize(
    ("words", "of_joint", "armature"),
    [
        (transmission(MOTOR), '<dynamics armature="2"/>', 2.0),
        (transmission(f"{OF_DRAKE}<motorInertia>7</motorInertia>"), "", ARMATURE),
        ("", f'<dynamics rotor_inertia="{ROTOR}" motor_inertia="1" gear_ratio="{RATIO}"/>', RATIO**2),
        (transmission(MOTOR) + transmission(MOTOR.replace("1", "2"), name="u"), "", ARMATURE),
        (transmission(MOTOR, "<mechanicalReduction>1</mechanicalReduction>"), "", ARMATURE),
    ],
)
def test_two_inertias_of_one_joint(words, of_joint, armature):
    """The first counts, and both are named; nothing is said where our tags settle it."""
    graph = md.load_urdf(arm(words, of_joint))
    assert graph.joint("j").armature == pytest.approx(armature, rel=1e-15)
    (finding,) = graph.warnings
    assert finding.kind == "contradicting inertia"
    assert re.search(r"of joint 'j': \S+ by .*, which counts, and \S+ by ", str(finding))
    with pytest.raises(md.UrdfError, match=r"^strict: line "):
        md.load_urdf(arm(words, of_joint), strict=True)
    tags = ['<joint_dynamics joint="j" armature="4"/>']
    ours = md.load_urdf(arm(words, of_joint, tags=tags), strict=True)
    assert ours.joint("j").armature == 4.0
    assert ours.notes[0].startswith("not read, because our tags say the same: <")


@pytest.mark.parametrize(
    ("words", "of_joint", "why"),
    [
        ("", '<dynamics rotor_inertia="1" gear_ratio="0"/>', "its ratio is zero"),
        (
            transmission(MOTOR) + transmission(MOTOR, name="u", motor="n"),
            "",
            "is not read: the joint has several motors",
        ),
        ("", f"<actuator name='m'>{OF_DRAKE}</actuator><actuator name='n'/>", "<drake:rotor_inertia> in"),
        (transmission(MOTOR).replace("<joint", '<joint name="k"/><joint'), "", "<motorInertia> in"),
        (transmission(MOTOR, of="x"), "", "of joint 'x' by <motorInertia> times"),
    ],
)
def test_an_inertia_that_is_not_read_is_named(words, of_joint, why):
    graph = md.load_urdf(arm(words, of_joint))
    assert graph.joint("j").armature == 0.0
    (finding,) = graph.warnings
    assert finding.kind == "inertia of another tool"
    assert why in str(finding)
    assert "; torques are those without it; write <joint_dynamics" in str(finding)


@pytest.mark.parametrize(
    ("words", "of_joint", "message"),
    [
        (transmission("<motorInertia>1e-4 kg</motorInertia>"), "", "<motorInertia>: value="),
        ("", '<dynamics armature="much"/>', "armature='much' is not a number"),
        ("", '<dynamics armature="-1"/>', "armature = -1 cannot be negative"),
    ],
)
def test_invalid_numbers(words, of_joint, message):
    with pytest.raises(md.DescriptionError, match=r"^line \d+: ") as caught:
        md.load_urdf(arm(words, of_joint))
    assert message in str(caught.value)


# Beside our tags, after changes of the robot, and in text that is written.


@pytest.mark.parametrize("name", ["pin", "other"])
def test_a_loop_of_our_tags_is_not_closed_twice(name):
    """By its name, or by the bodies between which it is, in any order."""
    ours = (
        f'<loop_joint name="{name}" type="spherical"><predecessor link="rocker" xyz="0.4 0 0"/>'
        '<successor link="rod" xyz="0.5 0 0"/></loop_joint>'
    )
    graph = md.load_urdf(four_bar(ISAAC, ours + PASSIVE), strict=True)
    assert [loop.name for loop in graph.loop_joints] == [name]
    assert torque(graph) == pytest.approx([gravity_torque(ANGLE)], abs=1e-12)
    assert graph.notes == ("not read, because our tags say the same: <loop_joint> 'pin' (line 9)",)


def test_our_joint_dynamics_and_empty_sections():
    motor = transmission(MOTOR, of="a")
    tags = '<joint_dynamics joint="a" stiffness="5"/>'
    joint_a = md.load_urdf(four_bar(motor, tags), strict=True).joint("a")
    assert (joint_a.armature, joint_a.stiffness) == (pytest.approx(ARMATURE), 5.0)
    file = {"version": 1, "loop_joints": [], "joint_dynamics": []}
    graph = md.load_urdf(four_bar(ISAAC + motor), file, strict=True)
    assert (graph.loop_joints, graph.joint("a").armature) == ((), 0.0)


@pytest.mark.parametrize("loop", [*LOOPS.values(), of_gazebo()])
def test_what_was_read_is_written_once_as_our_tags(loop):
    motor = transmission(MOTOR, of="a")
    graph = md.load_urdf(four_bar(loop + motor, PASSIVE, of_joints=("", '<dynamics armature="3"/>', "")))
    written = graph.to_urdf()
    assert written.count("<loop_joint ") == written.count('joint="a" armature') == 1
    assert not any(one in written for one in ("<loop ", "motorInertia", "link1", "<gazebo"))
    assert "<mechanicalReduction>" in written
    again = md.load_urdf(written, strict=True)
    assert again.notes == ()
    assert [one.armature for one in again.joints] == [one.armature for one in graph.joints]
    assert again.to_urdf() == written


def test_changes_of_the_robot_keep_it():
    graph = md.load_urdf(four_bar(ISAAC + transmission(MOTOR, of="a"), PASSIVE))
    tool = md.load_urdf(four_bar(ISAAC + DRIVEN, of_joints=('<dynamics armature="0.5"/>', "", "")))
    both = graph.attach(tool, "rocker", DualQuaternion.identity, prefix="tool_")
    again = md.load_urdf(both.with_payload("rod", mass=0.5, com=[0.1, 0, 0]).to_urdf())
    assert [loop.name for loop in again.loop_joints] == ["pin", "tool_pin"]
    assert again.passive_joints == both.passive_joints
    assert (again.joint("a").armature, again.joint("tool_a").armature) == (pytest.approx(ARMATURE), 0.5)


def test_an_error_names_what_is_misspelt_beside_but_no_words_of_other_tools():
    text = four_bar(ISAAC + transmission(MOTOR, of="a")).replace("<mass value", "<mass Value", 1)
    with pytest.raises(md.UrdfError, match=r"lacks 'value'.*Beside this: .*is 'value' meant\?$"):
        md.load_urdf(text)


def test_a_joint_of_drake_is_refused():
    with pytest.raises(md.UrdfError, match=r"^line 9: <drake:joint> 'k' is not read; write <joint>, and"):
        md.load_urdf(four_bar(f'<drake:joint {DRAKE} name="k" type="ball"/>'))

"""What only simulators and controllers have, and spelling within the words of other tools."""

import re

import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import LOOPS, four_bar

PLUGIN = (
    "<gazebo><plugin name='p' filename='libmimic_joint.so'><joint>b</joint><mimicJoint>a</mimicJoint>"
    "</plugin></gazebo>"
)
NOTES = [
    (PLUGIN, "not read, plugins of Gazebo that couple joints: p (line 9)"),
    (
        "<gazebo reference='rod'><inertial><mass>3</mass></inertial></gazebo>",
        "not read, <inertial> in <gazebo> of rod",
    ),
    (
        "<gazebo><plugin name='s' filename='libTorsionSpringPlugin.so'/></gazebo>",
        "not read, plugins of Gazebo that add springs or forces: s (line 9); if the robot has them, ",
    ),
    (
        "<mujoco><option density='1000' viscosity='1'/></mujoco>",
        "not read, <option> of MuJoCo: the density and viscosity of a fluid (line 9)",
    ),
    ("<gazebo><link name='x'/></gazebo>", "not read, because only <gazebo> has them: links x"),
]


@pytest.mark.parametrize(("words", "text"), NOTES)
def test_what_only_simulators_have_is_a_note(words, text):
    (note,) = md.load_urdf(four_bar(words), strict=True).notes
    assert note.startswith(text)


def test_inertias_that_pybullet_scales_are_a_note():
    contact = "<contact><inertia_scaling value='3'/></contact></link>"
    assert md.load_urdf(four_bar().replace("</link>", contact), strict=True).notes == (
        "not read, <inertia_scaling> of PyBullet: inertias of 3 links are those of <inertial>",
    )


MIMIC = [
    "<ros2_control name='x'><joint name='b'><param name='mimic'>a</param></joint></ros2_control>",
    "<ros2_control name='x'><joint name='b'><mimic joint='a'/></joint></ros2_control>",
    "<ros2_control name='x'><joint name='b' mimic='true'/></ros2_control>",
    "<gazebo reference='b'><axis><mimic joint='a'><multiplier>-1</multiplier></mimic></axis></gazebo>",
]


@pytest.mark.parametrize("words", MIMIC)
def test_a_coupling_that_the_urdf_does_not_have_is_named(words):
    with pytest.warns(
        md.ModelWarning, match=r"of joint 'b', which mimics none in the URDF, .*; write <mimic>"
    ):
        (finding,) = md.load_urdf(four_bar(words)).warnings
    assert finding.kind == "coupling of another tool"
    mimic = ("", '<mimic joint="a" multiplier="-1"/>', "")
    assert md.load_urdf(four_bar(words + PLUGIN, of_joints=mimic), strict=True).notes == ()


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("<compiler inertiafromgeom='true'/>", "replaces masses by those of the shapes"),
        ("<compiler settotalmass='9'/>", "scales all masses"),
        ("<compiler boundmass='1.1'/>", "raises the masses of crank"),
        ("<compiler boundinertia='0.1'/>", "raises the moments of inertia of crank, rod, rocker"),
    ],
)
def test_options_of_mujocos_compiler_that_change_masses(option, text):
    with pytest.warns(md.ModelWarning, match=f"of MuJoCo {text} and is not read"):
        (finding,) = md.load_urdf(four_bar(f"<mujoco>{option}</mujoco>")).warnings
    assert finding.kind == "mass of another tool"


def test_closing_frames_of_onshape_to_robot_are_named_unless_a_loop_joint_joins_them():
    """The frames that it exports for a mate closing_pin, each fixed to one body."""
    frames = "".join(
        f"<link name='closing_pin_{k}'/><joint name='f{k}' type='fixed'><parent link='{body}'/>"
        f"<child link='closing_pin_{k}'/></joint>"
        for k, body in ((1, "rod"), (2, "rocker"))
    )
    with pytest.warns(md.ModelWarning, match="'closing_pin_1' and 'closing_pin_2' of onshape-to-robot seems"):
        (finding,) = md.load_urdf(four_bar(frames)).warnings
    assert finding.kind == "loop of another tool"
    loop = (
        '<loop_joint name="pin" type="spherical"><predecessor link="closing_pin_1"/>'
        '<successor link="closing_pin_2"/></loop_joint><passive joint="b"/><passive joint="c"/>'
    )
    assert md.load_urdf(four_bar(frames, loop), strict=True).warnings == ()


# Within the words of other tools, spelling, places and attributes are checked as in URDF's own.

ISAAC, PLUS, BALL = LOOPS["Drake before 2017"], LOOPS["URDF+"], LOOPS["Drake"]
COUPLING = (
    '<coupling name="k"><predecessor link="crank"/><successor link="rocker"/><ratio value="6"/></coupling>'
)
SDF = (
    '<gazebo><joint name="pin" type="revolute"><parent>rod</parent><child>rocker</child>'
    "<pose>0.4 0 0 0 0 0</pose><axis><xyz>0 -1 0</xyz></axis></joint></gazebo>"
)
SPRING = (
    '<gazebo reference="a"><springStiffness>3</springStiffness><springReference>1</springReference></gazebo>'
)
MOTOR = (
    '<transmission name="t"><joint name="a"/><actuator name="m"><mechanicalReduction>9</mechanicalReduction>'
    "<motorInertia>1</motorInertia></actuator></transmission>"
)
#: Words, what is written in them, and the kind and the end of what is said.
WRONG = [
    (ISAAC, ('"rocker" xyz=', '"rocker" xzy='), "misspelt attribute", "is 'xyz' meant?"),
    (ISAAC, ('"rocker" xyz=', '"rocker" pos='), "misplaced attribute", "is 'xyz' meant?"),
    (ISAAC, ("<axis", "<Axis"), "misspelt element", "is <axis> meant?"),
    (ISAAC, ("name=", 'colour="1" name='), "unknown attribute", "and ignored"),
    (PLUS, ("<loop ", '<loop active="0" '), "unknown attribute", "and ignored"),
    (PLUS, ("origin", "pose"), "misplaced element", "write 'xyz' and 'rpy'"),
    (COUPLING, ("<ratio", "<ratoi"), "misspelt element", "is <ratio> meant?"),
    (COUPLING, ('"k"><', '"k" ratio="6"><'), "misplaced attribute", "<ratio> is an element in it"),
    (COUPLING, ("</coupling>", '<offset value="1"/></coupling>'), "misplaced element", "known are"),
    (COUPLING, ("coupling", "Coupling"), "misspelt element", "is <coupling> meant?"),
    (SDF, ("pose>", "Pose>"), "misspelt element", "is <pose> meant?"),
    (SDF, ("<axis>", '<origin xyz="1 0 0"/><axis>'), "misplaced element", "write <pose>x y z roll pitch yaw"),
    (SPRING, ("springStiffness", "springStifness"), "misspelt element", "<springStiffness>"),
    (MOTOR, ("Reduction", "Reduciton"), "misspelt element", "is <mechanicalReduction> meant?"),
    (MOTOR, ("motorInertia", "MotorInertia"), "misspelt element", "is <motorInertia> meant?"),
    (BALL, ("p_BQ", "p_QB"), "misspelt element", "is <drake:ball_constraint_p_BQ> meant?"),
]


@pytest.mark.filterwarnings("ignore::modular_dynamics.ModelWarning")
@pytest.mark.parametrize(("words", "change", "kind", "end"), WRONG)
def test_what_is_ignored_in_other_words_is_named(words, change, kind, end):
    text = four_bar(words.replace(*change))
    found = [one for one in md.load_urdf(text).warnings if one.kind == kind]
    assert found
    assert all(re.match(r"line \d+: ", str(one)) and end in str(one) for one in found)
    with pytest.raises(md.UrdfError, match=r"^strict: "):
        md.load_urdf(text, strict=True)


@pytest.mark.parametrize(
    "words",
    [
        ISAAC.replace("<axis", '<dynamics damping="1" friction="2" stiffness="0"/><limit effort="1"/><axis'),
        SDF.replace("</axis>", "<limit><lower>-1</lower></limit></axis><physics><ode/></physics>"),
        f"<gazebo reference='a'><axis><limit/></axis><pose>0 0 0 0 0 0</pose></gazebo>{PLUS}",
        MOTOR.replace("</joint>", "</joint><role>r</role>").replace("<actuator", "<type>x</type><actuator"),
    ],
)
def test_what_tools_have_beside_is_not_mentioned(words):
    tags = '<passive joint="b"/><passive joint="c"/>'
    graph = md.load_urdf(four_bar(words, tags), strict=True)
    assert graph.warnings == ()
    assert not any("not understood" in note for note in graph.notes)


def test_an_error_in_other_words_names_what_is_misspelt():
    with pytest.raises(md.UrdfError, match=r"<axis> lacks 'xyz'.*Beside this: .*'xzy'.*is 'xyz' meant"):
        md.load_urdf(four_bar(ISAAC.replace("<axis xyz", "<axis xzy")))

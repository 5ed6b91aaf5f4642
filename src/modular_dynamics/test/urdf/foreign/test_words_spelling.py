"""Within the words of other tools, spelling, places and attributes are checked as in URDF's own."""

import re

import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import DRAKE, LOOPS, four_bar

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
WRONG = {
    "an attribute": (ISAAC, ('"rocker" xyz=', '"rocker" xzy='), "misspelt attribute", "is 'xyz' meant?"),
    "pos": (ISAAC, ('"rocker" xyz=', '"rocker" pos='), "misplaced attribute", "is 'xyz' meant?"),
    "origin": (ISAAC, ('"rocker" xyz=', '"rocker" origin='), "misplaced attribute", "is 'xyz' meant?"),
    "angles": (ISAAC, ("link2", 'link2 euler="1 0 0"'), "misplaced attribute", "is 'rpy' meant"),
    "a capital letter": (ISAAC, ("<axis", "<Axis"), "misspelt element", "is <axis> meant?"),
    "an unknown attribute": (ISAAC, ("name=", 'colour="1" name='), "unknown attribute", "and ignored"),
    "a pose": (PLUS, ("origin", "pose"), "misplaced element", "write 'xyz' and 'rpy'"),
    "an origin": (PLUS, ("<origin", "<Origin"), "misspelt element", "is <origin> meant?"),
    "an origin of URDF+": (PLUS, ('xyz="0.4', 'pos="0.4'), "misplaced attribute", "is 'xyz' meant?"),
    "a ratio": (COUPLING, ("<ratio", "<Ratio"), "misspelt element", "is <ratio> meant?"),
    "a ratio, letters": (COUPLING, ("<ratio", "<ratoi"), "misspelt element", "is <ratio> meant?"),
    "a ratio as attribute": (
        COUPLING,
        ('"k"><', '"k" ratio="6"><'),
        "misplaced attribute",
        "<ratio> is an element in it",
    ),
    "an offset": (
        COUPLING,
        ("</coupling>", '<offset value="1"/></coupling>'),
        "misplaced element",
        "known are",
    ),
    "a coupling": (COUPLING, ("coupling", "Coupling"), "misspelt element", "is <coupling> meant?"),
    "a pose of Gazebo": (SDF, ("pose>", "Pose>"), "misspelt element", "is <pose> meant?"),
    "an origin in Gazebo": (
        SDF,
        ("<axis>", '<origin xyz="1 0 0"/><axis>'),
        "misplaced element",
        "write <pose>x y z roll pitch yaw</pose>",
    ),
    "an axis of Gazebo": (SDF, ("xyz>", "XYZ>"), "misspelt element", "is <xyz> meant?"),
    "a spring": (
        SPRING,
        ("springStiffness", "SpringStiffness"),
        "misspelt element",
        "is <springStiffness> meant?",
    ),
    "a spring, letters": (
        SPRING,
        ("springStiffness", "springStifness"),
        "misspelt element",
        "<springStiffness>",
    ),
    "a reference": (SPRING, ("Reference>", "Refrence>"), "misspelt element", "is <springReference> meant?"),
    "a reduction": (MOTOR, ("Reduction", "Reduciton"), "misspelt element", "is <mechanicalReduction> meant?"),
    "an inertia": (MOTOR, ("motorInertia", "MotorInertia"), "misspelt element", "is <motorInertia> meant?"),
    "a unit": (MOTOR, ("<motorInertia", '<motorInertia unit="g"'), "unknown attribute", "all numbers are in"),
    "a point of Drake": (
        BALL,
        ("p_BQ", "p_QB"),
        "misspelt element",
        "is <drake:ball_constraint_p_BQ> meant?",
    ),
}


def loaded(text):
    with pytest.warns(md.ModelWarning):
        return md.load_urdf(text)


@pytest.mark.parametrize(("words", "change", "kind", "end"), WRONG.values(), ids=WRONG)
def test_what_is_ignored_in_other_words_is_named(words, change, kind, end):
    text = four_bar(words.replace(*change))
    found = [one for one in loaded(text).warnings if one.kind == kind]
    assert found
    assert all(re.match(r"line \d+: ", str(one)) and end in str(one) for one in found)
    with pytest.raises(md.UrdfError, match=r"^strict: "):
        md.load_urdf(text, strict=True)


#: Springs and inertias of a joint that closes a loop.
AT_CUT = {
    "an attribute": ISAAC.replace("name=", 'stiffness="3" name='),
    "an inertia": ISAAC.replace(" type", ' armature="1" type'),
    "dynamics": ISAAC.replace("<axis", '<dynamics motor_inertia="1"/><axis'),
    "an element in it": ISAAC.replace("<axis", "<springStiffness>3</springStiffness><axis"),
    "of URDF+": PLUS.replace("<axis", '<dynamics spring_stiffness="3"/><axis'),
    "SDF": SDF.replace("</xyz>", "</xyz><dynamics><spring_stiffness>30</spring_stiffness></dynamics>"),
    "a spring of Gazebo": SDF.replace("<axis>", "<springStiffness>3</springStiffness><axis>"),
}


@pytest.mark.parametrize("words", AT_CUT.values(), ids=AT_CUT)
def test_springs_and_inertias_of_a_cut_joint_are_named(words):
    graph = loaded(four_bar(words))
    (found,) = [one for one in graph.warnings if one.kind.endswith("of another tool")]
    assert len(graph.loop_joints) == 1
    assert "of loop_joint 'pin'" in str(found) or "of loop 'pin'" in str(found) or "joint 'pin'" in str(found)
    assert "is not read; torques are those without it; write <spring>" in str(found)


SILENT = [
    ISAAC.replace("<axis", '<dynamics damping="1" friction="2" stiffness="0"/><limit effort="1"/><axis'),
    SDF.replace("</axis>", "<limit><lower>-1</lower></limit></axis><physics><ode/></physics>"),
    f"<gazebo reference='a'><axis><limit/></axis><pose>0 0 0 0 0 0</pose><stopErp>1</stopErp></gazebo>{PLUS}",
    MOTOR.replace("</joint>", "</joint><role>r</role>").replace("<actuator", "<type>x</type><actuator"),
    f"<drake:collision_filter_group {DRAKE} name='g'/>{COUPLING}",
]


@pytest.mark.parametrize("words", SILENT)
def test_what_tools_have_beside_is_not_mentioned(words):
    tags = '<passive joint="b"/><passive joint="c"/>'
    assert md.load_urdf(four_bar(words, tags), strict=True).warnings == ()


def test_an_error_in_other_words_names_what_is_misspelt():
    with pytest.raises(md.UrdfError, match=r"<axis> lacks 'xyz'.*Beside this: .*'xzy'.*is 'xyz' meant"):
        md.load_urdf(four_bar(ISAAC.replace("<axis xyz", "<axis xzy")))


@pytest.mark.parametrize("ratio", ["0", "2"])
def test_a_ratio_of_a_mimic_joint(ratio):
    text = four_bar(of_joints=("", f'<mimic joint="a" ratio="{ratio}"/>', ""))
    (finding,) = loaded(text).warnings
    assert str(finding).endswith("an attribute 'ratio', which is unknown and ignored; is 'multiplier' meant?")

"""Words of other tools that change torques and are not read are named once by kind; others are silent."""

import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import DRAKE, LOOPS, four_bar
from modular_dynamics.model import summaries_by_kind

BY_NAME = {
    "loop": [
        f"<drake:distance_constraint {DRAKE} name='d'><x/></drake:distance_constraint>",
        "<constraints><pin body1='rod'/></constraints>",
        "<loop_closure name='l'><link1/></loop_closure>",
        "<closed_chain link_a='rod' link_b='rocker' xyz_a='0.3 0 0'/>",
        "<ros2_control name='x' type='system'><loop_joint><link1 link='rod'/></loop_joint></ros2_control>",
        "<mujoco><equality><connect site1='s' site2='t'/></equality></mujoco>",
        "<gazebo><model><joint><parent>rod</parent><child>rocker</child></joint></model></gazebo>",
        "<gazebo reference='rod'><joint><parent>rod</parent><child>rocker</child></joint></gazebo>",
        f"<x><drake:joint {DRAKE} type='ball'><parent link='rod'/><child link='rocker'/></drake:joint></x>",
    ],
    "coupling": [
        f"<drake:tendon_constraint {DRAKE}><x/></drake:tendon_constraint>",
        "<cable name='c' max_length='1'/>",
        "<differential left='a' right='b'/>",
        "<mujoco><tendon><fixed><joint joint='a' coef='1'/></fixed></tendon></mujoco>",
    ],
    "spring": [
        f"<drake:linear_bushing_rpy {DRAKE}><x/></drake:linear_bushing_rpy>",
        "<force_element name='f'><torsional_spring stiffness='1'/></force_element>",
        "<elastic joint='a' spring_rate='5'/>",
        "<gazebo name='a'><gazebo><springStiffness>5</springStiffness></gazebo></gazebo>",
        "<gazebo><springStiffness>5</springStiffness></gazebo>",
        "<mujoco><default><joint stiffness='5'/></default></mujoco>",
    ],
    "inertia": [
        "<motor joint='a' J='1e-5' N='100'/>",
        "<motor name='m'><inertia>1e-4</inertia><joint>a</joint></motor>",
        "<ros2_control name='c'><joint name='a'><motorInertia>2</motorInertia></joint></ros2_control>",
        "<ros2_control name='c'><joint name='a'><param name='motor_inertia'>1</param></joint></ros2_control>",
        "<gazebo reference='a'><dynamics armature='2'/></gazebo>",
        "<transmission name='t'><joint name='a'><dynamics armature='2'/></joint></transmission>",
        "<transmission name='t'><joint name='a'/><motor rotor_inertia='1'/></transmission>",
    ],
    "mass": [
        "<counterweight link='rod'/>",
        "<payload link='rod'><value>3</value></payload>",
        "<battery parent='rod' mass='3'/>",
        "<tool link='rod'><mass value='3'/></tool>",
    ],
    "gravity": [
        "<physics><gravity>0 0 -1.62</gravity></physics>",
        "<world gravity='0 0 0'/>",
        "<mujoco><option gravity='0 0 -1.62'/></mujoco>",
        "<mujoco><option><flag gravity='disable'/></option></mujoco>",
    ],
}
BY_WHAT_THEY_NAME = {
    "loop": [
        "<closure><link1 name='rod'/><link2 name='rocker'/></closure>",
        "<x><y><connect body1='rod' body2='rocker'/></y></x>",
        "<hinge name='h' body1='rod' body2='rocker' anchor='0.5 0 0'/>",
        "<closing_joint><parent>rod</parent><child>rocker</child></closing_joint>",
        "<pin links='rod, rocker'/>",
        "<pin first='four::rod' second='four/rocker'/>",
        "<push_rod link1='rod' link2='rocker' length='0.3'/>",
    ],
    "coupling": [
        "<belt joint1='a' joint2='b' ratio='-1'/>",
        "<gear_joint><joint1>a</joint1><joint2>b</joint2></gear_joint>",
        "<synergy><j name='a' weight='1'/><j name='b' weight='0.5'/></synergy>",
    ],
    "spring": [
        "<gas_strut force='300'><end link='rod' xyz='0 0 0'/><end link='rocker' xyz='0 0 0'/></gas_strut>",
        "<device k='9'><a link='rod'/><b link='rocker'/></device>",
    ],
}
IN_JOINTS = {
    "loop": ["<loop link='rocker'/>"],
    "coupling": ["<follows>b</follows>", "<dependent joint='b'/>", "<coupling joint='b' ratio='2'/>"],
    "spring": [
        "<preload torque='5'/>",
        "<gravity_compensation torque='5'/>",
        "<series><spring_stiffness value='1'/></series>",
        "<torsionalStiffness value='5'/>",
    ],
    "inertia": [
        "<actuator><inertia value='2'/></actuator>",
        "<actuator><dynamics armature='2'/></actuator>",
        "<drive><motor rotor_inertia='1e-4'/></drive>",
        "<drive><Jm>1e-4</Jm></drive>",
        "<gearbox inertia='0.5'/>",
        "<dynamics reflected_inertia='1'/>",
    ],
    "mass": ["<counterweight mass='3' arm='0.2'/>"],
}
WRITE = {
    "loop": "<loop_joint>",
    "coupling": "<gear",
    "spring": "<spring>",
    "inertia": "<joint_dynamics",
    "mass": "<inertial>",
    "gravity": "<modular_dynamics",
}


def cases(words_by_kind):
    return [(words, kind) for kind, of_kind in words_by_kind.items() for words in of_kind]


@pytest.mark.parametrize(("words", "kind"), cases(BY_NAME) + cases(BY_WHAT_THEY_NAME))
def test_a_word_below_the_robot(words, kind):
    check(four_bar(words), kind)


@pytest.mark.parametrize(("words", "kind"), cases(IN_JOINTS))
def test_a_word_in_a_joint(words, kind):
    check(four_bar(of_joints=(words, "", "")), kind)


def check(text, kind):
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(text)
    (message,) = map(str, (one.message for one in caught))
    assert {finding.kind for finding in graph.warnings} == {f"{kind} of another tool"}
    assert message.startswith(("line ", f"{kind} of another tool: "))
    assert "is not read; torques are those without it; " in message
    assert WRITE[kind] in message
    with pytest.raises(md.UrdfError, match=r"^strict: "):
        md.load_urdf(text, strict=True)


def test_each_kind_is_said_once():
    words = "".join(f"<cable name='c{k}' l='1'/><closed_loop name='l{k}'/>" for k in range(9))
    with pytest.warns(md.ModelWarning):
        findings = md.load_urdf(four_bar(words)).warnings
    assert len(findings) == 18
    assert [line.partition(".")[0] for line in summaries_by_kind(findings)] == [
        "coupling of another tool: 9 elements, 'c0', 'c1', 'c2', 'c3' and 5 more",
        "loop of another tool: 9 elements, 'l0', 'l1', 'l2', 'l3' and 5 more",
    ]


ISAAC, PLUS = LOOPS["Drake before 2017"], LOOPS["URDF+"]
SDF = (
    '<gazebo><joint name="pin" type="revolute"><parent>rod</parent><child>rocker</child>'
    "<pose>0.4 0 0 0 0 0</pose><axis><xyz>0 -1 0</xyz></axis></joint></gazebo>"
)
AT_CUT = [
    (ISAAC.replace("name=", 'stiffness="3" name='), "spring"),
    (ISAAC.replace("<axis", '<dynamics motor_inertia="1"/><axis'), "inertia"),
    (ISAAC.replace("<axis", "<springStiffness>3</springStiffness><axis"), "spring"),
    (PLUS.replace("</loop>", '<limit stiffness="40"/></loop>'), "spring"),
    (SDF.replace("</xyz>", "</xyz><dynamics><spring_stiffness>30</spring_stiffness></dynamics>"), "spring"),
]


@pytest.mark.parametrize(("words", "kind"), AT_CUT)
def test_springs_and_inertias_of_a_joint_that_closes_a_loop_are_named(words, kind):
    with pytest.warns(md.ModelWarning, match=r"(of|in) (loop|joint|loop_joint) 'pin' seems to be an? "):
        graph = md.load_urdf(four_bar(words))
    assert f"{kind} of another tool" in {finding.kind for finding in graph.warnings}
    assert len(graph.loop_joints) == 1


#: Names of links or joints alone say nothing, and simulations have springs and inertias of their own.
SILENT = [
    "<workspace_limit from='rod' to='rocker' max='1 1 1'/><task frame='rod' base='rocker' weight='1'/>",
    f"<drake:properties {DRAKE}><drake:point_contact_stiffness value='1'/></drake:properties>",
    "<gazebo reference='rod'><sensor name='i'/><kp>1</kp><dampingFactor>1</dampingFactor></gazebo>",
    "<mujoco><compiler balanceinertia='true' boundmass='0.001'/><option gravity='0 0 -9.81'/></mujoco>",
    "<mujoco><contact><exclude body1='rod' body2='rocker'/></contact></mujoco>",
    "<ros2_control name='c'><joint name='a'><param name='stiffness'>1</param></joint></ros2_control>",
    "<control_loop joint='a'/><joint_constraints><x/></joint_constraints><safety_constraints max='1'/>",
    "<ground stiffness='1e5'/><controller stiffness='100'/><contact><stiffness value='1e5'/></contact>",
    "<physics><gravity>0 0 -9.81</gravity><implicit_spring_damper>1</implicit_spring_damper></physics>",
    "<group name='arm'><joint name='a'/><joint name='b'/><chain base_link='base' tip_link='rod'/></group>",
    "<frame name='f' link='rod'/><disable_collisions link1='rod' link2='base'/>",
    "<gripper name='g' base_link='base' tip_link='rod'/><wheels left='a' right='b'/>",
    "<tf parent='base' child='rod' xyz='0 0 1'/><tool_changer parent='base' tool='rod' joint='a'/>",
    "<gains><joint name='a' stiffness='300'/><joint name='b' stiffness='300'/></gains>",
    "<ft_sensor stiffness='1e7' link='rod'/><rated_payload>5</rated_payload><robot_properties mass='25.3'/>",
    "<gazebo><plugin><joint_name>a</joint_name><link>rod</link><link>rocker</link></plugin></gazebo>",
    "<sensor name='s'><parent link='rod'/><connect link='rocker'/></sensor>",
]


@pytest.mark.parametrize("words", SILENT)
def test_what_concerns_other_things_is_no_warning(words, recwarn):
    assert md.load_urdf(four_bar(words), strict=True).warnings == ()
    assert not recwarn.list


def test_gains_and_sensors_of_joints_are_no_warning():
    words = "<drive stiffness='100'/><torque_sensor stiffness='16000'/>"
    assert md.load_urdf(four_bar(of_joints=(words, "", "")), strict=True).warnings == ()


def test_names_of_elements_that_nothing_reads_are_a_note():
    words = "<frame name='f'/><frame name='g'/><gripper base_link='base'/><gazebo/><contact/>"
    assert md.load_urdf(four_bar(words, of_joints=("<traits/>", "", "")), strict=True).notes == (
        "not read, and not understood: elements <traits> (line 6), <frame> (line 9), <gripper> (line 9)",
    )
    many = "".join(f"<vendor_{k}/>" for k in range(30))
    (note,) = md.load_urdf(four_bar(many), strict=True).notes
    assert note.endswith("<vendor_11> (line 9), and 18 more")

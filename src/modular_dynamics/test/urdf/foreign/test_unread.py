"""Words of other tools that change torques and are not read are named once by kind; others are silent."""

import re
import warnings

import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import DRAKE, LOOPS, four_bar
from modular_dynamics.model import summaries_by_kind

NAMED = {
    "a distance": (f"<drake:distance_constraint {DRAKE} name='d'><x/></drake:distance_constraint>", "loop"),
    "a distance of links": (
        f"<drake:distance_constraint {DRAKE}><a name='rod'/><b name='rocker'/></drake:distance_constraint>",
        "loop",
    ),
    "a tendon": (f"<drake:tendon_constraint {DRAKE}><x/></drake:tendon_constraint>", "coupling"),
    "a bushing": (f"<drake:linear_bushing_rpy {DRAKE}><x/></drake:linear_bushing_rpy>", "spring"),
    "a force of Drake": (
        "<force_element name='f'><torsional_spring stiffness='1'/></force_element>",
        "spring",
    ),
    "pins of RaiSim": ("<constraints><pin body1='rod'/></constraints>", "loop"),
    "a cable": ("<cable name='c' max_length='1'/>", "coupling"),
    "another loop": ("<loop_closure name='l'><link1/></loop_closure>", "loop"),
    "another closed loop": ("<closed_loop joint='a'/>", "loop"),
    "another constraint": ("<loop_constraint link='a'/>", "loop"),
    "another spring": ("<torsion_spring joint='a' k='1'/>", "spring"),
    "another coupling": ("<differential left='a' right='b'/>", "coupling"),
    "a closure": ("<closure><link1 name='rod'/><link2 name='rocker'/></closure>", "loop"),
    "a cut joint": ("<cut_joint><a link='rod'/><b link='rocker'/></cut_joint>", "loop"),
    "a connection": ("<connect body1='rod' body2='rocker'/>", "loop"),
    "a weld": ("<weld body1='rod' body2='rocker'/>", "loop"),
    "a connection in a container": ("<x><y><connect body1='rod' body2='rocker'/></y></x>", "loop"),
    "a loop in a block for controllers": (
        "<ros2_control name='x' type='system'><loop_joint><link1 link='rod'/></loop_joint></ros2_control>",
        "loop",
    ),
    "a joint of a simulator's model": (
        "<gazebo><model><joint><parent>rod</parent><child>rocker</child></joint></model></gazebo>",
        "loop",
    ),
    "a joint in a block about a link": (
        "<gazebo reference='rod'><joint><parent>rod</parent><child>rocker</child></joint></gazebo>",
        "loop",
    ),
    "a hinge": ("<hinge name='h' body1='rod' body2='rocker' anchor='0.5 0 0'/>", "loop"),
    "a ball joint": ("<ball_joint link1='rod' link2='rocker' xyz='0.5 0 0'/>", "loop"),
    "a mate": ("<mate><entity link='rod'/><entity link='rocker'/></mate>", "loop"),
    "a closing joint": ("<closing_joint><parent>rod</parent><child>rocker</child></closing_joint>", "loop"),
    "a belt": ("<belt joint1='a' joint2='b' ratio='-1'/>", "coupling"),
    "a pulley": ("<pulley driver='a' driven='c' ratio='2'/>", "coupling"),
    "a gear joint": ("<gear_joint><joint1>a</joint1><joint2>b</joint2></gear_joint>", "coupling"),
    "a bungee": ("<bungee link1='rod' link2='rocker' k='100'/>", "spring"),
    "a gas strut": (
        "<gas_strut force='300'><end link='rod' xyz='0 0 0'/><end link='rocker' xyz='0 0 0'/></gas_strut>",
        "spring",
    ),
    "a spring of Drake before 2020": (
        "<force_element name='f'><linear_spring_damper stiffness='9'><link1 link='rod' xyz='0 0 0'/>"
        "<link2 link='rocker' xyz='0 0 0'/></linear_spring_damper></force_element>",
        "spring",
    ),
    "a damper of two links": ("<device k='9'><a link='rod'/><b link='rocker'/></device>", "spring"),
    "a closed chain": ("<closed_chain link_a='rod' link_b='rocker' xyz_a='0.3 0 0'/>", "loop"),
    "a pin of a list": ("<pin links='rod, rocker'/>", "loop"),
    "a pin of scoped names": ("<pin first='four::rod' second='four/rocker'/>", "loop"),
    "a place": ("<link_pair a='rod' b='rocker'><at>0.5 0 0</at></link_pair>", "loop"),
    "a weighted sum": ("<synergy><j name='a' weight='1'/><j name='b' weight='0.5'/></synergy>", "coupling"),
    "a tendon of MuJoCo": (
        "<mujoco><tendon><fixed><joint joint='a' coef='1'/><joint joint='b' coef='2'/></fixed></tendon>"
        "</mujoco>",
        "coupling",
    ),
    "a motor with letters": ("<motor joint='a' J='1e-5' N='100'/>", "inertia"),
    "a motor with attributes": ("<motor joint='a' inertia='1e-5' ratio='100'/>", "inertia"),
    "a rate of a spring": ("<elastic joint='a' spring_rate='5'/>", "spring"),
    "a counterweight": ("<counterweight link='rod'/>", "mass"),
    "a payload": ("<payload link='rod'><value>3</value></payload>", "mass"),
    "a battery": ("<battery parent='rod' mass='3'/>", "mass"),
    "gravity of a world": ("<physics><gravity>0 0 -1.62</gravity></physics>", "gravity"),
    "no gravity of a world": ("<world gravity='0 0 0'/>", "gravity"),
    "a coupling by ros2_control": (
        "<ros2_control name='x' type='system'><joint name='b'><param name='mimic'>a</param>"
        "<param name='multiplier'>-1</param></joint></ros2_control>",
        "coupling",
    ),
    "a coupling by Gazebo": (
        "<gazebo reference='b'><axis><mimic joint='a'><multiplier>-1</multiplier></mimic></axis></gazebo>",
        "coupling",
    ),
    "sites of MuJoCo": ("<mujoco><equality><connect site1='s' site2='t'/></equality></mujoco>", "loop"),
    "a push rod": ("<push_rod link1='rod' link2='rocker' length='0.3'/>", "loop"),
    "a length of cables": ("<cable_length joint='a'/>", "coupling"),
    "a mimic in ros2_control": (
        "<ros2_control name='c' type='system'><joint name='b'><mimic joint='a'/></joint></ros2_control>",
        "coupling",
    ),
    "a joint of ros2_control that mimics": (
        "<ros2_control name='c' type='system'><joint name='b' mimic='true'/></ros2_control>",
        "coupling",
    ),
    "a motor in ros2_control": (
        "<ros2_control name='c' type='system'><joint name='a'><motorInertia>2</motorInertia></joint>"
        "</ros2_control>",
        "inertia",
    ),
    "an armature in Gazebo": ("<gazebo reference='a'><dynamics armature='2'/></gazebo>", "inertia"),
    "a spring in a Gazebo block without reference": (
        "<gazebo name='a'><gazebo><springStiffness>5</springStiffness></gazebo></gazebo>",
        "spring",
    ),
    "a drive of a transmission": (
        "<transmission name='t'><joint name='a'><dynamics armature='2'/></joint></transmission>",
        "inertia",
    ),
    "a tool": ("<tool link='rod'><mass value='3'/></tool>", "mass"),
    "a mimic in Gazebo": ("<gazebo reference='b'><mimic joint='a' multiplier='2'/></gazebo>", "coupling"),
    "defaults of MuJoCo": ("<mujoco><default><joint stiffness='5'/></default></mujoco>", "spring"),
    "a torsion": ("<torsion joint='a' k='1'/>", "spring"),
    "an actuator with attributes": ("<actuator joint='a' rotor_inertia='1e-4'/>", "inertia"),
    "a point mass": ("<point_mass link='rod' mass='1'/>", "mass"),
    "a gravity": ("<option gravity='0 0 0'/>", "gravity"),
    "an inertia in a motor": ("<motor name='m'><inertia>1e-4</inertia><joint>a</joint></motor>", "inertia"),
    "a parameter of hardware": (
        "<ros2_control name='c' type='system'><joint name='a'><param name='motor_inertia'>1</param></joint>"
        "</ros2_control>",
        "inertia",
    ),
    "an inertia in a transmission": (
        "<transmission name='t'><joint name='a'/><motor rotor_inertia='1'/></transmission>",
        "inertia",
    ),
}
IN_JOINTS = {
    "a preload": ("<preload torque='5'/>", "spring"),
    "a compensator": ("<gravity_compensation torque='5'/>", "spring"),
    "a follower": ("<follows>b</follows>", "coupling"),
    "a joint that depends": ("<dependent joint='b'/>", "coupling"),
    "an inertia in an actuator": ("<actuator><inertia value='2'/></actuator>", "inertia"),
    "an armature in an actuator": ("<actuator><dynamics armature='2'/></actuator>", "inertia"),
    "a drive": ("<drive><motor rotor_inertia='1e-4'/></drive>", "inertia"),
    "an element": ("<motor><reflected_inertia>1</reflected_inertia></motor>", "inertia"),
    "a compliance": ("<series><spring_stiffness value='1'/></series>", "spring"),
    "a spring": ("<torsional_spring k='1'/>", "spring"),
    "a loop": ("<loop link='rocker'/>", "loop"),
    "a stiffness": ("<torsionalStiffness value='5'/>", "spring"),
    "a stiffness of the joint": ("<jointStiffness>5</jointStiffness>", "spring"),
    "a rate": ("<spring_rate value='5'/>", "spring"),
    "an inertia of an actuator": ("<actuator_inertia value='0.1'/>", "inertia"),
    "a mimic joint": ("<mimic_joint joint='b' multiplier='2'/>", "coupling"),
    "a coupling": ("<coupling joint='b' ratio='2'/>", "coupling"),
    "a counterweight": ("<counterweight mass='3' arm='0.2'/>", "mass"),
    "a flywheel": ("<flywheel inertia='0.5'/>", "inertia"),
    "a gear box": ("<gearbox inertia='0.5'/>", "inertia"),
    "a motor": ("<motor J='1e-4' N='100'/>", "inertia"),
    "a motor's letters": ("<drive><Jm>1e-4</Jm></drive>", "inertia"),
    "an elastic part": ("<elastic k='5'/>", "spring"),
}
WRITE = {
    "loop": "<loop_joint>",
    "coupling": "<gear",
    "spring": "<spring>",
    "inertia": "<joint_dynamics",
    "mass": "<inertial>",
    "gravity": "<modular_dynamics",
}


@pytest.mark.parametrize(("words", "kind"), NAMED.values(), ids=NAMED)
def test_a_word_below_the_robot(words, kind):
    check(four_bar(words), kind)


@pytest.mark.parametrize(("words", "kind"), IN_JOINTS.values(), ids=IN_JOINTS)
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
    findings = md.load_urdf(four_bar(words)).warnings
    assert len(findings) == 18
    lines = summaries_by_kind(findings)
    assert [line.partition(".")[0] for line in lines] == [
        "coupling of another tool: 9 elements, 'c0', 'c1', 'c2', 'c3' and 5 more",
        "loop of another tool: 9 elements, 'l0', 'l1', 'l2', 'l3' and 5 more",
    ]


SILENT = [
    "<camera_extrinsics parent='rod' child='rocker' xyz='0 0 1' rpy='0 0 0'/>",
    "<workspace_limit from='rod' to='rocker' min='0 0 0' max='1 1 1'/>",
    "<task frame='rod' base='rocker' weight='1 1 1'/>",
    "<material name='m'><color rgba='1 0 0 1'/></material><sensor name='s'/>",
    f"<drake:collision_filter_group {DRAKE} name='g'><drake:member link='rod'/>"
    "</drake:collision_filter_group>",
    f"<drake:proximity_properties {DRAKE}><drake:point_contact_stiffness value='1'/>"
    "</drake:proximity_properties>",
    "<gazebo><static>true</static><self_collide>1</self_collide>"
    "<plugin name='p' filename='libros2_control.so'/></gazebo>",
    "<gazebo reference='rod'><sensor type='imu' name='i'/><mu1>1</mu1><kp>1</kp>"
    "<dampingFactor>1</dampingFactor></gazebo>",
    "<mujoco><compiler meshdir='m' balanceinertia='true' discardvisual='false' boundmass='0.001'/>"
    "<option timestep='0.001' gravity='0 0 -9.81'/></mujoco>",
    "<transmission name='t'><type>x</type><joint name='a'><hardwareInterface>E</hardwareInterface></joint>"
    "<actuator name='m'><mechanicalReduction>9</mechanicalReduction>"
    "<motorTorqueConstant>1</motorTorqueConstant>"
    "</actuator></transmission>",
    "<ros2_control name='c' type='system'><joint name='a'><param name='kp'>1</param></joint></ros2_control>",
    "<control_loop hz='1000'/><joint_constraints><x/></joint_constraints>"
    "<safety_constraints max='1'/><control_loop joint='a'/>",
    "<ground stiffness='1e5'/><controller stiffness='100'/><contact><stiffness value='1e5'/></contact>",
    "<physics><gravity>0 0 -9.81</gravity><ode><implicit_spring_damper>true</implicit_spring_damper></ode>"
    "</physics>",
    "<group name='arm'><joint name='a'/><joint name='b'/><chain base_link='base' tip_link='rod'/></group>",
    "<frame name='f' link='rod'/><fixed_frame name='g'/><disable_collisions link1='rod' link2='base'/>",
    "<gripper name='g' base_link='base' tip_link='rod'/><arm base='base' tip='rod'/>",
    "<wheels left='a' right='b'/><tool_changer parent='base' tool='rod' joint='a' max_force='40'/>",
    "<manipulator><base_link>base</base_link><ee_link>rod</ee_link></manipulator>",
    "<contact_pair link1='rod' link2='rocker'/><acm><entry link1='rod' link2='rocker'/></acm>",
    "<mujoco><contact><exclude body1='rod' body2='rocker'/></contact></mujoco>",
    "<tf parent='base' child='rod' xyz='0 0 1'/><attachment parent='rod' child='base' xyz='0 0 1'/>",
    "<initial_positions><joint name='a' value='0'/><joint name='b' value='1'/></initial_positions>",
    "<motors><motor joint='a' id='1'/><motor joint='b' id='2'/></motors><leg hip='a' knee='b'/>",
    "<gains><joint name='a' stiffness='300'/><joint name='b' stiffness='300'/></gains>",
    "<hardware_interface><joint>a</joint><joint>b</joint></hardware_interface>",
    "<ft_sensor stiffness='1e7' link='rod'/><rated_payload>5</rated_payload><max_payload value='5'/>",
    "<payload>5.0</payload><robot_properties mass='25.3'/>",
    "<ros2_control name='c' type='system'><joint name='a'><param name='stiffness'>1</param></joint>"
    "</ros2_control>",
]
SILENT_IN_JOINTS = [
    f"<isaac:drive {DRAKE.replace('drake', 'isaac')} type='angular' stiffness='100' damping='4'/>",
    "<drive stiffness='100'/><torque_sensor stiffness='16000'/>",
]


@pytest.mark.parametrize("words", SILENT_IN_JOINTS)
def test_gains_and_sensors_of_joints_are_not_mentioned(words):
    assert md.load_urdf(four_bar(of_joints=(words, "", "")), strict=True).warnings == ()


@pytest.mark.parametrize("words", SILENT)
def test_what_concerns_other_things_is_not_mentioned(words, recwarn):
    graph = md.load_urdf(four_bar(words), strict=True)
    assert (graph.warnings, graph.notes) == ((), ())
    assert not recwarn.list


NOTES = [
    (
        "<gazebo><plugin name='p' filename='libmimic_joint.so'><joint>b</joint>"
        "<mimicJoint>a</mimicJoint></plugin></gazebo>",
        ("", "", ""),
        "not read, plugins of Gazebo that couple joints: p (line 9)",
    ),
    (
        "<gazebo><plugin name='p' filename='libclosed_loop_plugin.so'/></gazebo>",
        ("", "", ""),
        "not read, plugins of Gazebo that couple joints: p (line 9)",
    ),
    (
        "<gazebo reference='rod'><inertial><mass>3</mass></inertial></gazebo>",
        ("", "", ""),
        "not read, <inertial> in <gazebo> of rod",
    ),
    (
        "<gazebo><plugin name='s' filename='libTorsionSpringPlugin.so'><joint>a</joint><kx>3</kx></plugin>"
        "</gazebo>",
        ("", "", ""),
        "not read, plugins of Gazebo that add springs or forces: s (line 9); if the robot has them, ",
    ),
    (
        "<mujoco><option density='1000' viscosity='1'/></mujoco>",
        ("", "", ""),
        "not read, <option> of MuJoCo: the density and viscosity of a fluid (line 9)",
    ),
    ("<gazebo><link name='x'/></gazebo>", ("", "", ""), "not read, because only <gazebo> has them: links x"),
]


@pytest.mark.parametrize(("words", "of_joints", "text"), NOTES)
def test_what_only_gazebo_has_is_a_note(words, of_joints, text):
    graph = md.load_urdf(four_bar(words, of_joints=of_joints), strict=True)
    assert [note.startswith(text) for note in graph.notes] == [True]


def test_a_plugin_for_a_joint_that_mimics_is_not_mentioned():
    words, mimic = NOTES[0][0], ("", '<mimic joint="a"/>', "")
    assert md.load_urdf(four_bar(words, of_joints=mimic)).notes == ()


MUJOCO = [
    ("<compiler inertiafromgeom='true'/>", "mass", "replaces masses by those of the shapes"),
    ("<compiler settotalmass='9'/>", "mass", "scales all masses"),
    ("<compiler boundmass='1.1'/>", "mass", "raises the masses of crank"),
    ("<compiler boundinertia='0.1'/>", "mass", "raises the moments of inertia of crank, rod, rocker"),
    ("<option><flag gravity='disable'/></option>", "gravity", "turns gravity off"),
    ("<option gravity='0 0 -1.62'/>", "gravity", "is another gravity"),
]


@pytest.mark.parametrize(("option", "kind", "text"), MUJOCO)
def test_options_of_mujoco(option, kind, text):
    (finding,) = md.load_urdf(four_bar(f"<mujoco>{option}</mujoco>")).warnings
    assert finding.kind == f"{kind} of another tool"
    assert text in str(finding)


def test_inertias_that_pybullet_scales_are_a_note():
    contact = "<contact><inertia_scaling value='3'/></contact></link>"
    graph = md.load_urdf(four_bar().replace("</link>", contact), strict=True)
    assert graph.notes == (
        "not read, <inertia_scaling> of PyBullet: inertias of 3 links are those of <inertial>",
    )


def test_a_mimic_of_ros2_control_beside_the_urdfs_is_not_mentioned():
    words, mimic = NAMED["a coupling by ros2_control"][0], ("", '<mimic joint="a" multiplier="-1"/>', "")
    assert md.load_urdf(four_bar(words, of_joints=mimic), strict=True).warnings == ()


def test_balanceinertia_matters_where_an_inertia_is_broken():
    text = four_bar("<mujoco><compiler balanceinertia='true'/></mujoco>")
    broken = text.replace('ixx="0.01"', 'ixx="0.03"', 1)
    kinds = {finding.kind: str(finding) for finding in md.load_urdf(broken).warnings}
    assert "replaces the moments of inertia of crank by their mean" in kinds["mass of another tool"]


@pytest.mark.parametrize(
    "words",
    [
        "<gazebo><plugin><joint_name>a</joint_name><link>rod</link><link>rocker</link></plugin></gazebo>",
        "<gazebo reference='rod'><joint><parent>rod</parent></joint></gazebo>",
        "<disable_collisions link1='rod' link2='rocker'/>",
        "<sensor name='s'><parent link='rod'/><connect link='rocker'/></sensor>",
    ],
)
def test_links_named_for_other_reasons_close_nothing(words):
    assert not [one for one in loaded(words).warnings if one.kind.endswith("of another tool")]


def loaded(words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_urdf(four_bar(words))


def test_closing_frames_of_onshape_to_robot_are_named_unless_a_loop_joint_joins_them():
    """The frames that it exports for a mate closing_pin, each fixed to one body."""
    frames = "".join(
        f"<link name='closing_pin_{k}'/><joint name='f{k}' type='fixed'><parent link='{body}'/>"
        f"<child link='closing_pin_{k}'/></joint>"
        for k, body in ((1, "rod"), (2, "rocker"))
    )
    check(four_bar(frames), "loop")
    loop = (
        '<modular_dynamics version="1"><loop_joint name="pin" type="spherical">'
        '<predecessor link="closing_pin_1"/><successor link="closing_pin_2"/></loop_joint>'
        '<passive joint="b"/><passive joint="c"/></modular_dynamics>'
    )
    kinds = [finding.kind for finding in md.load_urdf(four_bar(frames + loop)).warnings]
    assert "loop of another tool" not in kinds


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


def loaded_of_words_spelling(text):
    with pytest.warns(md.ModelWarning):
        return md.load_urdf(text)


@pytest.mark.parametrize(("words", "change", "kind", "end"), WRONG.values(), ids=WRONG)
def test_what_is_ignored_in_other_words_is_named(words, change, kind, end):
    text = four_bar(words.replace(*change))
    found = [one for one in loaded_of_words_spelling(text).warnings if one.kind == kind]
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
    graph = loaded_of_words_spelling(four_bar(words))
    (found,) = [one for one in graph.warnings if one.kind.endswith("of another tool")]
    assert len(graph.loop_joints) == 1
    assert "of loop_joint 'pin'" in str(found) or "of loop 'pin'" in str(found) or "joint 'pin'" in str(found)
    assert "is not read; torques are those without it; write <spring>" in str(found)


SILENT_OF_WORDS_SPELLING = [
    ISAAC.replace("<axis", '<dynamics damping="1" friction="2" stiffness="0"/><limit effort="1"/><axis'),
    SDF.replace("</axis>", "<limit><lower>-1</lower></limit></axis><physics><ode/></physics>"),
    f"<gazebo reference='a'><axis><limit/></axis><pose>0 0 0 0 0 0</pose><stopErp>1</stopErp></gazebo>{PLUS}",
    MOTOR.replace("</joint>", "</joint><role>r</role>").replace("<actuator", "<type>x</type><actuator"),
    f"<drake:collision_filter_group {DRAKE} name='g'/>{COUPLING}",
]


@pytest.mark.parametrize("words", SILENT_OF_WORDS_SPELLING)
def test_what_tools_have_beside_is_not_mentioned(words):
    tags = '<passive joint="b"/><passive joint="c"/>'
    assert md.load_urdf(four_bar(words, tags), strict=True).warnings == ()


def test_an_error_in_other_words_names_what_is_misspelt():
    with pytest.raises(md.UrdfError, match=r"<axis> lacks 'xyz'.*Beside this: .*'xzy'.*is 'xyz' meant"):
        md.load_urdf(four_bar(ISAAC.replace("<axis xyz", "<axis xzy")))


@pytest.mark.parametrize("ratio", ["0", "2"])
def test_a_ratio_of_a_mimic_joint(ratio):
    text = four_bar(of_joints=("", f'<mimic joint="a" ratio="{ratio}"/>', ""))
    (finding,) = loaded_of_words_spelling(text).warnings
    assert str(finding).endswith("an attribute 'ratio', which is unknown and ignored; is 'multiplier' meant?")

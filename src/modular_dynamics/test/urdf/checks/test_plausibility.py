"""Lengths, masses and inertias that do not fit are asked about, with the number that made it ask.

The arm: two links of 0.4 and 0.3 m with 3 and 2 kg, a gripper of 0.5 kg at their end. Stretched out, gravity
needs 9.81 (3 0.2 + 2 (0.4 + 0.15) + 0.5 (0.7 + 0.05)) = 20.36 N m at the shoulder.
"""

import re
import warnings

import pytest

import modular_dynamics as md

LINK = (
    '<link name="{name}"><inertial><origin xyz="{com} 0 0"/><mass value="{mass}"/>'
    '<inertia ixx="{moment}" ixy="0" ixz="0" iyy="{moment}" iyz="0" izz="{moment}"/></inertial>'
    "{shape}</link>\n"
)
JOINT = (
    '<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
    '<origin xyz="{x} 0 {z}"/><axis xyz="{axis}"/>'
    '<limit lower="-2" upper="2" effort="{effort}" velocity="3"/></joint>\n'
)


def arm(
    *,
    metre=1.0,
    kilogram=1.0,
    kgm2=1.0,
    com_metre=None,
    gripper=0.5,
    gripper_com=0.05,
    gripper_moment=1e-3,
    shape="",
    effort=50,
    axis="0 1 0",
    tags="",
    upper=None,
):
    """The arm with its numbers in units of so many of SI's."""
    com = metre if com_metre is None else com_metre
    upper = LINK.format(name="upper", com=0.2 * com, mass=3 * kilogram, moment=0.05 * kgm2, shape="")
    parts = [
        '<robot name="arm"><link name="base"/>\n',
        upper,
        LINK.format(name="lower", com=0.15 * com, mass=2 * kilogram, moment=0.02 * kgm2, shape=""),
        LINK.format(
            name="gripper",
            com=gripper_com * com,
            mass=gripper * kilogram,
            moment=gripper_moment * kgm2,
            shape=shape,
        ),
        JOINT.format(
            name="shoulder", parent="base", child="upper", x=0, z=0.1 * metre, axis=axis, effort=effort
        ),
        JOINT.format(
            name="elbow", parent="upper", child="lower", x=0.4 * metre, z=0, axis="0 1 0", effort=effort
        ),
        JOINT.format(
            name="wrist", parent="lower", child="gripper", x=0.3 * metre, z=0, axis="0 1 0", effort=effort
        ),
        tags,
        "</robot>",
    ]
    return "".join(parts)


def questions(text, **options):
    """By kind, its texts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        found = md.load_urdf(text, strict=True, **options).warnings  # questions refuse nothing
    assert all(one.asks for one in found)
    asked = {}
    for one in found:
        asked.setdefault(one.kind, []).append(str(one))
    return asked


VISUAL = '<visual><geometry><mesh filename="a.stl"/></geometry></visual>'
TAGS = '<modular_dynamics version="1">{}</modular_dynamics>'
CLOSED = TAGS.format(
    '<spring name="s" stiffness="100" free_length="{}"><anchor link="base" xyz="0 0 {}"/>'
    '<anchor link="upper"/></spring><loop_joint name="l" type="spherical">'
    '<predecessor link="base" xyz="{} 0 0"/><successor link="gripper"/></loop_joint>'
)
DRIVE = TAGS.format('<joint_dynamics joint="wrist" armature="{}"/>')
#: 500 kg that reach 2.4 m: 1 kg m^2 is below a thousandth of 500 2.4^2, and 1.73 m is sqrt(1.5 / 0.5).
HEAVY = {"metre": 3.0, "kilogram": 100.0, "gripper": 0.005, "effort": 0}
#: The box of 0.4 kg with 4e-4 kg m^2 thrice has edges of sqrt(6 4e-4 / 0.4) m.
MESHES = {"gripper": 0.4, "gripper_com": 0.15, "gripper_moment": 4e-4, "effort": 0, "shape": VISUAL}
SHOULDER = "line 5: joint 'shoulder' may need "
ASKED = [
    # 9.81 (3 200 + 2 550 + 0.5 750) = 20,356 N m; elbow: 9.81 (2 150 + 0.5 350) = 4660
    (
        {"metre": 1000.0},
        "large gravity torque",
        f"{SHOULDER}20,356 N m against gravity, 407.1 times its effort limit",
    ),
    (
        {"metre": 1000.0},
        "large distance",
        "line 6: all joints reach 800 m and all links have 5.5 kg; the longest step",
    ),
    (
        {"metre": 39.37, "effort": 0},
        "large distance",
        "the longest step is 15.75 m, to joint 'elbow'; are lengths",
    ),
    ({"metre": 1000.0, "axis": "0 0 1"}, "large gravity torque", "joint 'elbow' may need 4,660 N m"),
    # sin(45 degrees) of that of the horizontal axis
    ({"metre": 1000.0, "axis": "0 1 1"}, "large gravity torque", f"{SHOULDER}14,394 N m"),
    ({"kilogram": 1000.0, "kgm2": 1000.0}, "large gravity torque", f"{SHOULDER}20,356 N m"),
    ({"kilogram": 1000.0, "effort": 0}, "large mass", "all moving links have 5,500 kg, and with the largest"),
    ({"kilogram": 1000.0, "effort": 0}, "large mass", "is link 'upper' with 3,000 kg; are masses in kg?"),
    # 9.81 (3 0.2 + 2 0.55 + 500 0.75)
    ({"gripper": 500, "gripper_moment": 0.5}, "large gravity torque", f"{SHOULDER}3,695 N m"),
    (
        {"gripper_moment": 10.0},  # kg cm^2
        "large inertia",
        "line 4: link 'gripper' has the moments of inertia 10, 10, 10 kg m^2, as if the 0.5 kg that joint "
        "'wrist' moves lay 5.48 m from their centre, and all joints reach 0.8 m; are they in kg m^2, and",
    ),
    (
        {"gripper": 0.01, "gripper_moment": 0.01},
        "large inertia",
        "as if the 0.01 kg that joint 'wrist' moves",
    ),
    (
        {"gripper_moment": 1.0, **HEAVY},
        "large inertia",
        "as if the 0.5 kg that joint 'wrist' moves lay 1.73 m from",
    ),
    (
        {"com_metre": 100.0, "effort": 0},
        "distant centre of mass",
        "line 2: link 'upper' has its centre of mass 20 m away from its origin, and all joints reach 0.8 m",
    ),
    ({"tags": CLOSED.format(77, 0.2, 0.5)}, "long spring", "line 8: spring 's' has a free length of 77 m"),
    (
        {"tags": CLOSED.format(0.1, 200, 0.5)},
        "distant anchor",
        "spring 's' has an anchor 200 m away from the origin of",
    ),
    (
        {"tags": CLOSED.format(0.1, 0.2, 500)},
        "distant anchor",
        "loop joint 'l' has an anchor 500 m away from the",
    ),
    # 135 g cm^2 as 135 kg m^2, by a ratio of 50
    (
        {"tags": DRIVE.format(135 * 50**2)},
        "large armature",
        "joint 'wrist' has an armature of 337,500 kg m^2",
    ),
    (MESHES | {"gripper_moment": 4.0}, "large inertia", "as if the 0.4 kg"),
    (MESHES | {"gripper_com": 15.0}, "distant centre of mass", "link 'gripper' has its centre of mass 15 m"),
    (MESHES | {"gripper_moment": 1.0, "gripper": 0.5}, "large inertia", "as if the 0.5 kg"),
]


@pytest.mark.parametrize(("numbers", "kind", "text"), ASKED)
def test_numbers_that_do_not_fit_are_asked_about(numbers, kind, text):
    assert any(text in one for one in questions(arm(**numbers))[kind])


SILENT = [
    {},
    {"effort": 0},
    {"effort": 1},  # a placeholder: 20 times
    {"metre": 80.0, "kilogram": 2000.0, "kgm2": 1e7, "effort": 0},  # a crane of 12 t
    {"metre": 12.0, "effort": 0, "kgm2": 144.0},
    {"gripper_moment": 0.05},  # of a tool of 0.4 m
    {"gripper": 1e-6, "gripper_moment": 1e-6},  # a frame
    {"gripper_moment": 0.9, **HEAVY},
    {"tags": CLOSED.format(0.1, 0.2, 0.5)},
    {"tags": DRIVE.format(135e-7 * 50**2)},  # a harmonic drive at a wrist
    {"tags": DRIVE.format(3.0)},  # less than the whole arm
    MESHES,
    # larger than what the joints span, of plausible density: a turntable, a panel of a satellite, a reel
    {"gripper": 9000, "gripper_moment": 2000, "effort": 0, "shape": VISUAL},
    {"gripper": 60, "gripper_com": 8, "gripper_moment": 900, "effort": 0, "shape": VISUAL},
    {"gripper": 1.0, "gripper_moment": 0.16, "effort": 0, "shape": VISUAL},
]


@pytest.mark.parametrize("numbers", SILENT)
def test_numbers_that_may_be_meant_are_not(numbers):
    assert questions(arm(**numbers)) == {}


def test_gravity_decides_about_torques():
    assert "large gravity torque" not in questions(arm(metre=1000.0), gravity=(0, 0, 0))
    moon = questions(arm(metre=1000.0), gravity=(0, 0, -1.62))["large gravity torque"][0]
    assert "may need 3,362 N m" in moon


@pytest.mark.parametrize(
    "tags", ['<passive joint="shoulder"/>', '<gear joint="shoulder" driver="elbow" ratio="1"/>']
)
def test_joints_without_a_motor_have_no_effort_limit(tags):
    asked = questions(arm(metre=1000.0, tags=TAGS.format(tags)))
    assert "joint 'elbow' may need 4,660 N m against gravity, 93.19 times" in asked["large gravity torque"][0]


def test_inertias_of_fixed_links_are_those_of_their_body():
    fixed, identity = (
        arm(gripper=0.01, gripper_moment=moment).replace('"wrist" type="revolute"', '"wrist" type="fixed"')
        for moment in (0.01, 10.0)
    )
    assert questions(fixed) == {}  # 0.01 kg m^2 on a forearm of 2 kg
    assert "as if the 2.01 kg that joint 'elbow' moves" in questions(identity)["large inertia"][0]


def test_a_vehicle_with_small_joints_is_not_asked_about():
    heavy = LINK.format(name="base", com=4.9, mass=900, moment=900, shape="")
    vehicle = arm().replace('<link name="base"/>', heavy)
    assert questions(vehicle) == {}
    assert "distant centre of mass" in questions(vehicle.replace("4.9 0 0", "4900 0 0"))


def test_a_massless_moving_link_with_a_shape_inside_a_chain():
    inertial = re.compile(r'(<link name="lower">)<inertial>.*?</inertial>', re.DOTALL)
    assert questions(inertial.sub(rf"\g<1>{VISUAL}", arm())) == {
        "link without mass": [
            "line 3: link 'lower' moves, has a <visual> or <collision>, and a mass of 0 kg; is "
            "its <inertial> missing?"
        ]
    }
    # without a shape it is a helper of another joint; what passive joints move is often simplified
    assert questions(inertial.sub(r"\g<1>", arm())) == {}
    passive = TAGS.format('<passive joint="elbow"/>')
    assert questions(inertial.sub(rf"\g<1>{VISUAL}", arm(tags=passive))) == {}


def test_a_spring_on_one_body_has_no_effect():
    anchors = '<anchor link="upper"/><anchor link="upper" xyz="0 0 0.1"/>'
    text = arm(tags=TAGS.format(f'<spring name="s" stiffness="9" free_length="0.1">{anchors}</spring>'))
    with pytest.warns(md.ModelWarning, match="ends of spring 's' are both on link 'upper'; it has no effect"):
        md.load_urdf(text)
    with pytest.raises(md.UrdfError, match=r"are both on link 'upper'$"):
        md.load_urdf(text, strict=True)


# Angles in degrees: reported with a question, and used as given.

ROBOT = """<robot name="r"><link name="a"/>
<link name="b"><inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="1"/>
  <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.2" rpy="0 0 0"/>
  <limit lower="-1" upper="1" effort="5" velocity="6"/></joint>
</robot>"""


def changed(*replaced):
    text = ROBOT
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    "replaced",
    [
        # two turns, and what stands for none in published robots
        [('lower="-1" upper="1"', 'lower="-12.56" upper="12.56"')],
        [('lower="-1" upper="1"', 'lower="-999999" upper="999999"')],
        [('lower="-1"', 'lower="-15.7"')],  # no degrees have it
        [('"revolute"', '"prismatic"'), ('lower="-1" upper="1"', 'lower="-180" upper="180"')],
        [('"revolute"', '"continuous"'), ('lower="-1" upper="1"', 'lower="-180" upper="180"')],
        # a turn
        [('"0 0 0"', '"6.2832 -6.2832 0"')],
    ],
)
def test_what_may_be_meant_is_silent(replaced, recwarn):
    assert md.load_urdf(changed(*replaced)).warnings == ()
    assert not recwarn.list


def test_a_limit_in_degrees_is_asked_about():
    with pytest.warns(md.ModelWarning, match="^line 4: joint 'j' has a limit of 180 rad; are these degrees"):
        (finding,) = md.load_urdf(changed(('lower="-1"', 'lower="-180"')), strict=True).warnings
    assert (finding.kind, finding.asks) == ("limit in degrees", True)


MIMIC = '<link name="c"/><joint name="k" type="{}"><parent link="a"/><child link="c"/>{}{}</joint></robot>'
LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="6"/>'


def tagged(tags, robot=ROBOT):
    return robot.replace("</robot>", f'<modular_dynamics version="1">\n{tags}</modular_dynamics></robot>')


def follower(kind, offset):
    mimic = f'<mimic joint="j" offset="{offset}"/>'
    return ROBOT.replace("</robot>", MIMIC.format(kind, LIMIT, mimic))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (changed(('"0 0 0"', '"90 0 0"')), "line 4: <origin> of joint 'j' has rpy='90 0 0' [rad]; are these"),
        (follower("revolute", 90), "line 6: joint 'k': the offset of its <mimic> is 90 rad"),
        (follower("prismatic", 90), ""),
        (
            follower("prismatic", '0" multiplier="57.3'),
            "line 6: joint 'k': the multiplier of its <mimic> is 57.3; are these degrees?",
        ),
        (follower("prismatic", '0" multiplier="57'), ""),
        (
            tagged('<joint_dynamics joint="j" stiffness="5" rest_position="30"/>'),
            "line 7: joint 'j': the rest_pos",
        ),
        (
            tagged('<gear joint="k" driver="j" ratio="1" offset="180"/>', follower("revolute", 0)).replace(
                '<mimic joint="j" offset="0"/>', ""
            ),
            "line 7: joint 'k': the offset of its gear is 180 rad",
        ),
        (
            tagged(
                '<spring name="s" stiffness="1" free_length="0.1"><anchor link="a" rpy="0 90 0"/>'
                '<anchor link="b"/></spring>'
            ),
            "spring 's' has an anchor with rpy='0 90 0' [rad]; are these degrees?",
        ),
        (
            tagged(
                '<loop_joint name="p" type="fixed"><predecessor link="a"/>'
                '<successor link="b" rpy="0 0 -180"/></loop_joint>'
            ),
            "loop joint 'p' has an anchor with rpy='0 0 -180' [rad]; are these degrees?",
        ),
        (
            ROBOT.replace(
                "</robot>",
                '<loop_joint name="p" type="fixed"><link1 link="a" rpy="0 -90 0"/><link2 link="b"/>'
                "</loop_joint></robot>",
            ),
            "loop joint 'p' has an anchor with rpy='0 -90 0' [rad]; are these degrees?",
        ),
    ],
)
def test_angles_in_degrees(text, asked):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        questions = [str(one) for one in md.load_urdf(text).warnings if one.kind == "angle in degrees"]
    assert len(questions) == bool(asked)
    assert asked in "".join(questions)


def test_those_of_a_partition_file_are_asked_about_with_the_files_line(tmp_path):
    path = tmp_path / "tags.yaml"
    path.write_text(
        "version: 1\nloop_joints:\n  - {name: p, type: fixed, predecessor: {link: a},\n"
        "     successor: {link: b, rpy: [0, 0, 180]}}\njoint_dynamics:\n"
        "  - {joint: j, stiffness: 1, rest_position: 90}\n",
        "utf-8",
    )
    with pytest.warns(md.ModelWarning, match="degrees"):
        graph = md.load_urdf(ROBOT, path)
    assert [str(one) for one in graph.warnings if one.kind == "angle in degrees"] == [
        "tags.yaml, line 6: joint 'j': the rest_position of its spring is 90 rad; are these degrees?",
        "tags.yaml, line 3: loop joint 'p' has an anchor with rpy='0 0 180' [rad]; are these degrees?",
    ]


@pytest.mark.parametrize(
    ("gravity", "size"),
    [("0 0 -9810", "9810"), ("0 -9.81 -9.81", "13.8734")],
)
def test_a_gravity_of_no_planet_is_asked_about(gravity, size):
    tags = f'<modular_dynamics version="1" gravity="{gravity}"/></robot>'
    with pytest.warns(md.ModelWarning, match="gravity"):
        asked = md.load_urdf(changed(("</robot>", tags)), strict=True).warnings
    (finding,) = [one for one in asked if one.kind == "unusual gravity"]
    assert str(finding) == f"line 6: gravity is {size} m/s^2; is it in m/s^2?"
    assert finding.asks


@pytest.mark.parametrize("gravity", ["0 0 0", "0 0 9.81", "0 0 -1.62", "0 0 -3.72", "6.94 0 -6.94"])
def test_gravities_that_there_are(gravity, recwarn):
    tags = f'<modular_dynamics version="1" gravity="{gravity}"/></robot>'
    assert md.load_urdf(changed(("</robot>", tags)), strict=True).warnings == ()
    assert md.load_urdf(ROBOT, gravity=[0, 0, -5]).warnings == ()
    assert not recwarn.list


@pytest.mark.parametrize("closing", ["<modular_dynamics version='1'>\n{}</modular_dynamics>", "{}"])
def test_a_quaternion_of_another_length_at_an_end_of_a_loop(closing):
    """Of our tag, and of the words of another tool."""
    ours = "predecessor" if "version" in closing else "link1"
    theirs = "successor" if "version" in closing else "link2"
    loop = f'<loop_joint name="p" type="fixed"><{ours} link="a" quat_xyzw="0 2 0 2"/><{theirs} link="b"/>'
    text = ROBOT.replace("</robot>", closing.format(loop + "</loop_joint>") + "</robot>")
    with pytest.warns(md.ModelWarning, match="quaternion"):
        found = [one for one in md.load_urdf(text).warnings if one.kind == "length of a quaternion"]
    assert [finding.asks for finding in found] == [True]
    assert "loop joint 'p' has an anchor with quat_xyzw='0 2 0 2', of length 2.83, not 1" in str(found[0])


@pytest.mark.parametrize("mass", [1e-300, 1e-100])
def test_a_radius_of_gyration_beyond_all_numbers_is_asked_about(mass):
    with pytest.warns(md.ModelWarning) as found:
        md.load_urdf(arm(gripper=mass, tags='<joint_dynamics joint="wrist" armature="1"/>'))
    assert {one.category for one in found} == {md.ModelWarning}

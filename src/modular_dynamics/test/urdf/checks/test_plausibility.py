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


def test_the_arm_itself_is_not_asked_about():
    assert questions(arm()) == {}
    assert questions(arm(effort=0)) == {}
    assert questions(arm(effort=1)) == {}  # a placeholder: 20 times


def test_lengths_in_millimetres():
    asked = questions(arm(metre=1000.0))
    assert sorted(asked) == ["large distance", "large gravity torque"]
    (torque,), (distance,) = asked["large gravity torque"], asked["large distance"]
    # 9.81 (3 200 + 2 550 + 0.5 750) = 20,360 N m; elbow: 9.81 (2 150 + 0.5 350) = 4660
    assert torque == (
        "line 5: joint 'shoulder' may need 20,356 N m against gravity, 407.1 times its effort limit of 50 "
        "N m (1 more likewise); are lengths in m and masses in kg?"
    )
    assert distance == (
        "line 6: all joints reach 800 m and all links have 5.5 kg; the longest step is 400 m, to joint "
        "'elbow'; are lengths in m?"
    )


def test_lengths_in_millimetres_without_effort_limits_and_one_of_them_alone():
    assert sorted(questions(arm(metre=1000.0, effort=0))) == ["large distance"]
    assert sorted(questions(arm(metre=100.0, effort=0))) == ["large distance"]  # centimetres: 80 m
    assert sorted(questions(arm(metre=39.37, effort=0))) == ["large distance"]  # inches: 31.5 m
    one = arm(effort=0).replace('xyz="0.3 0 0"', 'xyz="300 0 0"')
    assert "the longest step is 300 m, to joint 'wrist'" in questions(one)["large distance"][0]
    # 60 m of a crane of 12 t; the arm as large as a house
    assert questions(arm(metre=80.0, kilogram=2000.0, kgm2=1e7, effort=0)) == {}
    assert questions(arm(metre=12.0, effort=0, kgm2=144.0)) == {}


def test_gravity_decides_where_there_is_no_torque():
    vertical, tilted = arm(metre=1000.0, axis="0 0 1"), arm(metre=1000.0, axis="0 1 1")
    assert "joint 'elbow' may need 4,660 N m" in questions(vertical)["large gravity torque"][0]
    # sin(45 degrees) of that of the horizontal axis
    assert "joint 'shoulder' may need 14,394 N m" in questions(tilted)["large gravity torque"][0]
    assert "large gravity torque" not in questions(arm(metre=1000.0), gravity=(0, 0, 0))
    moon = questions(arm(metre=1000.0), gravity=(0, 0, -1.62))["large gravity torque"][0]
    assert "may need 3,362 N m" in moon


@pytest.mark.parametrize(
    "tags", ['<passive joint="shoulder"/>', '<gear joint="shoulder" driver="elbow" ratio="1"/>']
)
def test_joints_without_a_motor_have_no_effort_limit(tags):
    tags = f'<modular_dynamics version="1">{tags}</modular_dynamics>'
    asked = questions(arm(metre=1000.0, tags=tags))
    assert "joint 'elbow' may need 4,660 N m against gravity, 93.19 times" in asked["large gravity torque"][0]


def test_masses_in_grams():
    asked = questions(arm(kilogram=1000.0, kgm2=1000.0))
    assert sorted(asked) == ["large gravity torque", "large mass"]
    assert "may need 20,356 N m against gravity, 407.1 times" in asked["large gravity torque"][0]
    assert "all moving links have 5,500 kg" in asked["large mass"][0]
    assert "the heaviest is link 'upper' with 3,000 kg; are masses in kg?" in asked["large mass"][0]
    assert sorted(questions(arm(kilogram=1000.0, effort=0))) == ["large mass"]


def test_a_gripper_in_grams():
    gripper = 500
    asked = questions(arm(gripper=gripper, gripper_moment=0.5))["large gravity torque"]
    needed = 9.81 * (3 * 0.2 + 2 * 0.55 + gripper * 0.75)
    assert f"may need {needed:,.0f} N m" in asked[0]


@pytest.mark.parametrize(
    ("mass", "moment"),
    [
        (0.5, 1.0),  # the identity
        (0.01, 0.01),  # a placeholder of both
        (0.5, 1e-3 * 1e4),  # kg cm^2
        (0.5, 1e-3 * 3417.0),  # lb in^2
    ],
)
def test_inertias_of_something_far_larger(mass, moment):
    asked = questions(arm(gripper=mass, gripper_moment=moment))
    assert sorted(asked) == ["large inertia"]
    radius = (1.5 * moment / mass) ** 0.5
    assert asked["large inertia"] == [
        f"line 4: link 'gripper' has the moments of inertia {moment:.4g}, {moment:.4g}, "
        f"{moment:.4g} kg m^2, as if "
        f"the {mass:.3g} kg that joint 'wrist' moves lay {radius:.3g} m from their centre, and "
        "all joints reach "
        "0.8 m; are they in kg m^2, and no placeholder?"
    ]


def test_inertias_that_may_be_meant_or_have_no_weight():
    assert questions(arm(gripper_moment=0.05)) == {}  # of a tool of 0.4 m
    assert questions(arm(gripper=1e-6, gripper_moment=1e-6)) == {}  # a frame
    fixed = arm(gripper=0.01, gripper_moment=0.01).replace(
        '<joint name="wrist" type="revolute">', '<joint name="wrist" type="fixed">'
    )
    assert questions(fixed) == {}  # 0.01 kg m^2 on a forearm of 2 kg
    identity = arm(gripper=0.01, gripper_moment=10.0).replace(
        '"wrist" type="revolute"', '"wrist" type="fixed"'
    )
    assert "as if the 2.01 kg that joint 'elbow' moves" in questions(identity)["large inertia"][0]


@pytest.mark.parametrize(("unit", "distance"), [(1000.0, 200.0), (100.0, 20.0)])
def test_centres_of_mass_in_other_units(unit, distance):
    asked = questions(arm(com_metre=unit, effort=0))["distant centre of mass"]
    assert asked[0] == (
        f"line 2: link 'upper' has its centre of mass {distance:g} m away from its origin, and "
        "all joints reach "
        "0.8 m; is it in m?"
    )
    assert len(asked) == 3 if unit == 1000.0 else 2


def test_a_vehicle_with_small_joints_is_not_asked_about():
    inertial = (
        '<inertial><origin xyz="4.9 0 0"/><mass value="900"/><inertia ixx="900" ixy="0" ixz="0" '
        'iyy="900" iyz="0"'
    )
    vehicle = arm().replace(
        '<link name="base"/>', f'<link name="base">{inertial} izz="900"/></inertial></link>'
    )
    assert questions(vehicle) == {}
    assert "distant centre of mass" in questions(vehicle.replace("4.9 0 0", "4900 0 0"))


VISUAL = '<visual><geometry><mesh filename="a.stl"/></geometry></visual>'
INERTIAL = re.compile(r'(<link name="lower">)<inertial>.*?</inertial>', re.DOTALL)


def test_a_massless_moving_link_with_a_shape_inside_a_chain():
    without = INERTIAL.sub(rf"\g<1>{VISUAL}", arm())
    assert questions(without) == {
        "link without mass": [
            "line 3: link 'lower' moves, has a <visual> or <collision>, and a mass of 0 kg; is "
            "its <inertial> missing?"
        ]
    }
    # without a shape it is a helper of another joint; what passive joints move is often simplified
    assert questions(INERTIAL.sub(r"\g<1>", arm())) == {}
    passive = '<modular_dynamics version="1"><passive joint="elbow"/></modular_dynamics>'
    assert questions(INERTIAL.sub(rf"\g<1>{VISUAL}", arm(tags=passive))) == {}


TAGS = (
    '<modular_dynamics version="1"><spring name="s" stiffness="100" free_length="{}"><anchor '
    'link="base" xyz="0 0 {}"/>'
    '<anchor link="upper"/></spring><loop_joint name="l" type="spherical"><predecessor '
    'link="base" xyz="{} 0 0"/>'
    '<successor link="gripper"/></loop_joint></modular_dynamics>'
)


@pytest.mark.parametrize(
    ("numbers", "kind", "words"),
    [
        ((0.1, 0.2, 0.5), None, ""),
        ((77, 0.2, 0.5), "long spring", "line 8: spring 's' has a free length of 77 m"),
        (
            (0.1, 200, 0.5),
            "distant anchor",
            "spring 's' has an anchor 200 m away from the origin of link 'base'",
        ),
        (
            (0.1, 0.2, 500),
            "distant anchor",
            "loop joint 'l' has an anchor 500 m away from the origin of link 'base'",
        ),
    ],
)
def test_lengths_of_tags(numbers, kind, words):
    asked = questions(arm(tags=TAGS.format(*numbers)))
    assert list(asked) == ([kind] if kind else [])
    assert words in "".join(asked.get(kind, []))


def test_a_spring_on_one_body_has_no_effect():
    tags = (
        '<modular_dynamics version="1"><spring name="s" stiffness="9" free_length="0.1"><anchor '
        'link="upper"/>'
        '<anchor link="upper" xyz="0 0 0.1"/></spring></modular_dynamics>'
    )
    with pytest.warns(
        md.ModelWarning, match="the ends of spring 's' are both on link 'upper'; it has no effect"
    ):
        md.load_urdf(arm(tags=tags))
    with pytest.raises(md.UrdfError, match=r"are both on link 'upper'$"):
        md.load_urdf(arm(tags=tags), strict=True)


def test_an_armature_in_other_units():
    """135 g cm^2 as 135 kg m^2, by a ratio of 50: at the wrist, which moves 0.5 kg."""
    tag = '<modular_dynamics version="1"><joint_dynamics joint="wrist" armature="{}"/></modular_dynamics>'
    (text,) = questions(arm(tags=tag.format(135 * 50**2)))["large armature"]
    assert "joint 'wrist' has an armature of 337,500 kg m^2, and moves 0.0" in text
    assert text.endswith("kg m^2 otherwise; is it in kg m^2?")
    for right in (135e-7 * 50**2, 3.0):  # a harmonic drive at a wrist; less than the whole arm
        assert questions(arm(tags=tag.format(right))) == {}


#: Larger than what the joints span, of plausible density: a turntable, a panel of a satellite, a reel.
LARGE_BODIES = (
    {"gripper": 9000, "gripper_moment": 2000},
    {"gripper": 60, "gripper_com": 8, "gripper_moment": 900},
    {"gripper": 1.0, "gripper_moment": 0.16},
)
OTHER_UNITS = (
    ("gripper_moment", 1e4, "large inertia"),  # kg cm^2
    ("gripper_com", 100.0, "distant centre of mass"),  # cm
    ("kilogram", 1e3, "large mass"),  # g
)


@pytest.mark.parametrize("numbers", LARGE_BODIES)
def test_meshes_may_be_larger_than_what_the_joints_span(numbers):
    assert questions(arm(effort=0, shape=VISUAL, **numbers)) == {}


@pytest.mark.parametrize(("key", "factor", "kind"), OTHER_UNITS)
def test_other_units_are_asked_about_of_robots_with_meshes_alone(key, factor, kind):
    """By mass and moments: the box of 0.4 kg with 4e-4 kg m^2 thrice has edges of sqrt(6 4e-4 / 0.4) m."""
    right = {"kilogram": 1.0, "gripper": 0.4, "gripper_com": 0.15, "gripper_moment": 4e-4}
    plain = questions(arm(effort=0, shape=VISUAL, **right))
    asked = questions(arm(effort=0, shape=VISUAL, **(right | {key: right[key] * factor})))
    assert plain == {}
    assert kind in asked


@pytest.mark.parametrize("shape", ["", VISUAL])
def test_an_identity_is_asked_about_at_the_end_of_a_heavy_robot(shape):
    """500 kg that reach 2.4 m: 1 kg m^2 is below a thousandth of 500 2.4^2, and 1.73 m is sqrt(1.5 / 0.5)."""
    heavy = {"metre": 3.0, "kilogram": 100.0, "gripper": 0.005, "effort": 0, "shape": shape}
    asked = questions(arm(gripper_moment=1.0, **heavy))
    assert sorted(asked) == ["large inertia"]
    assert "as if the 0.5 kg that joint 'wrist' moves lay 1.73 m from" in asked["large inertia"][0]
    turned = arm(gripper_moment=1.0, **heavy).replace('"0.15000000000000002 0 0"', '"0.15 0 0" rpy="0.3 1 2"')
    assert "rpy" in turned
    assert sorted(questions(turned)) == ["large inertia"]
    assert questions(arm(gripper_moment=0.9, **heavy)) == {}


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
    ("old", "new", "kind", "text"),
    [
        (
            'lower="-1"',
            'lower="-180"',
            "limit in degrees",
            "line 4: joint 'j' has a limit of 180 rad; are these degrees?",
        ),
        (
            '"0 0 0"',
            '"90 0 0"',
            "angle in degrees",
            "line 4: <origin> of joint 'j' has rpy='90 0 0' [rad]; are these degrees?",
        ),
    ],
)
def test_a_question_is_asked(old, new, kind, text):
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(changed((old, new)))
    assert [str(warning.message) for warning in caught] == [text]
    assert [finding.kind for finding in graph.warnings] == [kind]


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
def test_offsets_and_anchors_in_degrees(text, asked):
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

"""Lengths, masses and inertias that do not fit are asked about, with the number that made it ask.

The arm: two links of 0.4 and 0.3 m with 3 and 2 kg, a gripper of 0.5 kg at their end.
"""

import re
import warnings

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint


def link(name, com, mass, moment):
    return f'<link name="{name}">{inertial(mass, (com, 0, 0), moment * np.eye(3))}</link>\n'


def arm(
    *,
    metre=1.0,
    kilogram=1.0,
    kgm2=1.0,
    com_metre=None,
    gripper=0.5,
    gripper_com=0.05,
    gripper_moment=1e-3,
    tags="",
):
    """The arm with its numbers in units of so many of SI's."""
    com = metre if com_metre is None else com_metre
    links = [
        ("upper", 0.2 * com, 3 * kilogram, 0.05 * kgm2),
        ("lower", 0.15 * com, 2 * kilogram, 0.02 * kgm2),
        ("gripper", gripper_com * com, gripper * kilogram, gripper_moment * kgm2),
    ]
    joints = [
        ("shoulder", "base", "upper", 0, 0.1 * metre),
        ("elbow", "upper", "lower", 0.4 * metre, 0),
        ("wrist", "lower", "gripper", 0.3 * metre, 0),
    ]
    return "".join(
        [
            '<robot name="arm"><link name="base"/>\n',
            *(link(*numbers) for numbers in links),
            *(
                joint(n, "revolute", up, down, (x, 0, z), axis=(0, 1, 0)) + "\n"
                for n, up, down, x, z in joints
            ),
            tags,
            "</robot>",
        ]
    )


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
ASKED = [
    (
        {"metre": 1000.0},
        "large distance",
        "line 6: all joints reach 800 m and all links have 5.5 kg; the longest step is 400 m, to ",
    ),
    ({"metre": 39.37}, "large distance", "the longest step is 15.75 m, to joint 'elbow'; are lengths"),
    (
        {"kilogram": 1000.0},
        "large mass",
        "all moving links have 5,500 kg, and with the largest of them all joints reach 1 m; the heaviest is "
        "link 'upper' with 3,000 kg; are masses in kg?",
    ),
    (
        {"gripper_moment": 10.0},  # kg cm^2: sqrt(3 10 / (2 0.5)) = 5.48 m
        "large inertia",
        "line 4: link 'gripper' has the moments of inertia 10, 10, 10 kg m^2, as if its 0.5 kg lay "
        "5.48 m from their centre; are they in kg m^2, and",
    ),
    # placeholders: 0.01 kg m^2 is not below a thousandth of 5 kg at 0.8 m
    ({"gripper": 0.01, "gripper_moment": 0.01}, "large inertia", "as if its 0.01 kg lay 1.22 m"),
    ({"gripper_moment": 1.0, "gripper": 3.5, "metre": 0.5}, "large inertia", "as if its 3.5 kg lay 0.655 m"),
    (
        {"com_metre": 100.0},
        "distant centre of mass",
        "line 2: link 'upper' has its centre of mass 20 m away from its origin, and all joints reach 0.8 m",
    ),
]


@pytest.mark.parametrize(("numbers", "kind", "text"), ASKED)
def test_numbers_that_do_not_fit_are_asked_about(numbers, kind, text):
    assert any(text in one for one in questions(arm(**numbers))[kind])


SILENT = [
    {},
    {"metre": 80.0, "kilogram": 2000.0, "kgm2": 1e7},  # a crane of 12 t
    {"metre": 12.0, "kgm2": 144.0},
    {"gripper_moment": 0.05},  # of a tool of 0.4 m
    {"gripper": 1e-6, "gripper_moment": 1e-6},  # a frame
    # larger than what the joints span, of plausible density: a turntable, a panel of a satellite, a reel
    {"gripper": 9000, "gripper_moment": 2000},
    {"gripper": 60, "gripper_com": 2, "gripper_moment": 60},
    {"gripper": 1.0, "gripper_moment": 0.16},
]


@pytest.mark.parametrize("numbers", SILENT)
def test_numbers_that_may_be_meant_are_not(numbers):
    assert questions(arm(**numbers)) == {}


def test_a_vehicle_with_small_joints_is_not_asked_about():
    vehicle = arm().replace('<link name="base"/>', link("base", 4.9, 900, 900))
    assert questions(vehicle) == {}
    assert "distant centre of mass" in questions(vehicle.replace("4.9 0.0 0.0", "4900 0 0"))


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
            tagged('<joint_dynamics joint="j" stiffness="5" rest_position="30"/>'),
            "line 7: joint 'j': the rest_pos",
        ),
        (
            tagged('<gear joint="k" driver="j" ratio="1" offset="180"/>', follower("revolute", 0)).replace(
                '<mimic joint="j" offset="0"/>', ""
            ),
            "line 7: joint 'k': the offset of its gear is 180 rad",
        ),
    ],
)
def test_angles_in_degrees(text, asked):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        questions = [str(one) for one in md.load_urdf(text).warnings if one.kind == "angle in degrees"]
    assert len(questions) == bool(asked)
    assert asked in "".join(questions)


@pytest.mark.parametrize("mass", [1e-300, 1e-100])
def test_a_radius_of_gyration_beyond_all_numbers_is_asked_about(mass):
    assert "large inertia" in questions(arm(gripper=mass, gripper_moment=0.1))

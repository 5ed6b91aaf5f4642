"""Equality constraints of joints and fixed tendons."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.mujoco_mjcf import loop_differences, tree_difference
from helpers.robots.mjcf_text import CONNECT, four_bar, two_arms
from modular_dynamics.mjcf.source import compiled

JOINT = '<joint name="{}" joint1="{}" {} polycoef="{}"/>'
TENDONS = """<tendon><fixed name="s"><joint joint="a" coef="2"/><joint joint="b" coef="3"/></fixed>
  <fixed name="t"><joint joint="c" coef="4"/><joint joint="b" coef="1"/></fixed></tendon>"""
REFERENCES = ('ref="30"', 'ref="0.4"')


def joint_equality(first, second, coefficients, name="e"):
    return JOINT.format(name, first, f'joint2="{second}"' if second else "", coefficients)


@pytest.mark.parametrize(
    ("equality", "more"),
    [
        (joint_equality("a", "b", "0.3 2 0 0 0"), ""),
        (joint_equality("b", "a", "0.3 -0.5 0 0 0"), '<actuator><motor joint="b"/></actuator>'),
        (joint_equality("b", "a", "0 1 0 0 0") + joint_equality("c", "b", "0.2 3 0 0 0", "f"), ""),
        ('<tendon tendon1="s" tendon2="t" polycoef="0.1 2 0 0 0"/>', TENDONS),
        ('<tendon tendon1="s"/><tendon tendon1="t"/>', TENDONS),
    ],
)
def test_torques_of_gears_follow_from_mujocos_constraint_jacobian(equality, more):
    model = compiled(two_arms(equality, REFERENCES, more)).model
    graph = md.load_mjcf(model)
    assert len(graph.gears) == model.neq
    differences = loop_differences(graph, model)
    assert differences.position < 1e-13
    assert differences.velocity < 1e-13
    assert differences.torque < 1e-12


def test_a_gear_counts_from_the_reference_positions():
    (gear,) = md.load_mjcf(two_arms(joint_equality("a", "b", "0.3 2 0 0 0"), REFERENCES)).gears
    assert (gear.joint, gear.driver, gear.ratio) == ("a", "b", 2.0)
    np.testing.assert_allclose(gear.offset, np.radians(30.0) + 0.3 - 2.0 * 0.4)


@pytest.mark.parametrize(
    ("equality", "locked"),
    [
        (joint_equality("a", "", "0.7 0 0 0 0"), {"a": np.radians(30.0) + 0.7}),
        (
            joint_equality("a", "", "0.7 0 0 0 0") + joint_equality("b", "a", "0.1 2 0 0 0", "f"),
            {"a": np.radians(30.0) + 0.7, "b": 0.4 + 0.1 + 2.0 * 0.7},
        ),
        (  # two lines that cross: y = x and y = 2 x - 0.3, from the reference positions
            joint_equality("a", "b", "0 1 0 0 0") + joint_equality("a", "b", "-0.3 2 0 0 0", "f"),
            {"a": np.radians(30.0) + 0.3, "b": 0.4 + 0.3},
        ),
    ],
)
def test_a_joint_that_is_held_does_not_move(equality, locked):
    model = compiled(two_arms(equality, REFERENCES)).model
    graph = md.load_mjcf(model)
    assert graph.gears == ()
    assert set(graph.joint_names) == {"a", "b", "c"} - set(locked)
    note = "joints that equality constraints hold at one position are fixed"
    assert f"{note}: {', '.join(locked)}" in graph.notes
    assert set(md.joint_order.from_mujoco(graph, model).extra) == {*locked}
    assert tree_difference(graph, model, locked) < 1e-12


@pytest.mark.parametrize(
    ("equality", "error", "message"),
    [
        (joint_equality("a", "b", "0 1 2 0 0"), md.UnsupportedModelError, "has the polycoef 0, 1, 2, 0, 0"),
        (
            joint_equality("a", "b", "0 1 0 0 0") + joint_equality("b", "a", "0.5 1 0 0 0", "f"),
            md.MjcfError,
            "equality 'f' contradicts others: they leave 0.5, not 0",
        ),
    ],
)
def test_what_gears_cannot_express_is_refused(equality, error, message):
    with pytest.raises(error, match=message):
        md.load_mjcf(two_arms(equality))


def test_equalities_that_follow_from_others_are_left_out():
    """A cycle of gears a -> b -> c -> a leaves one joint free, as in MuJoCo."""
    equalities = [("a", "b", "0 2 0 0 0", "e"), ("b", "c", "0.5 1 0 0 0", "f"), ("a", "c", "1 2 0 0 0", "g")]
    model = compiled(two_arms("".join(joint_equality(*one) for one in equalities), REFERENCES)).model
    graph = md.load_mjcf(model)
    assert [gear.joint for gear in graph.gears] == ["a", "b"]
    assert "equalities that follow from others are ignored: g" in graph.notes
    assert len(graph.independent_joint_names) == 1
    assert max(loop_differences(graph, model)) < 1e-12


def test_gears_determine_each_other_as_little_as_joints_do():
    """a + b + c = 0.1 and a + b - c = 0 determine c and one of the others, and not a and b."""
    tendons = """<tendon><fixed name="s"><joint joint="a" coef="1"/><joint joint="b" coef="1"/>
      <joint joint="c" coef="1"/></fixed><fixed name="t"><joint joint="a" coef="1"/>
      <joint joint="b" coef="1"/><joint joint="c" coef="-1"/></fixed></tendon>"""
    equalities = '<tendon tendon1="s" polycoef="0.1 0 0 0 0"/><tendon tendon1="t"/>'
    model = compiled(two_arms(equalities, more=tendons)).model
    graph = md.load_mjcf(model)
    assert "joints that equality constraints hold at one position are fixed: c" in graph.notes
    assert [gear.joint for gear in graph.gears] == ["a"]
    assert max(loop_differences(graph, model, {"c": 0.05})) < 1e-12


def test_an_equality_of_a_spatial_tendon_is_refused():
    text = two_arms(
        '<tendon name="e" tendon1="rope"/>',
        more='<tendon><spatial name="rope"><site site="p"/><site site="r"/></spatial></tendon>',
    )
    text = text.replace('<body name="second"', '<site name="p"/><body name="second"')
    text = text.replace('type="slide" axis="1 1 0" />', 'type="slide" axis="1 1 0" /><site name="r"/>')
    with pytest.raises(md.UnsupportedModelError, match="'e' holds the length of a spatial tendon"):
        md.load_mjcf(text)


# Connect and weld, closed and compared with MuJoCo's constraint Jacobian.

SITES = (("coupler", 'pos="0.5 0 0.1" quat="0.9 0 0.3 0"'), ("rocker", 'pos="0.1 0 0.3" quat="0.9 0 0.3 0"'))
BY_SITES = '<connect name="pin" site1="coupler end" site2="rocker end"/>'
#: A rigid frame of three bodies; the last one slides and turns as the weld demands.
SLIDER = """<mujoco><worldbody>
  <body name="arm" quat="0.8 0.2 0.1 0.4"><joint name="turn" axis="0 0 1" pos="0 0.1 0"/>
    <geom size="0.1" pos="0.2 0 0"/>
    <body name="block" pos="0.5 0 0" quat="0.9 0.3 0 0"><joint name="out" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.1 0.05 0.02" pos="0 0 0.1"/></body></body>
  <body name="twin" quat="0.8 0.2 0.1 0.4"><joint name="follow" axis="0 0 1" pos="0 0.1 0"/>
    <geom size="0.05" pos="0.1 0 0"/>
    <body name="slide" pos="0.4 0 0"><joint name="along" type="slide" axis="1 0 0"/>
      <geom size="0.07" pos="0 0.1 0"/></body></body>
  </worldbody>
  <equality><weld name="w" body1="block" body2="slide" {}/></equality>
  <actuator><motor joint="turn"/><motor joint="out"/></actuator></mujoco>"""


def with_sites(text):
    for body, pose in SITES:
        head = f'<body name="{body}"'
        start = text.index(">", text.index(head)) + 1
        text = f'{text[:start]}<site name="{body} end" {pose}/>{text[start:]}'
    return text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(four_bar(), id="connect"),
        pytest.param(with_sites(four_bar(BY_SITES)), id="connect of sites"),
        pytest.param(four_bar(actuator='<motor joint="rocker"/>'), id="driven at the rocker"),
        pytest.param(SLIDER.format(""), id="weld"),
    ],
)
def test_torques_of_closed_loops_follow_from_mujocos_constraint_jacobian(text):
    model = compiled(text).model
    differences = loop_differences(md.load_mjcf(model), model)
    assert differences.position < 1e-12
    assert differences.velocity < 1e-12
    assert differences.torque < 1e-10


def test_a_connect_is_spherical_and_the_motor_gives_the_effort():
    graph = md.load_mjcf(four_bar())
    (loop,) = graph.loop_joints
    assert (loop.name, loop.type) == ("pin", "spherical")
    assert (loop.predecessor.link, loop.successor.link) == ("coupler", "rocker")
    assert graph.joint("crank").limits.effort == 6.0


def test_a_weld_is_fixed_and_without_torquescale_spherical():
    assert md.load_mjcf(SLIDER.format("")).loop_joints[0].type == "fixed"
    assert md.load_mjcf(SLIDER.format('torquescale="0"')).loop_joints[0].type == "spherical"


def test_a_weld_at_another_pose_than_the_reference():
    text = SLIDER.format('relpose="0.1 0.2 0.3 0.9 0.1 0.3 0.2" anchor="0.3 0.1 0.2"')
    loop = md.load_mjcf(text).loop_joints[0]
    rotation, position = md.algebra.to_rotation_translation(loop.predecessor.x_link_anchor)
    model = compiled(text).model
    np.testing.assert_allclose(position, model.eq_data[0, 3:6])
    assert not np.allclose(rotation, np.eye(3))
    np.testing.assert_allclose(
        md.algebra.to_rotation_translation(loop.successor.x_link_anchor)[1], [0.3, 0.1, 0.2]
    )


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            four_bar(CONNECT.replace("/>", ' active="false"/>')),
            "inactive equality constraints are ignored: pin",
        ),
        (
            four_bar().replace("<default>", '<option><flag equality="disable"/></option><default>'),
            "equality constraints are disabled in the file and ignored: pin",
        ),
        (
            four_bar('<weld name="still" body1="world" body2="wall"/>').replace(
                "</worldbody>", '<body name="wall"/></worldbody>'
            ),
            "equality 'still' joins bodies that cannot move against each other: ignored",
        ),
        (
            four_bar('<weld name="drag" body1="hand" body2="rocker"/>').replace(
                "</worldbody>", '<body name="hand" mocap="true"/></worldbody>'
            ),
            "equality 'drag' holds a mocap body and is ignored",
        ),
    ],
)
def test_an_equality_that_closes_no_loop_is_noted(text, note):
    graph = md.load_mjcf(text)
    assert graph.loop_joints == ()
    assert graph.passive_joints == ()
    assert note in graph.notes


# Which joints of loops are passive.

GEAR = '<joint joint1="rocker" joint2="crank" polycoef="0 0.5 0 0 0"/>'
TENDON = '<tendon><fixed name="t"><joint joint="rocker" coef="1"/></fixed></tendon>'


@pytest.mark.parametrize(
    ("text", "passive"),
    [
        pytest.param(four_bar(), ("coupler", "rocker"), id="driven at the crank"),
        pytest.param(
            four_bar(actuator='<motor tendon="t"/>').replace("<actuator>", f"{TENDON}<actuator>"),
            ("crank", "coupler"),
            id="by a tendon",
        ),
        pytest.param(
            four_bar(CONNECT + GEAR, '<motor joint="rocker"/>'), ("coupler",), id="geared to a driven joint"
        ),
        pytest.param(four_bar(CONNECT + GEAR), ("coupler",), id="geared"),
    ],
)
def test_joints_of_loops_without_an_actuator_are_passive(text, passive):
    graph = md.load_mjcf(text)
    assert graph.passive_joints == passive
    assert f"joints in closed loops without an actuator are passive: {', '.join(passive)}" in graph.notes


def test_without_actuators_a_warning_asks_which_joints_are_passive():
    with pytest.warns(
        md.ModelWarning, match="no actuator says which .* are passive: crank, coupler, rocker; none"
    ):
        graph = md.load_mjcf(four_bar(actuator=""))
    assert graph.passive_joints == ()
    with pytest.raises(md.MjcfError, match="strict: no actuator says which joints"):
        md.load_mjcf(four_bar(actuator=""), strict=True)
    for section in ({"passive": ["coupler", "rocker"]}, {"independent": ["crank"]}):
        graph = md.load_mjcf(four_bar(actuator=""), {"version": 1, **section}, strict=True)
        assert graph.independent_joint_names == ("crank",)


def test_the_partition_replaces_the_choice():
    graph = md.load_mjcf(four_bar(), {"version": 1, "passive": ["crank", "coupler"]})
    assert graph.passive_joints == ("crank", "coupler")
    assert len(graph.loop_joints) == 1


# Tendons: a straight one with stiffness is a spring, other springs are refused.

STRAIGHT = '<site site="p"/><site site="r"/>'
BENT = '<site site="p"/><site site="w"/><site site="r"/>'
FIXED = '<joint joint="a" coef="1"/><joint joint="b" coef="2"/>'


def with_tendon(path, attributes, kind="spatial"):
    text = two_arms(more=f'<tendon><{kind} name="rope" {attributes}>{path}</{kind}></tendon>')
    text = text.replace("<worldbody>", '<worldbody><site name="w" pos="0 0 2"/>')
    text = text.replace('<body name="second"', '<site name="u"/><body name="second"')
    text = text.replace('<joint name="c"', '<site name="p" pos="0.1 0.2 0.3" quat="1 1 0 0"/><joint name="c"')
    return text.replace('<joint name="b"', '<site name="r" pos="0 0.3 0"/><joint name="b"')


def test_a_straight_tendon_pulls_as_in_mujoco():
    model = compiled(with_tendon(STRAIGHT, 'stiffness="70" springlength="0.4" damping="3"')).model
    graph = md.load_mjcf(model)
    (spring,) = graph.springs
    assert (spring.name, spring.stiffness, spring.free_length, spring.damping) == ("rope", 70.0, 0.4, 3.0)
    assert loop_differences(graph, model).torque < 1e-12


def test_names_that_a_joint_has_too():
    """In MuJoCo, elements of different kinds may share a name; in a graph these are all looked up by it."""
    text = with_tendon(STRAIGHT, 'stiffness="70"').replace('name="rope"', 'name="b"')
    connect = '<equality><connect name="b" body1="tip" anchor="0 0 0"/></equality>'
    graph = md.load_mjcf(text.replace("<equality></equality>", connect))
    assert [loop.name for loop in graph.loop_joints] == ["b'"]
    assert [spring.name for spring in graph.springs] == ["b''"]


@pytest.mark.parametrize(
    ("path", "attributes", "kind", "message"),
    [
        (BENT, 'stiffness="7"', "spatial", "'rope' is a spatial tendon with a spring"),
        (STRAIGHT, 'stiffness="7" springlength="0.1 2"', "spatial", "slack between the lengths 0.1 and 2 m"),
        (FIXED, 'stiffness="7"', "fixed", "'rope' is a spring over the joints a, b"),
        (STRAIGHT, 'armature="7"', "spatial", "'rope' has armature"),
    ],
)
def test_other_springs_are_refused(path, attributes, kind, message):
    with pytest.raises(md.UnsupportedModelError, match=message):
        md.load_mjcf(with_tendon(path, attributes, kind))


@pytest.mark.parametrize("path", [STRAIGHT, BENT])
def test_a_tendon_without_stiffness_is_no_spring(path):
    assert md.load_mjcf(with_tendon(path, 'limited="true" range="0 3"')).springs == ()


def test_springs_that_the_file_switches_off_are_none():
    text = with_tendon(BENT, 'stiffness="7"')
    off = '<option><flag spring="disable"/></option><worldbody>'
    assert md.load_mjcf(text.replace("<worldbody>", off)).springs == ()


@pytest.mark.parametrize("what", ["damping", "frictionloss"])
def test_friction_of_a_tendon_is_a_warning(what):
    text = with_tendon(FIXED, f'{what}="2"', "fixed")
    with pytest.warns(md.ModelWarning, match=f"tendon 'rope' has {what}"):
        graph = md.load_mjcf(text)
    assert len(graph.warnings) == 1
    with pytest.raises(md.MjcfError, match=f"strict: tendon 'rope' has {what}"):
        md.load_mjcf(text, strict=True)

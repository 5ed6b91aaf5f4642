"""Equality constraints of joints and fixed tendons."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.mujoco_mjcf import loop_differences, tree_difference
from helpers.robots.mjcf_text import two_arms
from modular_dynamics.mjcf import to_mujoco
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
        ('<tendon tendon1="s" polycoef="0.1 0 0 0 0"/>', TENDONS),
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


def test_a_joint_without_an_actuator_follows_the_one_that_has_it():
    text = two_arms(joint_equality("a", "b", "0 2 0 0 0"), more='<actuator><motor joint="a"/></actuator>')
    (gear,) = md.load_mjcf(text).gears
    assert (gear.joint, gear.driver, gear.ratio) == ("b", "a", 0.5)


@pytest.mark.parametrize(
    ("equality", "locked"),
    [
        (joint_equality("a", "", "0.7 0 0 0 0"), {"a": np.radians(30.0) + 0.7}),
        (joint_equality("a", "b", "0.7 0 0 0 0"), {"a": np.radians(30.0) + 0.7}),
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
    qpos = to_mujoco(graph, model, np.ones(graph.nq)).q
    for name, value in locked.items():
        np.testing.assert_allclose(qpos[model.joint(name).qposadr[0]], value)
    assert tree_difference(graph, model) < 1e-12


@pytest.mark.parametrize(
    ("equality", "error", "message"),
    [
        (
            joint_equality("a", "b", "0 1 2 0 0"),
            md.UnsupportedModelError,
            "has the polycoef 0, 1, 2, 0, 0",
        ),
        (
            joint_equality("a", "b", "0 1 0 0 0") + joint_equality("b", "a", "0.5 1 0 0 0", "f"),
            md.MjcfError,
            "equality 'f' contradicts others: they leave 0.5, not 0",
        ),
        (
            joint_equality("a", "", "1 0 0 0 0") + joint_equality("a", "", "2 0 0 0 0", "f"),
            md.MjcfError,
            "equality 'f' contradicts others",
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
    state = to_mujoco(graph, model, graph.neutral())
    assert state.q[model.joint("c").qposadr[0]] == pytest.approx(0.05)
    assert max(loop_differences(graph, model)) < 1e-12


def test_an_equality_of_a_spatial_tendon_is_refused():
    text = two_arms(
        '<tendon name="e" tendon1="rope"/>',
        more='<tendon><spatial name="rope"><site site="p"/><site site="r"/></spatial></tendon>',
    )
    text = text.replace('<body name="second"', '<site name="p"/><body name="second"')
    text = text.replace('type="slide" axis="1 1 0" />', 'type="slide" axis="1 1 0" /><site name="r"/>')
    with pytest.raises(md.UnsupportedModelError, match="'e' holds the length of a spatial tendon"):
        md.load_mjcf(text)

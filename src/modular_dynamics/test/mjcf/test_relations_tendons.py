"""Tendons: a straight one with stiffness is a spring, other springs are refused."""

import pytest

import modular_dynamics as md
from benchmark.peers.mujoco_mjcf import loop_differences
from helpers.robots.mjcf_text import two_arms
from modular_dynamics.mjcf.source import compiled

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


def test_without_springlength_it_is_relaxed_at_the_reference_position():
    model = compiled(with_tendon(STRAIGHT, 'stiffness="70"')).model
    assert md.load_mjcf(model).springs[0].free_length == model.tendon_lengthspring[0, 0] > 0.1
    assert loop_differences(md.load_mjcf(model), model).torque < 1e-12


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
        (
            BENT,
            'stiffness="7"',
            "spatial",
            "'rope' is a spatial tendon with a spring",
        ),
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


def test_damping_of_higher_order_is_a_warning():
    """What it has of first order counts."""
    with pytest.warns(md.ModelWarning, match="tendon 'rope' has damping of higher order, which is ignored"):
        graph = md.load_mjcf(with_tendon(STRAIGHT, 'stiffness="7" damping="3 2"'))
    assert len(graph.warnings) == 1
    assert graph.springs[0].damping == 3.0


@pytest.mark.parametrize("what", ["damping", "frictionloss"])
def test_friction_of_a_tendon_is_a_warning(what):
    text = with_tendon(FIXED, f'{what}="2"', "fixed")
    with pytest.warns(md.ModelWarning, match=f"tendon 'rope' has {what}"):
        graph = md.load_mjcf(text)
    assert len(graph.warnings) == 1
    with pytest.raises(md.MjcfError, match=f"strict: tendon 'rope' has {what}"):
        md.load_mjcf(text, strict=True)

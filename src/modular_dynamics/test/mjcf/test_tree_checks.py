"""What cannot be expressed is refused, warned of or noted."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.mjcf_text import MOTOR, four_bar, two_arms
from modular_dynamics.mjcf.source import compiled

BALL = '<body name="o"><joint name="ball" type="ball" {}/><geom size="0.1"/></body></worldbody>'
FREE = '<body name="o"><joint name="free" type="free" {}/><geom size="0.1"/></body></worldbody>'
FLEX = """<mujoco><worldbody><body name="b"><joint/><geom size="0.1"/></body>
  <flexcomp name="cloth" type="grid" count="3 3 1" spacing="0.1 0.1 0.1"
  dim="2" mass="1"/></worldbody></mujoco>"""


def added(more):
    return two_arms().replace("</worldbody>", more)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FLEX, "flexible bodies"),
        (two_arms(joints=('stiffness="1 2"', "")), "joint 'a' has stiffness of higher order"),
        (added(BALL.format('stiffness="2"')), "joint 'ball' has a spring although it has several"),
        (added(FREE.format('stiffness="2"')), "joint 'free' has a spring although it has several"),
    ],
)
def test_forces_that_a_graph_cannot_express_are_refused(text, message):
    with pytest.raises(md.UnsupportedModelError, match=message):
        md.load_mjcf(text)


def test_a_plugin_is_refused():
    model = compiled(two_arms()).model
    model.body_plugin[model.body("tip").id] = 0
    with pytest.raises(md.UnsupportedModelError, match="body 'tip' has a plugin"):
        md.load_mjcf(model)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            two_arms().replace('<body name="tip"', '<body gravcomp="1" name="tip"'),
            "body 'tip' has gravity compensation .*",
        ),
        (
            two_arms().replace("<worldbody>", '<option density="1"/><worldbody>'),
            "the medium has density or viscosity",
        ),
        (two_arms(joints=('damping="1 2"', "")), "joint 'a' has damping of higher order"),
        (added(FREE.format('armature="2"')), "free joint 'free', which has no drive, has armature"),
    ],
)
def test_forces_that_are_left_out_are_warnings(text, message):
    with pytest.warns(md.ModelWarning, match=message):
        graph = md.load_mjcf(text)
    assert len(graph.warnings) == 1
    with pytest.raises(md.MjcfError, match=f"strict: .*{message}$"):  # which is not ignored then
        md.load_mjcf(text, strict=True)


def test_warnings_are_summaries_by_kind_and_all_refused():
    text = two_arms(joints=('damping="1 2"', 'damping="-1 2" armature="-0.01"'))
    text = text.replace("<worldbody>", '<option density="1"/><worldbody>')
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_mjcf(text)
    assert [str(warning.message) for warning in caught] == [
        "the medium has density or viscosity; its forces are ignored",
        "damping of higher order: 2 joints, 'a', 'b'. The first: joint 'a' has damping of higher order, "
        "which is ignored",
        "joint 'b' has a negative damping, which is used as given",
        "joint 'b' has a negative armature, which is used as given",
    ]
    assert [(one.kind, one.element, one.name) for one in graph.warnings] == [
        ("medium", "model", "option"),
        ("damping of higher order", "joint", "a"),
        ("damping of higher order", "joint", "b"),
        ("negative damping", "joint", "b"),
        ("negative armature", "joint", "b"),
    ]
    with pytest.raises(md.MjcfError, match=r"strict: the medium .*; damping of .*; .* armature$"):
        md.load_mjcf(text, strict=True)


def test_what_is_no_part_of_rigid_bodies_is_noted():
    text = four_bar("", MOTOR).replace(
        "</worldbody>",
        '<body name="target" mocap="true"/>'
        + BALL.format('limited="true" range="0 30"').replace('"0.1"', '"0.1" type="sphere"'),
    )
    assert md.load_mjcf(text).notes == (
        "forces of 1 actuators are ignored; they say which joints are driven",
        "contacts are ignored",
        "mocap bodies are fixed to the world: target",
        "limits of ball joints are ignored: ball",
    )


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("body_inertia", -1.0, "body 'tip' has a negative mass or principal moment"),
        ("body_mass", np.nan, "body 'tip' has a mass, inertia or pose that is not finite"),
        ("dof_armature", np.nan, r"dof_armature\[0\] of MuJoCo's model is nan"),
        ("actuator_gear", 1e308, r"actuator_gear\[0\] of MuJoCo's model is .*; numbers up to 1e\+09"),
        ("jnt_axis", 0.0, r"joint 'a' has the axis \[0\. 0\. 0\.\], whose length is not one"),
        ("body_quat", 0.0, "a quaternion of length zero"),
    ],
)
def test_numbers_of_a_changed_model_are_checked(field, value, message):
    model = compiled(two_arms(more='<actuator><motor joint="a"/></actuator>')).model
    getattr(model, field)[model.body("tip").id if field.startswith("body") else 0] = value
    with pytest.raises(md.MjcfError, match=message):
        md.load_mjcf(model)

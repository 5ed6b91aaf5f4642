"""Connect and weld, closed and compared with MuJoCo's constraint Jacobian."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers.mujoco_mjcf import loop_differences
from helpers.robots.mjcf_text import CONNECT, MOTOR, four_bar
from modular_dynamics.mjcf.source import compiled

SITES = (
    ("coupler", 'pos="0.5 0 0.1" quat="0.9 0 0.3 0"'),
    ("rocker", 'pos="0.1 0 0.3" quat="0.9 0 0.3 0"'),
)
BY_SITES = '<connect name="pin" site1="coupler end" site2="rocker end"/>'
EXCHANGED = '<connect body1="rocker" body2="coupler" anchor="0.1 0 0.3"/>'
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
        pytest.param(four_bar(EXCHANGED), id="bodies exchanged"),
        pytest.param(SLIDER.format(""), id="weld"),
        pytest.param(SLIDER.format('torquescale="0.3"'), id="weld with torquescale"),
    ],
)
def test_torques_of_closed_loops_follow_from_mujocos_constraint_jacobian(text):
    model = compiled(text).model
    differences = loop_differences(md.load_mjcf(model), model)
    assert differences.position < 1e-12
    assert differences.velocity < 1e-12
    assert differences.torque < 1e-10


def test_the_rocker_is_passive_and_the_motor_gives_the_effort():
    graph = md.load_mjcf(four_bar())
    (loop,) = graph.loop_joints
    assert (loop.name, loop.type) == ("pin", "spherical")
    assert (loop.predecessor.link, loop.successor.link) == ("coupler", "rocker")
    assert graph.passive_joints == ("coupler", "rocker")
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


def test_an_equality_without_a_name_gets_one():
    assert md.load_mjcf(four_bar(CONNECT.replace('name="pin"', ""), MOTOR)).loop_joints[0].name == "connect_0"

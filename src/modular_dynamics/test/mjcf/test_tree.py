"""Bodies and joints, against MuJoCo's kinematics and inverse dynamics."""

import mujoco
import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.mujoco_mjcf import tree_difference
from helpers.robots.mjcf_text import random_tree, two_arms
from modular_dynamics.mjcf.source import compiled
from modular_dynamics.model import body_of_link


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="several joints at a body"),
        pytest.param({"free": True}, id="free bodies"),
        pytest.param({"terms": True}, id="armature and springs"),
        pytest.param({"kinds": "hsb", "bodies": 9}, id="balls"),
        pytest.param({"kinds": "hsb", "terms": True, "free": True}, id="all"),
    ],
)
def test_torques_are_those_of_mj_inverse(seed, options):
    spec = random_tree(seed + (20 if "b" in options.get("kinds", "") else 0), **options)
    model = spec.compile()
    assert tree_difference(md.load_mjcf(spec), model) < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_frames_of_bodies_are_those_of_mj_kinematics(seed):
    model = random_tree(seed, free=True).compile()
    graph, data = md.load_mjcf(model), mujoco.MjData(model)
    data.qpos[:] = np.random.default_rng(seed).normal(size=model.nq)
    mujoco.mj_kinematics(model, data)
    q = md.joint_order.from_mujoco(graph, model).from_q(data.qpos)
    for k in range(1, model.nbody):
        pose = md.frame_pose(graph, q, model.body(k).name)
        rotation, position = md.algebra.to_rotation_translation(pose)
        np.testing.assert_allclose(position, data.xpos[k], atol=1e-13)
        np.testing.assert_allclose(rotation, data.xmat[k].reshape(3, 3), atol=1e-13)


def test_numbers_of_joints_are_those_of_the_file():
    given = 'range="-1 2" limited="true" armature="0.3" damping="0.4" frictionloss="0.5" stiffness="6" '
    given += 'springref="0.7"'
    graph = md.load_mjcf(two_arms(joints=(given.replace("-1 2", "-57.29577951308232 90"), given)))
    slide, hinge = graph.joint("b"), graph.joint("a")
    for joint in (slide, hinge):
        assert (joint.armature, joint.damping, joint.friction, joint.stiffness) == (0.3, 0.4, 0.5, 6.0)
    assert (slide.limits.lower, slide.limits.upper, slide.rest_position) == (-1.0, 2.0, 0.7)
    np.testing.assert_allclose((hinge.limits.lower, hinge.limits.upper), (-1.0, np.pi / 2))
    np.testing.assert_allclose(hinge.rest_position, np.radians(0.7))
    assert graph.joint("c").type is md.JointType.CONTINUOUS
    assert hinge.type is md.JointType.REVOLUTE


def test_a_body_between_joints_has_no_mass_and_a_name_of_its_own():
    text = """<mujoco><worldbody><body name="x"><joint name="a" axis="1 0 0"/><joint name="b" pos="0.1 0 0"/>
      <geom size="0.1"/></body></worldbody></mujoco>"""
    graph = md.load_mjcf(text)
    assert [body.name for body in graph.bodies] == ["x/a", "x/b"]
    assert [body.mass > 0.0 for body in graph.bodies] == [False, True]
    assert body_of_link(graph, "x") == 1


def test_what_the_file_switches_off_is_off():
    text = two_arms(joints=('stiffness="3" damping="2" frictionloss="1"', ""))
    off = '<option><flag spring="disable" damper="disable" frictionloss="disable"/></option>'
    joint = md.load_mjcf(text.replace("<worldbody>", f"{off}<worldbody>")).joint("a")
    assert (joint.stiffness, joint.damping, joint.friction) == (0.0, 0.0, 0.0)


def test_an_inertial_frame_that_differs_by_rounding_is_the_bodys_as_in_mujoco():
    text = """<mujoco><worldbody><body><freejoint/>
      <inertial mass="100" pos="2e-9 -3e-9 1e-9" diaginertia="9 8 7"/></body></worldbody></mujoco>"""
    model = compiled(text).model
    assert model.body_ipos[1].any()
    assert tree_difference(md.load_mjcf(model), model) < 1e-13


# What joints get from actuators.

TENDON = '<tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="c" coef="2"/></fixed></tendon>'


def loaded(actuators, joint=""):
    return md.load_mjcf(two_arms(joints=(joint, ""), more=f"{TENDON}<actuator>{actuators}</actuator>"))


@pytest.mark.parametrize(
    ("actuators", "joint", "effort"),
    [
        ('<motor joint="a" gear="-5" forcerange="-3 2"/>', "", 15.0),
        ('<motor joint="a" forcerange="-3 3"/><motor jointinparent="a" forcerange="-4 4"/>', "", 7.0),
        ('<motor joint="a" forcerange="-3 3"/><motor tendon="t" forcerange="-4 4"/>', "", None),
        ('<motor joint="a" forcerange="-3 3"/>', 'actuatorfrcrange="-1 1"', 1.0),
    ],
)
def test_the_effort_is_what_actuators_can_exert(actuators, joint, effort):
    assert loaded(actuators, joint).joint("a").limits.effort == effort


def test_armature_and_damping_of_actuators_count_by_the_gear_squared():
    graph = loaded(
        '<motor joint="a" gear="3" armature="0.2" damping="0.5"/><motor joint="a" armature="0.1"/>',
        'armature="1" damping="2"',
    )
    joint = graph.joint("a")
    assert joint.armature == pytest.approx(1.0 + 9.0 * 0.2 + 0.1)
    assert joint.damping == pytest.approx(2.0 + 9.0 * 0.5)


# Names of elements that have none.

UNNAMED = """<mujoco><worldbody>
  <body><joint/><joint axis="1 0 0"/><geom size="0.1"/>
    <body name="body_1"><joint name="body_2_joint"/><geom size="0.1"/></body></body>
  <body name="hand"><joint/><geom size="0.1"/></body></worldbody></mujoco>"""


def test_elements_without_a_name_get_one_that_is_not_taken():
    graph = md.load_mjcf(UNNAMED)
    assert graph.joint_names == ("body_1_2_joint", "body_1_2_joint_2", "body_2_joint", "hand_joint")
    assert [body.name for body in graph.bodies] == ["body_1_2/body_1_2_joint", "body_1_2", "body_1", "hand"]
    assert graph.name == "MuJoCo Model"
    model = compiled(UNNAMED).model
    order = md.joint_order.from_mujoco(graph, model)
    assert order.names == graph.joint_names
    assert tree_difference(graph, model) < 1e-12

"""Parameters of joints by name: origins as in the URDF, drives, limits, mimic joints."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.changed_robots import assert_same_connections, assert_same_robot, edited, joint_element, untagged
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees
from helpers.robots.urdf_text import inertial, joint, robot

NEW = {"x": 0.3, "y": -0.4, "z": 0.5, "roll": 0.6, "pitch": -0.7, "yaw": 2.8}


def move(root, name):
    origin = joint_element(root, name).find("origin")
    origin.set("xyz", "0.3 -0.4 0.5")
    origin.set("rpy", "0.6 -0.7 2.8")


@pytest.mark.slow
@examples(60)
@given(tree=random_trees(largest=25), data=st.data())
def test_an_origin_is_that_of_the_urdf(tree, data):
    """Fixed joints too: all that they carry moves."""
    names = [joint.get("name") for joint in ElementTree.fromstring(tree.urdf).findall("joint")]
    name = data.draw(st.sampled_from(names))
    graph = untagged(tree.urdf)
    moved = graph.with_parameters({f"joint {name} origin {key}": value for key, value in NEW.items()})
    assert_same_robot(moved, untagged(edited(tree.urdf, lambda root: move(root, name))), 1e-11)


@examples(40)
@given(tree=random_trees(largest=25), data=st.data())
def test_an_origin_moves_connection_points_of_any_partition(tree, data):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    origins = [key.removesuffix(" z") for key in graph.parameters if key.endswith("origin z")]
    name = data.draw(st.sampled_from(origins))
    assert_same_connections(
        graph.with_parameters({f"{name} {key}": value for key, value in NEW.items()}), 1e-11
    )


def test_a_shift_keeps_the_rotation_exactly(load_robot):
    graph = load_robot("branched_38dof")
    name = graph.joint_names[5]
    moved = graph.with_parameters({f"joint {name} origin z": 0.25})
    assert moved.joint(name).x_parent_joint.primary == graph.joint(name).x_parent_joint.primary
    assert all(a is b for a, b in zip(moved.joints, graph.joints, strict=True) if a.name != name)
    assert all(a is b for a, b in zip(moved.bodies, graph.bodies, strict=True))


@pytest.mark.filterwarnings("ignore:.*ends a chain")
def test_a_fixed_link_in_a_black_box_moves_with_its_mount():
    text = """<robot name="r"><link name="base"/><link name="arm"/><link name="flange"/><link name="tool"/>
      <joint name="lift" type="continuous"><parent link="base"/><child link="arm"/></joint>
      <joint name="plate" type="fixed"><parent link="arm"/><child link="flange"/><origin xyz="0 0 1"/>
      </joint>
      <joint name="mount" type="fixed"><parent link="flange"/><child link="tool"/><origin xyz="0 0 1"/>
      </joint>
      <modular_dynamics version="1"><subsystem name="arm" root_link="arm"/>
        <subsystem name="tool" root_link="tool" black_box="true"/></modular_dynamics></robot>"""
    graph = md.load_urdf(text)
    theirs = md.load_urdf(text.replace('"flange"/><origin xyz="0 0 1"/>', '"flange"/><origin xyz="0 2 1"/>'))
    moved = graph.with_parameters({"joint plate origin y": 2.0})
    assert_same_connections(moved)
    assert moved.link_pose("tool")[1].is_close(theirs.link_pose("tool")[1])
    assert "joint mount origin x" not in graph.parameters  # it belongs to the black box


def test_drives_and_limits(load_robot):
    graph = load_robot("vendor_arm")
    name = graph.joint_names[0]
    new = {"damping": 1.0, "friction": 2.0, "armature": 3.0, "stiffness": 4.0, "rest position": 0.5}
    limits = {"lower limit": -0.1, "upper limit": 0.1, "effort limit": 5.0, "velocity limit": 6.0}
    joint = graph.with_parameters(
        {f"joint {name} {key}": value for key, value in (new | limits).items()}
    ).joint(name)
    assert (joint.damping, joint.friction, joint.armature) == (1.0, 2.0, 3.0)
    assert (joint.stiffness, joint.rest_position) == (4.0, 0.5)
    assert (joint.limits.lower, joint.limits.upper, joint.limits.effort, joint.limits.velocity) == (
        -0.1,
        0.1,
        5,
        6,
    )
    for quantity in ("damping", "friction", "armature", "stiffness", "effort limit", "velocity limit"):
        with pytest.raises(
            md.ModelError, match=rf"the {quantity} of joint '{name}' is -1; it cannot be negative"
        ):
            graph.with_parameters({f"joint {name} {quantity}": -1.0})
    with pytest.raises(md.ModelError, match=r"the lower limit of joint .* is 3, above its upper limit"):
        graph.with_parameters({f"joint {name} lower limit": 3.0})


def test_units_say_whether_a_joint_turns_or_slides(load_robot):
    parameters = load_robot("charmie").parameters
    assert parameters["joint torso_lift effort limit"].unit == "N"
    assert parameters["joint torso_pitch effort limit"].unit == "N m"
    assert parameters["joint torso_lift damping"].unit == "N s/m"


@pytest.mark.parametrize(("kind", "units"), [("spherical", "kg m^2"), ("floating", "kg m^2, kg")])
def test_joints_with_several_coordinates_have_no_springs(kind, units):
    ball = f'<link name="ball">{inertial(1.0, (0, 0, 0), np.eye(3))}</link>'
    text = ['<link name="base"/>', ball, joint("j", "floating", "base", "ball", (0, 0, 0))]
    graph = md.load_urdf(robot("r", text, ['<spherical joint="j"/>'] if kind == "spherical" else []))
    for name in ("joint j stiffness", "joint j rest position"):
        assert name not in graph.parameters
        with pytest.raises(md.UnknownNameError, match=rf"no parameter '{name}'"):
            graph.with_parameters({name: 1.0})
    assert graph.parameters["joint j armature"].unit == units
    assert graph.with_parameters({"joint j armature": 2.0}).joint("j").armature == 2.0


@examples(20)
@given(tree=random_trees(largest=15))
def test_a_mimic_joints_numbers_are_those_of_the_urdf(tree):
    graph = untagged(tree.urdf)
    names = [joint.name for joint in graph.joints if joint.mimic is not None]
    assume(names)

    def change(root):
        for mimic in (joint_element(root, name).find("mimic") for name in names):
            mimic.set("multiplier", "0.5")
            mimic.set("offset", "-0.1")

    new = {
        f"joint {name} mimic {key}": x for name in names for key, x in (("multiplier", 0.5), ("offset", -0.1))
    }
    assert_same_robot(graph.with_parameters(new), untagged(edited(tree.urdf, change)), 1e-12)

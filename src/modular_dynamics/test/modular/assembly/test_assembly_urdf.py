"""Assemblies as URDF text: what is read back is the same robot, here and in other programs."""

import numpy as np
import pinocchio
import pytest
from urdf_parser_py.urdf import URDF

import modular_dynamics as md
from helpers.changed_robots import assert_same_pose
from helpers.random_examples.assemblies import random_assembly
from helpers.random_examples.examples import some
from modular_dynamics import modular


@pytest.mark.parametrize("seed", some(range(30)))
def test_it_is_read_back_as_the_same_robot(seed):
    assembly = random_assembly(seed)
    own = assembly.graph()
    read = md.load_urdf(assembly.to_urdf(), strict=True)
    assert (read.name, read.joint_names) == (own.name, own.joint_names)
    assert {*read.links} == {*own.links}
    for one, other in zip(read.subsystems, own.subsystems, strict=True):
        assert (one.name, one.first, one.predecessor) == (other.name, other.first, other.predecessor)
        assert one.root_link == other.root_link
    for joint, other in zip(read.joints, own.joints, strict=True):
        assert (joint.parent_link, joint.child_link) == (other.parent_link, other.child_link)
        assert (joint.damping, joint.friction, joint.armature) == (
            other.damping,
            other.friction,
            other.armature,
        )
        assert joint.limits == other.limits
    for loop, other in zip(read.loop_joints, own.loop_joints, strict=True):
        assert (loop.name, loop.type) == (other.name, other.type)
        for end, its in zip(loop.anchors, other.anchors, strict=True):
            assert end.link == its.link
            assert_same_pose(end.x_link_anchor, its.x_link_anchor, 1e-14)
    rng = np.random.default_rng(seed)
    q = own.integrate(own.neutral(), rng.normal(size=own.nv))
    v, a = rng.normal(size=(2, own.nv))
    tau = md.inverse_dynamics(own.tree, q, v, a)
    scale = max(1.0, np.abs(tau).max(initial=0.0))
    assert np.abs(md.inverse_dynamics(read.tree, q, v, a) - tau).max(initial=0.0) <= 1e-12 * scale


@pytest.mark.parametrize("seed", some(range(10)))
def test_other_programs_read_it(seed, capfd):
    assembly = random_assembly(seed)
    text, graph = assembly.to_urdf(), assembly.graph()
    model = pinocchio.buildModelFromXML(text)
    assert model.nv == graph.nv
    assert {*graph.joint_names} <= {*model.names}
    robot = URDF.from_xml_string(text)  # as robot_state_publisher's and rviz's tools do
    assert {link.name for link in robot.links} == {*graph.links}
    complaints = capfd.readouterr().err.splitlines()
    assert [line for line in complaints if "modular_dynamics" not in line] == []  # our tags are unknown


def test_shapes_are_drawn_where_the_module_has_them():
    arm = modular.Assembly(("base", "block")).dock("base", 3, "v1", 2, kind="backbone")
    robot = URDF.from_xml_string(arm.to_urdf())
    for name in ("base/cube", "v1/cube"):
        link = robot.link_map[name]
        for element in (link.visual, link.collision):
            assert element.geometry.size == [0.09, 0.09, 0.09]
            assert element.origin.xyz == [0.0, 0.0, 0.0]
        assert link.visual.material.name in {material.name for material in robot.materials}


def test_links_without_mass_have_no_inertial():
    moved = modular.Assembly(
        ("cart", "block"),
        mount=[
            modular.virtual_joint("x", "prismatic", [1, 0, 0]),
            modular.virtual_joint("z", "revolute", [0, 0, 1]),
        ],
    )
    robot = URDF.from_xml_string(moved.to_urdf())
    assert {link.name: link.inertial is None for link in robot.links} == {
        "world": True,
        "cart/x": True,
        "cart/cube": False,
    }


def test_names_are_escaped():
    assembly = modular.Assembly(("<a&b>\"'", "backbone"), name='"R" & <D>')
    graph = md.load_urdf(assembly.to_urdf())
    assert (graph.name, graph.links) == ('"R" & <D>', ("<a&b>\"'/cube",))

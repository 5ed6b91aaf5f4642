"""Docking, undocking, merging and splitting; the graph that comes of it."""

import numpy as np
import pinocchio
import pytest
from urdf_parser_py.urdf import URDF

import modular_dynamics as md
from helpers.changed_robots import assert_same_pose
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.oracles.saddle_point import SaddlePoint, assert_moves_as_pinocchio_allows
from helpers.random_examples.assemblies import KINDS, random_assembly
from helpers.robots.paper_organism import organism
from helpers.tree_dynamics import assert_close
from modular_dynamics import modular


def test_undocking_releases_what_is_beyond_and_the_other_part_is_seen_from_there():
    rest, cut = organism().undock("v3"), organism().with_base("v3").undock("v0")
    assert list(rest) == ["v0", "v1", "v2", "v6", "v7", "v8"]
    assert list(cut) == ["v3", "v4", "v5"]
    assert cut.base == "v3"
    assert rest.merge(cut, "v0", 5, "v3", 2).kinds == {name: organism().kinds[name] for name in organism()}


def random_state(graph, seed):
    """q, v, a; the quaternion of a floating base is of unit length."""
    rng = np.random.default_rng(seed)
    q = graph.integrate(graph.neutral(), rng.normal(size=graph.nv))
    return q, *rng.normal(size=(2, graph.nv))


# Assemblies as URDF text: what is read back is the same robot, here and in other programs.


@pytest.mark.parametrize("seed", range(30))
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
        for field in ("parent_link", "child_link", "damping", "friction", "armature", "limits"):
            assert getattr(joint, field) == getattr(other, field)
    for loop, other in zip(read.loop_joints, own.loop_joints, strict=True):
        assert (loop.name, loop.type) == (other.name, other.type)
        for end, its in zip(loop.anchors, other.anchors, strict=True):
            assert end.link == its.link
            assert_same_pose(end.x_link_anchor, its.x_link_anchor, 1e-14)
    state = random_state(own, seed)
    tau = md.inverse_dynamics(own.tree, *state)
    scale = max(1.0, np.abs(tau).max(initial=0.0))
    assert np.abs(md.inverse_dynamics(read.tree, *state) - tau).max(initial=0.0) <= 1e-12 * scale


@pytest.mark.parametrize("seed", range(10))
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
    axes = {"x": ("prismatic", [1, 0, 0]), "z": ("revolute", [0, 0, 1])}
    mount = [modular.virtual_joint(name, *axis) for name, axis in axes.items()]
    robot = URDF.from_xml_string(modular.Assembly(("cart", "block"), mount=mount).to_urdf())
    assert [link.name for link in robot.links if link.inertial is None] == ["world", "cart/x"]
    assert robot.link_map["cart/cube"].inertial.mass == 0.6


def test_names_are_escaped():
    assembly = modular.Assembly(("<a&b>\"'", "backbone"), name='"R" & <D>')
    graph = md.load_urdf(assembly.to_urdf())
    assert (graph.name, graph.links) == ('"R" & <D>', ("<a&b>\"'/cube",))


# A hundred random assemblies: their dynamics against Pinocchio, the composition and identities.


#: Of assemblies with rings; in some of them no free ports meet, in others loops are in line.
RING_SEEDS = range(50)


@pytest.mark.parametrize("seed", range(100))
def test_dynamics_are_those_of_pinocchio_and_of_the_composition(seed):
    assembly = random_assembly(seed)
    graph = assembly.graph().tree
    state = random_state(graph, seed)
    tau, pinocchio = md.inverse_dynamics(graph, *state), PinocchioTree(graph)
    assert_close(tau, pinocchio.inverse_dynamics(*state), 1e-10)
    assert_close(tau, md.compose(graph, *state).tau, 1e-10)
    M = md.mass_matrix(graph, state[0])
    assert_close(M, pinocchio.mass_matrix(state[0]), 1e-10)
    assert np.abs(M - M.T).max(initial=0.0) <= 1e-14 * np.abs(M).max(initial=0.0)
    if graph.nv:
        assert np.linalg.eigvalsh(M)[0] > 0.0


def regular_ring(seed):
    """A graph with rings, and a configuration in which they are closed and regular; None: none was found."""
    assembly = random_assembly(seed, rings=2, kinds=KINDS[1 + seed % 2])
    if not assembly.graph().loop_joints:
        return None
    rng = np.random.default_rng(seed)
    for _ in range(3):
        graph = assembly.graph()
        start = graph.integrate(graph.neutral(), 0.3 * rng.normal(size=graph.nv))
        closed = md.assemble(graph, start).coordinates
        sizes = np.linalg.svd(SaddlePoint(graph, closed, np.zeros(graph.nv)).J, compute_uv=False)
        if not ((sizes > 1e-12 * sizes[0]) & (sizes < 1e-3 * sizes[0])).any():
            return assembly.graph(guess=closed), closed
    return None


def test_rings_move_as_pinocchios_constraints_allow():
    compared = 0
    for seed in RING_SEEDS:
        if (drawn := regular_ring(seed)) is not None:
            assert_moves_as_pinocchio_allows(*drawn, seed)
            compared += 1
    assert compared >= 20

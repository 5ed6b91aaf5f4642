"""The description of an assembly in force: its stamp, and rings."""

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.modular import Assembly
from modular_dynamics.urdf import description_header
from modular_dynamics_ros.assembly.live_assembly import LiveAssembly, description_of
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings

pytestmark = pytest.mark.ros


def snake(count):
    assembly = Assembly(("v0", "backbone"))
    for k in range(1, count):
        assembly = assembly.dock(f"v{k - 1}", 3, f"v{k}", 4, kind="backbone")
    return assembly


def ring():
    """Six modules in a rectangle, each with two joints but the base: ten joints, six conditions."""
    assembly = Assembly(("v0", "backbone"))
    for k, port in enumerate("33223"):
        assembly = assembly.dock(f"v{k}", port, f"v{k + 1}", 4, kind="scout")
    return assembly.dock("v5", 2, "v0", 2)


def test_the_description_is_the_assembly_and_says_since_when():
    assembly = snake(4)
    live = LiveAssembly.of(assembly, 3, 12_000_000_034)
    assert description_header(live.urdf).stamp == 12_000_000_034
    graph = md.load_urdf(live.urdf)
    q = np.array([0.3, -0.2, 0.5])
    expected = md.inverse_dynamics(assembly.graph(), q, q, q)
    np.testing.assert_allclose(md.inverse_dynamics(graph, q, q, q), expected, rtol=1e-12, atol=1e-14)
    assert live.joint_names == graph.joint_names == ("v1/bend", "v2/bend", "v3/bend")
    assert live.root_link == graph.ground.name


def test_what_a_ring_moves_is_passive_so_that_nodes_can_use_it():
    assembly = ring()
    graph, robot = assembly.graph(), load_robot(description_of(assembly))
    assert robot.closed
    assert robot.joint_names == graph.independent_joint_names
    assert set(robot.passive_names) == set(graph.joint_names) - set(graph.independent_joint_names)
    Computation(robot, ComputationSettings())  # its loops close


def test_an_assembly_without_joints_is_marked_as_one_that_changes():
    live = LiveAssembly.of(Assembly(("v0", "block")), 0, 7)
    assert live.joint_names == ()
    assert description_header(live.urdf).stamp == 7

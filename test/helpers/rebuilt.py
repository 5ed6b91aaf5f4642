"""Assemblies docked again from their own lists of dockings, and graphs compared bit by bit."""

from modular_dynamics import modular
from modular_dynamics.dynamics.core_robot import robot_arrays


def rebuilt(assembly):
    """The same assembly, docked module by module."""
    base = assembly.base, assembly.kinds[assembly.base]
    types = {**assembly.types}
    fresh = modular.Assembly(base, mount=assembly.mount, types=types, name=assembly.name)
    for docking in (*assembly.dockings, *assembly.rings):
        kind = None if docking.module in fresh else assembly.kinds[docking.module]
        fresh = fresh.dock(*docking[:4], kind=kind, turn=docking.turn)
    return fresh


def assert_same_to_the_bit(graph, other):
    """Both graphs print the same, are written as the same URDF, and have the same arrays in the core."""
    assert str(graph) == str(other)
    assert graph.to_urdf() == other.to_urdf()
    assert graph.independent == other.independent
    arrays, theirs = robot_arrays(graph.tree), robot_arrays(other.tree)
    assert {name: x.tobytes() for name, x in arrays.items()} == {
        name: x.tobytes() for name, x in theirs.items()
    }

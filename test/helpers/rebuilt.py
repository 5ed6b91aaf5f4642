"""Assemblies built anew from what they say of themselves, and graphs compared to the bit."""

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
    """Names, subsystems, loops, and all arrays that the core reads."""
    assert graph.joint_names == other.joint_names
    assert graph.links == other.links
    assert graph.parents == other.parents
    assert graph.independent == other.independent
    assert str(graph) == str(other)
    for one, its in zip(graph.subsystems, other.subsystems, strict=True):
        assert (one.name, one.first, one.predecessor, one.root_link) == (
            its.name,
            its.first,
            its.predecessor,
            its.root_link,
        )
        assert one.connection.x_body_connection == its.connection.x_body_connection
    for one, its in zip(graph.loop_joints, other.loop_joints, strict=True):
        assert (one.name, one.predecessor.link, one.successor.link) == (
            its.name,
            its.predecessor.link,
            its.successor.link,
        )
        assert [end.x_link_anchor for end in one.anchors] == [end.x_link_anchor for end in its.anchors]
    arrays, theirs = robot_arrays(graph.tree), robot_arrays(other.tree)
    assert {name: x.tobytes() for name, x in arrays.items()} == {
        name: x.tobytes() for name, x in theirs.items()
    }
    for one, its in zip((graph.ground, *graph.bodies), (other.ground, *other.bodies), strict=True):
        assert (one.mass, one.com.tobytes(), one.inertia.tobytes()) == (
            its.mass,
            its.com.tobytes(),
            its.inertia.tobytes(),
        )
        assert dict(one.links) == dict(its.links)

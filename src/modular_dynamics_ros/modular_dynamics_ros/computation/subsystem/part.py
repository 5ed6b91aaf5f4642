"""One subsystem cut out of a robot: its joints and bodies, carried by the link of its connection point.

The link that carries the connection point floats, without mass, in the part's graph; the motion at the
connection point moves it, and what the floating joint must exert is the connection wrench (Silva & Adorno,
section II: a subsystem needs no more of the others than this motion and its successors' wrenches).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import modular_dynamics as md
from modular_dynamics.algebra import DualQuaternion
from modular_dynamics.model import Anchor, Body, Connection
from modular_dynamics_ros.computation.robot import CONNECTION_POINT, Robot, robot_of
from modular_dynamics_ros.computation.subsystem.motion import ConnectionPoint, connection_point_of
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import RobotError, SettingError, listed


@dataclass(frozen=True, eq=False)
class SubsystemPart:
    """A subsystem and what it exchanges with others.

    Attributes:
        robot: the part alone, on a floating joint. whole: all subsystems.
        root: the whole robot's root link, in whose frame poses and gravity are.
        connection: its own connection point. predecessor: that carries it; None: the ground.
        x_root_connection: where the ground carries it; None where a predecessor does.
        successors: the connection points that it carries.
        robot_names: the joints that joint states of the whole robot hold. other_joints: all of other
            subsystems.
    """

    name: str
    robot: Robot
    whole: md.SubsystemGraph
    root: str
    gravity: Array
    connection: ConnectionPoint
    predecessor: str | None
    x_root_connection: DualQuaternion | None
    successors: tuple[ConnectionPoint, ...]
    robot_names: tuple[str, ...]
    other_joints: frozenset[str]

    @property
    def neighbours(self) -> tuple[str, ...]:
        """Subsystems that exchange motions and wrenches with it: predecessor, then successors."""
        predecessor = () if self.predecessor is None else (self.predecessor,)
        return (*predecessor, *(one.subsystem for one in self.successors))


def subsystem_part(robot: Robot, name: str) -> SubsystemPart:
    """Return the part of a subsystem.

    Raises:
        SettingError: there is no such subsystem, or it is a black box.
        RobotError: something besides joints connects two subsystems.
    """
    graph = robot.graph
    names = [subsystem.name for subsystem in graph.subsystems]
    if name not in names:
        raise SettingError(f"'{graph.name}' has no subsystem '{name}'; it has {', '.join(names)}")
    subsystem = graph.subsystem(name)
    if subsystem.black_box:
        text = "its model is not in the description; another program must publish its wrench_out"
        raise SettingError(f"the subsystem '{name}' of '{graph.name}' is a black box: {text}")
    refuse_shared_elements(graph)
    own = connection_point_of(graph, subsystem)
    before = graph.predecessor(subsystem)
    carried = [one for one in graph.subsystems if graph.predecessor(one) is subsystem]
    part = _part_graph(graph, subsystem, own)
    others = {joint.name for joint in graph.joints} - {joint.name for joint in subsystem.joints}
    at = "the ground" if before is None else f"'{before.name}'"
    carries = f"carries {listed([one.name for one in carried])}" if carried else "carries none"
    alone = robot_of(part, CONNECTION_POINT, robot.frame_prefix)
    about = f"subsystem '{name}' of '{graph.name}': {len(subsystem.joints)} joints, on {at}; it {carries}"
    connection = subsystem.connection
    return SubsystemPart(
        name,
        replace(alone, about=about),
        graph,
        graph.ground.name,
        np.array(graph.gravity),
        own,
        None if before is None else before.name,
        connection.x_body_connection if before is None else None,
        tuple(connection_point_of(graph, one) for one in carried),
        tuple(dict.fromkeys((*robot.state_names, *alone.state_names))),
        frozenset(others),
    )


def _part_graph(graph: md.SubsystemGraph, subsystem: md.Subsystem, own: ConnectionPoint) -> md.SubsystemGraph:
    """Return the subsystem's joints and bodies on a floating joint at its connection point's link.

    There is no gravity: the floating joint accelerates against it.
    """
    x_link_body = graph.link_pose(own.link)[1].conjugate()
    floating = _floating_joint(subsystem, own.link)
    joints, parents = [floating], list[int | None]([None])
    for k in subsystem.indices:
        above, joint = graph.parents[k], graph.joints[k]
        if above is not None and above in subsystem.indices:
            parents.append(above - subsystem.first + 1)
            joints.append(joint)
        else:
            parents.append(0)
            joints.append(replace(joint, x_parent_joint=x_link_body * joint.x_parent_joint))
    bodies = (Body(own.link, own.links), *subsystem.bodies)  # the first one has no mass
    ground = Body(floating.parent_link, {floating.parent_link: DualQuaternion.identity})
    one = DualQuaternion.identity
    whole = replace(
        subsystem,
        first=0,
        joints=tuple(joints),
        bodies=bodies,
        connection=Connection(floating.parent_link, None, one, one),
        predecessor=None,
        root_link=own.link,
    )
    names = {joint.name for joint in subsystem.joints}
    independent = graph.independent
    changed: dict[str, Any] = {
        "loop_joints": tuple(one for one in graph.loop_joints if _within(one.anchors, subsystem, own)),
        "springs": tuple(one for one in graph.springs if _within(one.anchors, subsystem, own)),
        "gears": tuple(gear for gear in graph.gears if gear.joint in names),
        "passive_joints": tuple(name for name in graph.passive_joints if name in names),
        "independent": independent and (floating.name, *(name for name in independent if name in names)),
    }
    return md.SubsystemGraph(
        name=graph.name,
        joints=tuple(joints),
        bodies=bodies,
        parents=tuple(parents),
        subsystems=(whole,),
        joint_names=(floating.name, *(name for name in graph.joint_names if name in names)),
        gravity=np.zeros(3),
        ground=ground,
        warnings=graph.warnings,
        notes=graph.notes,
        **changed,
    )


def _floating_joint(subsystem: md.Subsystem, link: str) -> md.Joint:
    """Return a floating joint; its names contain a newline, so no URDF can have them."""
    at = f"connection point\n{subsystem.name}"
    one = DualQuaternion.identity
    return md.Joint(
        at, md.JointType.FLOATING, f"root\n{subsystem.name}", link, one, np.array([0.0, 0.0, 1.0])
    )


def _within(anchors: tuple[Anchor, Anchor], subsystem: md.Subsystem, own: ConnectionPoint) -> bool:
    """Return whether an element belongs to a subsystem: one end on it, the other on it or its carrier."""
    ends = {anchor.link for anchor in anchors}
    links = {link for body in subsystem.bodies for link in body.links}
    return bool(ends & links) and ends <= links.union(own.links)


def refuse_shared_elements(graph: md.SubsystemGraph) -> None:
    """Reject elements between subsystems, which can exchange wrenches only at connection points.

    Raises:
        RobotError: a loop joint, spring, gear or mimic joint connects two subsystems, unless one end is on
            the body that carries the other subsystem's connection point.
    """
    if texts := list(_shared(graph)):
        raise RobotError(
            f"'{graph.name}' cannot be computed subsystem by subsystem: {'; '.join(texts)}. Put what is "
            "connected into one subsystem, or use dynamics_node"
        )


def _shared(graph: md.SubsystemGraph) -> Iterator[str]:
    owner = {joint.name: one.name for one in graph.subsystems for joint in one.joints}
    attached = [(one, connection_point_of(graph, one)) for one in graph.subsystems]
    for kind, elements in (("loop joint", graph.loop_joints), ("spring", graph.springs)):
        for element in elements:
            if not any(_within(element.anchors, *one) for one in attached):
                ends = [anchor.link for anchor in element.anchors]
                yield f"{kind} '{element.name}' connects {listed(ends)} of two subsystems"
    for gear in graph.gears:
        drivers = [name for name, _ in gear.drivers if owner[name] != owner[gear.joint]]
        if drivers:
            yield f"gear '{gear.joint}' is driven by {listed(drivers)} of another subsystem"
    for joint in graph.joints:
        if joint.mimic is not None and owner[joint.mimic.joint] != owner[joint.name]:
            yield f"joint '{joint.name}' mimics '{joint.mimic.joint}' of another subsystem"

"""Checks of arguments: wrenches, and graphs for which a quantity is not defined."""

from collections.abc import Collection, Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra import DualQuaternion, adjoint
from ..exceptions import StateError, UnsupportedModelError
from .graph import SubsystemGraph
from .number_arrays import number_array
from .structure import body_of_link, closing_elements, require_graph


def refuse_closures(graph: SubsystemGraph, computation: str) -> None:
    """Raise UnsupportedModelError if the graph has loop joints, passive joints, gears or springs."""
    require_graph(graph)
    if graph.has_loops:
        present = [f"{kind} {', '.join(names)}" for kind, names in closing_elements(graph).items()]
        raise UnsupportedModelError(
            f"{computation} of '{graph.name}' is not supported: it has {'; '.join(present)}; "
            "graph.tree is the open tree"
        )


def refuse_black_boxes(graph: SubsystemGraph, quantity: str, instead: str = "") -> None:
    """Raise StateError if the graph has black boxes, whose masses are unknown.

    Args:
        instead: advice, added to the message after a semicolon.
    """
    require_graph(graph)
    names = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
    if names:
        advice = f"; {instead}" if instead else ""
        text = f"{quantity} of '{graph.name}' is not known: its black boxes are {', '.join(names)}"
        raise StateError(f"{text}{advice}")


def _checked_wrench(what: str, wrench: ArrayLike) -> NDArray[np.float64]:
    """Return [force N, moment N m] as an array (6,). Raises StateError: not six finite numbers."""
    try:
        values = number_array(what, wrench)
    except StateError:
        values = np.empty(0)
    if values.shape != (6,) or not np.isfinite(values).all():
        raise StateError(f"{what} is {wrench!r}; six finite numbers are needed: force [N], moment [N m]")
    return values


def _require_mapping(what: str, wrenches: object) -> None:
    """Raise StateError unless it is a mapping."""
    if not isinstance(wrenches, Mapping):
        raise StateError(f"{what} is {wrenches!r}; a mapping of names to [force, moment] is needed")


def link_wrenches(external: Mapping[str, ArrayLike]) -> dict[str, NDArray[np.float64]]:
    """Return external wrenches {link: [force, moment]} as arrays (6,).

    Raises:
        StateError: not a mapping, or not six finite numbers.
    """
    _require_mapping("external_wrenches", external)
    return {
        link: _checked_wrench(f"external wrench on link '{link}'", wrench)
        for link, wrench in external.items()
    }


def carrying_body(graph: SubsystemGraph, link: str) -> int | None:
    """Return the index of the body that a link belongs to; None: the ground. Raises StateError: unknown."""
    try:
        return body_of_link(graph, link)
    except KeyError as error:
        raise StateError(str(error.args[0])) from None


def body_loads(graph: SubsystemGraph, external: Mapping[str, ArrayLike]) -> dict[int, DualQuaternion]:
    """Return external wrenches {link: [force, moment]} as f + eps m on bodies, in the body's frame, summed.

    Wrenches on the ground are left out: no joint transmits them.

    Raises:
        StateError: an unknown link, or not six finite numbers.
    """
    loads: dict[int, DualQuaternion] = {}
    for link, wrench in link_wrenches(external).items():
        body = carrying_body(graph, link)
        if body is not None:
            moved = adjoint(graph.bodies[body].links[link], DualQuaternion.pure(wrench[:3], wrench[3:]))
            loads[body] = loads[body] + moved if body in loads else moved
    return loads


def black_box_wrenches(graph: SubsystemGraph, boxes: Mapping[str, ArrayLike]) -> dict[str, DualQuaternion]:
    """Return wrenches {subsystem: [force, moment]} of black boxes as f + eps m in their connection frames.

    Raises:
        StateError: an unknown subsystem, not six finite numbers, or none for one that is tagged black_box.
    """
    _require_mapping("black_box_wrenches", boxes)
    names = [subsystem.name for subsystem in graph.subsystems]
    for name in boxes:
        if name not in names:
            raise StateError(f"no subsystem '{name}' in '{graph.name}'; its subsystems: {', '.join(names)}")
    for subsystem in graph.subsystems:
        if subsystem.black_box and subsystem.name not in boxes:
            raise StateError(
                f"subsystem '{subsystem.name}' is a black box: its wrench is needed in black_box_wrenches"
            )
    numbers = {
        name: _checked_wrench(f"wrench of black box '{name}'", wrench) for name, wrench in boxes.items()
    }
    return {name: DualQuaternion.pure(wrench[:3], wrench[3:]) for name, wrench in numbers.items()}


def black_box_loads(
    graph: SubsystemGraph, wrenches: Mapping[str, DualQuaternion]
) -> Iterator[tuple[int, DualQuaternion]]:
    """Yield the wrenches of black boxes on the bodies that carry them, as (body, -Ad(x) zeta), in its frame.

    A black box that is carried by another one is left out: the given wrench of that one includes it.
    """
    for name, zeta in wrenches.items():
        subsystem = graph.subsystem(name)
        body, before = subsystem.connection.body, graph.predecessor(subsystem)
        if body is not None and (before is None or before.name not in wrenches):
            yield body, -adjoint(subsystem.connection.x_body_connection, zeta)


# Robots whose whole state a sensor_msgs/JointState can hold: it has one position for each joint. The nodes
# refuse other robots, and `modular-dynamics check` names the obstacle.


def root_floating_joints(graph: SubsystemGraph) -> list[str]:
    """Return names of the floating joints on the ground that are not passive."""
    return [
        joint.name
        for joint, parent in zip(graph.joints, graph.parents, strict=True)
        if joint.type.value == "floating" and parent is None and joint.name not in graph.passive_joints
    ]


def joint_state_obstacle(graph: SubsystemGraph, known: Collection[str] = ()) -> str:
    """Return why joint states do not describe a robot: joints with several coordinates; empty if they do.

    Args:
        known: joints whose state comes from elsewhere, as that of a floating base from odometry.
    """
    passive = {*known, *graph.passive_joints}
    several = [joint for joint in graph.joints if joint.type.nv > 1 and joint.name not in passive]
    if not several:
        return ""
    names = ", ".join(f"'{joint.name}'" for joint in several)
    of_base = several[0].name in root_floating_joints(graph)
    hint = "; floating_base:=true takes it from odometry" if of_base else ""
    return (
        f"{several[0].type.value} joint {names}: joint_states cannot "
        f"carry its state{hint}; a joint that is not passive needs exactly one coordinate"
    )


def without_torques(graph: SubsystemGraph, known: Collection[str] = ()) -> str:
    """Return why no joint's torque can be computed; empty if some can. ``known``: as just above."""
    inside = {joint.name for box in graph.subsystems if box.black_box for joint in box.joints}
    if any(name not in inside and name not in known for name in graph.independent_joint_names):
        return ""
    if graph.joints and len(inside) < len(graph.joints):
        return (
            f"all joints of '{graph.name}' are passive, geared or in black boxes: no torque can be computed; "
            "the joints with motors must not be <passive>"
        )
    return f"'{graph.name}' has no moving joint outside black boxes: no torque can be computed"

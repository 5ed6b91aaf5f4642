"""Checks of what callers pass: wrenches, and graphs that an algorithm cannot treat."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra import DualQuaternion, adjoint
from ..exceptions import StateError, UnsupportedModelError
from .graph import SubsystemGraph
from .number_arrays import number_array
from .structure import body_of_link, closing_elements, require_graph

__all__ = [
    "black_box_loads",
    "black_box_wrenches",
    "body_loads",
    "carrying_body",
    "link_wrenches",
    "refuse_black_boxes",
    "refuse_closures",
    "require_graph",
]


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
        instead: what a user can do, behind a semicolon of the message.
    """
    require_graph(graph)
    names = [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]
    if names:
        advice = f"; {instead}" if instead else ""
        text = f"{quantity} of '{graph.name}' is not known: its black boxes are {', '.join(names)}"
        raise StateError(f"{text}{advice}")


def _wrench(what: str, wrench: ArrayLike) -> NDArray[np.float64]:
    try:
        values = number_array(what, wrench)
    except StateError:
        values = np.empty(0)
    if values.shape != (6,) or not np.isfinite(values).all():
        raise StateError(f"{what} is {wrench!r}; six finite numbers are needed: force [N], moment [N m]")
    return values


def _mapping(what: str, wrenches: object) -> None:
    if not isinstance(wrenches, Mapping):
        raise StateError(f"{what} is {wrenches!r}; a mapping of names to [force, moment] is needed")


def link_wrenches(external: Mapping[str, ArrayLike]) -> dict[str, NDArray[np.float64]]:
    """Return external wrenches {link: [force, moment]} as arrays (6,).

    Raises:
        StateError: not a mapping, or not six finite numbers.
    """
    _mapping("external_wrenches", external)
    try:
        array = number_array("external_wrenches", [*external.values()])  # one check of all wrenches is faster
    except StateError:
        array = np.empty(0)
    if array.shape == (len(external), 6) and np.isfinite(array).all():
        return dict(zip(external, array, strict=True))
    return {link: _wrench(f"external wrench on link '{link}'", wrench) for link, wrench in external.items()}


def carrying_body(graph: SubsystemGraph, link: str) -> int | None:
    """Return index of the body to which a link belongs; None for the ground. Raises StateError: unknown."""
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
    _mapping("black_box_wrenches", boxes)
    names = [subsystem.name for subsystem in graph.subsystems]
    for name in boxes:
        if name not in names:
            raise StateError(f"no subsystem '{name}' in '{graph.name}'; its subsystems: {', '.join(names)}")
    for subsystem in graph.subsystems:
        if subsystem.black_box and subsystem.name not in boxes:
            raise StateError(
                f"subsystem '{subsystem.name}' is a black box: its wrench is needed in black_box_wrenches"
            )
    numbers = {name: _wrench(f"wrench of black box '{name}'", wrench) for name, wrench in boxes.items()}
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

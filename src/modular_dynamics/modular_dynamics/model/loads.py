"""Wrenches given from outside, checked: on links, and at the connection points of black boxes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..algebra import DualQuaternion, adjoint
from ..exceptions import StateError
from .graph import SubsystemGraph

__all__ = ["black_box_loads", "black_box_wrenches", "body_loads"]


def _wrench(what: str, wrench: ArrayLike) -> DualQuaternion:
    try:
        values = np.asarray(wrench, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (6,) or not np.isfinite(values).all():
        raise StateError(f"{what} is {wrench!r}; six finite numbers are needed: force [N], moment [N m]")
    return DualQuaternion.pure(values[:3], values[3:])


def _mapping(what: str, wrenches: object) -> None:
    if not isinstance(wrenches, Mapping):
        raise StateError(f"{what} is {wrenches!r}; a mapping of names to [force, moment] is needed")


def body_loads(graph: SubsystemGraph, external: Mapping[str, ArrayLike]) -> dict[int, DualQuaternion]:
    """External wrenches {link: [force, moment]} as f + eps m on bodies, in the body's frame, summed.

    What acts on the ground is left out: no joint bears it.

    Raises:
        StateError: an unknown link, or not six finite numbers.
    """
    _mapping("external_wrenches", external)
    loads: dict[int, DualQuaternion] = {}
    for link, wrench in external.items():
        try:
            body = graph.link_body(link)
        except KeyError as error:
            raise StateError(str(error.args[0])) from None
        zeta = _wrench(f"external wrench on link '{link}'", wrench)
        if body is not None:
            moved = adjoint(graph.bodies[body].links[link], zeta)
            loads[body] = loads[body] + moved if body in loads else moved
    return loads


def black_box_wrenches(graph: SubsystemGraph, boxes: Mapping[str, ArrayLike]) -> dict[str, DualQuaternion]:
    """Wrenches {subsystem: [force, moment]} of black boxes as f + eps m in their connection frames.

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
    return {name: _wrench(f"wrench of black box '{name}'", wrench) for name, wrench in boxes.items()}


def black_box_loads(
    graph: SubsystemGraph, wrenches: Mapping[str, DualQuaternion]
) -> dict[int, DualQuaternion]:
    """What black boxes exert on the bodies that carry them, in the body's frame, summed: -Ad(x) zeta.

    A black box that is carried by another one is left out: the given wrench of that one includes it.
    """
    loads: dict[int, DualQuaternion] = {}
    for name, zeta in wrenches.items():
        subsystem = graph.subsystem(name)
        body, before = subsystem.connection.body, subsystem.predecessor
        if body is None or (before is not None and graph.subsystems[before].name in wrenches):
            continue
        load = -adjoint(subsystem.connection.x_body_connection, zeta)
        loads[body] = loads[body] + load if body in loads else load
    return loads

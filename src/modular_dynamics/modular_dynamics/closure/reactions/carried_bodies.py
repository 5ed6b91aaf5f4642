"""Which links of a graph belong to the bodies of some rules, and what connects these bodies."""

from __future__ import annotations

from collections.abc import Mapping

from ...exceptions import StateError, UnsupportedModelError
from ...model import SubsystemGraph
from .sharing_rules import Rules

__all__ = ["carrying_bodies", "rods_between"]


def carrying_bodies(graph: SubsystemGraph, rules: Rules) -> dict[str, str | None]:
    """By link the body of the rules that it is part of, or that carries it; None where there is none.

    Raises:
        StateError: a body of the rules is no moving link of the graph.
    """
    names = [body.name for body in graph.bodies]
    unknown = [body for body in rules.bodies if body not in names]
    if unknown:
        raise StateError(f"'{rules.name}': body '{unknown[0]}' is no moving link of '{graph.name}'")
    carriers: list[str | None] = []
    by_link: dict[str, str | None] = dict.fromkeys(graph.ground.links)
    for k, body in enumerate(graph.bodies):
        parent = graph.parents[k]
        carrier = None if parent is None else carriers[parent]
        carriers.append(body.name if body.name in rules.bodies else carrier)
        by_link.update(dict.fromkeys(body.links, carriers[k]))
    return by_link


def rods_between(graph: SubsystemGraph, rules: Rules, carriers: Mapping[str, str | None]) -> set[str]:
    """Names of the links between a body of the rules and a loop joint or spring to another body.

    Raises:
        UnsupportedModelError: one of them has mass, which rules do not take into account.
    """
    rods = set()
    pairs = [(loop.predecessor, loop.successor) for loop in graph.loop_joints]
    for pair in pairs + [spring.anchors for spring in graph.springs]:
        if len({carriers[anchor.link] for anchor in pair}) > 1:
            for anchor in pair:
                k = graph.link_body(anchor.link)
                while k is not None and carriers[graph.bodies[k].name] not in (None, graph.bodies[k].name):
                    rods.add(graph.bodies[k].name)
                    k = graph.parents[k]
    if heavy := [body.name for body in graph.bodies if body.name in rods and body.mass > 0.0]:
        raise UnsupportedModelError(
            f"'{rules.name}': link '{heavy[0]}' between its bodies has mass; make it one of the bodies of "
            "the rules"
        )
    return rods

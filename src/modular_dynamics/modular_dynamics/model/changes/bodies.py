"""Bodies: the one that carries a link, its links with their masses, and the graph with other bodies."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...algebra import DualQuaternion
from ...exceptions import UnsupportedModelError
from ..inertial import Inertial, Link, is_close, merged
from ..structure import Graph, Structure
from ..subsystem import Body, loaded


def body_at(graph: Structure, index: int | None) -> Body:
    """Return the body with this index; the ground for None."""
    return graph.ground if index is None else graph.bodies[index]


def owner_of(graph: Structure, link: str, change: str) -> int | None:
    """Return the index of the body, with known mass, that a link belongs to; None for the ground.

    Args:
        change: what is done to the link, as the error message begins: "a payload on".

    Raises:
        UnknownNameError: no such link; names the choices.
        UnsupportedModelError: the link belongs to a black box.
    """
    index, _ = graph.link_pose(link)
    for subsystem in graph.subsystems:
        if subsystem.black_box and (link in subsystem.fixed_links or index in subsystem.indices):
            raise UnsupportedModelError(
                f"{change} link '{link}' is not possible: it belongs to the black box '{subsystem.name}', "
                "whose masses are unknown; they are in its wrench"
            )
    return index


def parts_of(body: Body) -> tuple[Link, ...]:
    """Return the links of a body with their own masses, payloads not included.

    Where the masses of single links are not known, or do not add up to the body's because a caller replaced
    the body's numbers, the first link is given the whole mass and the others none.
    """
    bare = body.bare or body
    whole = Inertial(bare.mass, bare.com, bare.inertia)
    if body.parts:
        first, *others = body.parts
        if is_close(merged([(part.inertial, body.links[part.name]) for part in body.parts]), whole):
            return body.parts
        return replace(first, inertial=whole), *(replace(part, inertial=Inertial.none) for part in others)
    unknown = (Link(link, Inertial.none, body.name) for link in body.links if link != body.name)
    return Link(body.name, whole), *unknown


def body_of(
    name: str,
    parts: tuple[Link, ...],
    links: Mapping[str, DualQuaternion],
    payloads: Mapping[str, Inertial],
) -> Body:
    """Return the body made of these links at their poses x_body_link, with payloads on them."""
    whole = merged([(part.inertial, links[part.name]) for part in parts])
    return with_payloads(Body(name, whole.mass, whole.com, whole.inertia, links, parts), payloads)


def with_payloads(bare: Body, payloads: Mapping[str, Inertial]) -> Body:
    """Return the body ``bare``, which has no payloads, with these payloads added."""
    if not payloads:
        return bare
    whole = loaded(bare, payloads)
    return replace(bare, mass=whole.mass, com=whole.com, inertia=whole.inertia, payloads=payloads, bare=bare)


def changed_bodies(graph: Graph, bodies: Mapping[int | None, Body]) -> Graph:
    """Return the graph with other bodies at these indices (None: the ground)."""
    own = [bodies.get(k, body) for k, body in enumerate(graph.bodies)]
    return changed(graph, bodies=tuple(own), ground=bodies.get(None, graph.ground))


def changed(graph: Graph, **fields: Any) -> Graph:
    """Return a new graph with other fields; its ``urdf``, which described the old robot, is empty."""
    return replace(graph, urdf="", **fields)

"""Parameters of links and payloads: mass, centre of mass, inertia about it, all in the link's frame."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ...inertial import Inertial
from ...structure import Graph, Structure, body_of_link
from ..bodies import body_at, body_of, changed_bodies, parts_of, with_payloads
from ..checks import checked_inertial
from ..payload import payloads_of
from .kind import Kind, Parameter, Values

__all__ = ["LINKS", "PAYLOADS"]

_MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")
_QUANTITIES = ("mass", *(f"com {axis}" for axis in "xyz"), *(f"inertia {pair}" for pair in _MOMENTS))
#: Functions between `checked_inertial` and the user's line that calls `with_parameters`.
_DEPTH = 3


def _links(graph: Structure) -> Iterable[str]:
    """Return the names of the links with known masses."""
    inside = {k for box in graph.subsystems if box.black_box for k in box.indices}
    known = (body for k, body in enumerate(graph.bodies) if k not in inside)
    return (part.name for body in (graph.ground, *known) for part in body.parts or parts_of(body))


def _mass_values(inertial: Inertial) -> Values:
    moments = inertial.inertia[np.triu_indices(3)]
    numbers = inertial.mass, *inertial.com.tolist(), *moments.tolist()
    units = "kg", *("m",) * 3, *("kg m^2",) * 6
    return {name: Parameter(*one) for name, *one in zip(_QUANTITIES, numbers, units, strict=True)}


def _with_numbers(what: str, inertial: Inertial, new: dict[str, float]) -> Inertial:
    numbers = {name: value for name, (value, _) in _mass_values(inertial).items()} | new
    mass, x, y, z, xx, xy, xz, yy, yz, zz = numbers.values()
    inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return checked_inertial(what, mass, [x, y, z], inertia, _DEPTH)


def _link_values(graph: Structure, name: str) -> Values:
    body = body_at(graph, body_of_link(graph, name))
    return _mass_values(next(part.inertial for part in parts_of(body) if part.name == name))


def _with_link(graph: Graph, name: str, new: dict[str, float]) -> Graph:
    index = body_of_link(graph, name)
    body = body_at(graph, index)
    parts = list(parts_of(body))
    k = [part.name for part in parts].index(name)
    parts[k] = replace(parts[k], inertial=_with_numbers(f"link '{name}'", parts[k].inertial, new))
    return changed_bodies(graph, {index: body_of(body.name, tuple(parts), body.links, body.payloads)})


def _payload_values(graph: Structure, name: str) -> Values:
    return _mass_values(payloads_of(graph)[name])


def _with_payload(graph: Graph, name: str, new: dict[str, float]) -> Graph:
    index = body_of_link(graph, name)
    body = body_at(graph, index)
    load = _with_numbers(f"the payload on link '{name}'", body.payloads[name], new)
    loads = {**body.payloads, name: load}
    if load.mass == 0.0:
        del loads[name]
    return changed_bodies(graph, {index: with_payloads(body.bare or body, loads)})


LINKS = Kind("link", _QUANTITIES, _links, _link_values, _with_link)
PAYLOADS = Kind("payload", _QUANTITIES, payloads_of, _payload_values, _with_payload)

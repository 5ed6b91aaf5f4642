"""Payloads: masses that are added to a link and can be removed again."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from ...exceptions import ModelError
from ..inertial import Inertial
from ..structure import Graph, Structure
from .bodies import body_at, changed_bodies, owner_of, with_payloads
from .checks import checked_inertial

_AT_ORIGIN, _POINT_MASS = np.zeros(3), np.zeros((3, 3))


def with_payload(
    graph: Graph,
    link: str,
    *,
    mass: float,
    com: ArrayLike = _AT_ORIGIN,
    inertia: ArrayLike = _POINT_MASS,
) -> Graph:
    """Return a new graph: the same robot with a load on a link, which replaces the link's previous load.

    The link's body gets the mass and inertia of body and loads together (Featherstone 2008, eq. 2.63). A load
    on the ground changes no torque.

    Args:
        link: any link, also one that is fixed to others.
        mass: [kg]; 0 removes the load, and the body is exactly what it was.
        com: centre of mass in the link's frame [m].
        inertia: about the centre of mass, in the link's axes [kg m^2], (3, 3); zero: a point mass.

    Raises:
        UnknownNameError: no such link; names the choices.
        ModelError: a negative mass, an inertia that no body has, numbers that are not finite.
        UnsupportedModelError: the link belongs to a black box, whose masses are unknown.
    """
    index = owner_of(graph, link, "a payload on")
    body = body_at(graph, index)
    kept = {name: load for name, load in body.payloads.items() if name != link}
    load = checked_inertial(f"the payload on link '{link}'", mass, com, inertia)
    if load.mass > 0.0:
        kept[link] = load
    elif np.any(load.com) or np.any(load.inertia):
        raise ModelError(
            f"the payload on link '{link}' has no mass, which removes it, but a com or an inertia"
        )
    return changed_bodies(graph, {index: with_payloads(body.bare or body, kept)})


def payloads_of(graph: Structure) -> Mapping[str, Inertial]:
    """Return payloads by link, each in the link's frame."""
    bodies = graph.ground, *graph.bodies
    return MappingProxyType({link: load for body in bodies for link, load in body.payloads.items()})

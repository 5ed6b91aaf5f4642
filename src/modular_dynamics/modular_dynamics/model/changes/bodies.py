"""What changes share: checks of numbers, bodies and their links, graphs with other bodies; and payloads."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import ModelError, ModelWarning, UnsupportedModelError
from ..structure import Graph, Structure
from ..subsystem import Body, Inertial

#: Largest asymmetry or negative moment of an inertia that is rounding, relative to its largest number.
_ROUNDING = 1e-9


def require_mapping(what: str, values: object) -> None:
    """Raise ModelError unless it is a mapping by names."""
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise ModelError(f"{what} are {values!r}; a mapping of names to numbers is needed")


def checked_number(what: str, value: object) -> float:
    """Return the value as a float. Raises ModelError: it is not a finite real number; ``what`` names it."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise ModelError(f"{what} is {value!r}; a number is needed")
    if not np.isfinite(value):
        raise ModelError(f"{what} is {value!r}; a finite number is needed")
    return float(value)


def checked_numbers(what: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a float array. Raises ModelError: another shape, or not finite; ``what`` names it."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty(0)
    if array.dtype.kind not in "fiu" or array.shape != shape or not np.isfinite(array).all():
        shown = values.tolist() if isinstance(values, np.ndarray) else values
        raise ModelError(f"{what} is {shown!r}; finite numbers of the shape {shape} are needed")
    return array.astype(np.float64)


def checked_inertial(what: str, mass: object, com: ArrayLike, inertia: ArrayLike, depth: int = 1) -> Inertial:
    """Return mass [kg], centre of mass [m] and inertia about it [kg m^2] of a body that can exist.

    A point mass, with an inertia of zero, is possible. An inertia that breaks the triangle inequality is a
    :class:`ModelWarning`: vendors publish such numbers.

    Args:
        what: the link or payload, as messages name it. depth: number of functions of the library between this
            one and the user's line, to which the warning refers.

    Raises:
        ModelError: negative mass, an inertia that is not symmetric or has a negative principal moment, or
            numbers that are not finite.
    """
    kilograms = checked_number(f"the mass of {what} [kg]", mass)
    if kilograms < 0.0:
        raise ModelError(f"the mass of {what} is {kilograms:g} kg; it cannot be negative")
    centre = checked_numbers(f"the centre of mass of {what} [m]", com, (3,))
    moments = checked_numbers(f"the inertia of {what} [kg m^2]", inertia, (3, 3))
    rounding = _ROUNDING * float(np.abs(moments).max())
    if np.abs(moments - moments.T).max() > rounding:
        raise ModelError(f"the inertia of {what} is {moments.tolist()}; a symmetric matrix is needed")
    principal = np.linalg.eigvalsh(moments)
    shown = ", ".join(f"{moment:.6g}" for moment in principal)
    if principal[0] < -rounding:
        raise ModelError(
            f"the inertia of {what} has the principal moments {shown} kg m^2; none can be negative "
            "(it is taken about the centre of mass)"
        )
    if principal[2] > principal[0] + principal[1] + rounding:
        warnings.warn(
            f"the inertia of {what} breaks the triangle inequality (principal moments {shown} kg m^2: the "
            "largest exceeds the sum of the others); no rigid body has such an inertia",
            ModelWarning,
            stacklevel=depth + 2,
        )
    return Inertial(kilograms, centre, moments)


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


def changed_bodies(graph: Graph, bodies: Mapping[int | None, Body]) -> Graph:
    """Return the graph with other bodies at these indices (None: the ground)."""
    own = [bodies.get(k, body) for k, body in enumerate(graph.bodies)]
    return changed(graph, bodies=tuple(own), ground=bodies.get(None, graph.ground))


def changed(graph: Graph, **fields: Any) -> Graph:
    """Return a new graph with other fields; its ``urdf``, which described the old robot, is empty."""
    return replace(graph, urdf="", **fields)


# Payloads: masses that are added to a link and can be removed again.

_AT_ORIGIN, _POINT_MASS = np.zeros(3), np.zeros((3, 3))


def with_payload(
    graph: Graph, link: str, *, mass: float, com: ArrayLike = _AT_ORIGIN, inertia: ArrayLike = _POINT_MASS
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
    return changed_bodies(graph, {index: replace(body, payloads=kept)})


def payloads_of(graph: Structure) -> Mapping[str, Inertial]:
    """Return payloads by link, each in the link's frame."""
    bodies = graph.ground, *graph.bodies
    return MappingProxyType({link: load for body in bodies for link, load in body.payloads.items()})

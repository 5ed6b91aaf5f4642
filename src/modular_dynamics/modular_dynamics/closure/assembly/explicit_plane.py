"""Recognises loops that move in a plane, and writes them as chains of turns and shifts in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...algebra import DualQuaternion, to_rotation_translation
from ...model import Anchor, JointType, LoopJoint, SubsystemGraph

__all__ = ["PlanarLoop", "planar_loop"]

Array = NDArray[np.float64]
#: What is off the plane [1 or m] by rounding only.
FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class PlanarLoop:
    """A loop cut open, seen from its predecessor: T_1 .. T_m S = P (kernels/explicit.py).

    Attributes:
        drivers: of each joint of the chain, the one whose coordinate moves it: itself, or what it mimics.
        prismatic (m,): shifts, or turns?
        chain (m, 4): scale and shift of the coordinate, then the centre of the turn [m], or the direction.
        ends (4,): P and S [m], all joints at zero.
    """

    name: str
    drivers: tuple[str, ...]
    prismatic: tuple[bool, ...]
    chain: Array
    ends: Array


def planar_loop(graph: SubsystemGraph, loop: LoopJoint) -> PlanarLoop | None:
    """The chain of a loop in which two points must meet in a plane; None: it is another one.

    All joints between must turn about the plane's normal or shift across it, and the cut must allow all that:
    revolute or planar about the normal, or spherical.
    """
    if loop.type not in {"revolute", "spherical", "planar"}:
        return None
    (turn, P), (turned, S) = (_anchor(graph, anchor) for anchor in (loop.predecessor, loop.successor))
    path = _path(graph, graph.link_pose(loop.predecessor.link)[0], graph.link_pose(loop.successor.link)[0])
    placed = [_placed(graph, k) for k, _ in path]
    axis = turn @ loop.axis
    turns = [about for (k, _), (about, _) in zip(path, placed, strict=True) if not _shifts(graph, k)]
    normal = turns[0] if turns and loop.type == "spherical" else axis
    flat = loop.type == "spherical" or (_across(axis, normal) and _across(turned @ loop.axis, normal))
    flat = flat and (loop.type == "planar" or abs(float((S - P) @ normal)) < FLAT)
    for (k, _), (about, _) in zip(path, placed, strict=True):
        free = graph.joints[k].type is not JointType.FLOATING
        flat = (
            flat
            and free
            and (abs(float(about @ normal)) < FLAT if _shifts(graph, k) else _across(about, normal))
        )
    if not flat:
        return None
    first = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = first - normal * (normal @ first)
    first /= np.linalg.norm(first)
    plane = np.array([first, np.cross(normal, first)])
    chain = np.zeros((len(path), 4))
    for row, (k, sense), (about, origin) in zip(chain, path, placed, strict=True):
        mimic = graph.joints[k].mimic
        row[:2] = (1.0, 0.0) if mimic is None else (mimic.multiplier, mimic.offset)
        row[:2] *= sense if _shifts(graph, k) else sense * np.sign(about @ normal)
        row[2:] = plane @ (about if _shifts(graph, k) else origin - P)
    return PlanarLoop(
        loop.name,
        tuple(graph.driver(graph.joints[k]) for k, _ in path),
        tuple(_shifts(graph, k) for k, _ in path),
        chain,
        np.concatenate([np.zeros(2), plane @ (S - P)]),
    )


def _shifts(graph: SubsystemGraph, k: int) -> bool:
    return graph.joints[k].type is JointType.PRISMATIC


def _across(axis: Array, normal: Array) -> bool:
    """Does it stand upright on the plane?"""
    return float(np.linalg.norm(np.cross(axis, normal))) < FLAT


def _path(graph: SubsystemGraph, before: int | None, after: int | None) -> list[tuple[int, float]]:
    """Joints from a body inward to where the other's come, then outward, with the sense of their motion."""
    inward, outward = _to_ground(graph, before), _to_ground(graph, after)
    return [(k, -1.0) for k in inward if k not in outward] + [
        (k, 1.0) for k in reversed(outward) if k not in inward
    ]


def _to_ground(graph: SubsystemGraph, body: int | None) -> list[int]:
    chain = []
    while body is not None:
        chain.append(body)
        body = graph.parents[body]
    return chain


def _pose(graph: SubsystemGraph, body: int | None) -> DualQuaternion:
    """x_root_body with all joints at zero."""
    x = graph.link_pose(graph.links[0])[1]
    for k in reversed(_to_ground(graph, body)):
        x = x * graph.joints[k].x_parent_joint
    return x


def _placed(graph: SubsystemGraph, k: int) -> tuple[Array, Array]:
    """Axis and origin of a joint in the root link's frame, all joints at zero."""
    rotation, origin = to_rotation_translation(_pose(graph, k))
    return rotation @ graph.joints[k].axis, origin


def _anchor(graph: SubsystemGraph, anchor: Anchor) -> tuple[Array, Array]:
    body, x_body_link = graph.link_pose(anchor.link)
    return to_rotation_translation(_pose(graph, body) * x_body_link * anchor.x_link_anchor)

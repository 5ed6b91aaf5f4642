"""Equilibrium of the bodies of a mechanism as D = E x (see sharing.py): bodies cut free of their joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..exceptions import StateError
from .sharing_rules import JointRule, Rules

__all__ = ["FreeBodies", "Situation", "crossed", "free_bodies"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Situation:
    """The instant at which reactions are wanted, in one common frame unless said otherwise.

    Attributes:
        rotations, origins: of each body, and of what else joints name as ``axes`` or have coordinates in:
            (3, 3), (3,).
        demands: by body, the wrench that its joints have to give in total: [force N, moment N m] at its
            origin in its own axes.
        known: by joint, what a step 'known' takes [N or N m]: the tension of a spring.
        points: by joint, where ``at`` and ``from`` are names: ``from`` and ``at``, (2, 3).
    """

    rotations: Mapping[str, ArrayLike]
    origins: Mapping[str, ArrayLike]
    demands: Mapping[str, ArrayLike]
    known: Mapping[str, float] = field(default_factory=dict)
    points: Mapping[str, ArrayLike] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class FreeBodies:
    """A situation as arrays; n components are borne (``rules.unknowns``).

    Attributes:
        forces, moments (n, 3): of each component, per unit, in the common frame.
        axes, at: by joint, the axes of its components (3, 3) and its point (3,).
        rotations, origins: of each body, in the rules' order.
        matrix (6 bodies, n): E. demands (6 bodies,): D.
    """

    forces: Array
    moments: Array
    axes: Mapping[str, Array]
    at: Mapping[str, Array]
    rotations: tuple[Array, ...]
    origins: tuple[Array, ...]
    matrix: Array
    demands: Array

    def balance(self, body: int, component: str, axes: Array, about: Array) -> tuple[Array, float]:
        """One equation of a body: coefficients (n,), and what they have to come to.

        ``component`` is F or M with its axis among ``axes``; moments are taken about a point.
        """
        E, D = self.matrix[6 * body : 6 * body + 6], self.demands[6 * body : 6 * body + 6]
        R, o = self.rotations[body], self.origins[body]
        unit = R.T @ axes[:, "xyz".index(component[1])]
        if component[0] == "F":
            return unit @ E[:3], float(unit @ D[:3])
        swing = crossed(unit, R.T @ (o - about))  # u . (m + (o - Q) x f) = u . m + (u x (o - Q)) . f
        return unit @ E[3:] + swing @ E[:3], float(unit @ D[3:] + swing @ D[:3])


def crossed(a: Array, b: Array) -> Array:
    """a x b of single vectors: ten times as fast as np.cross, which is made for many."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def free_bodies(rules: Rules, situation: Situation) -> FreeBodies:
    """Cut the bodies free. Raises StateError: the situation lacks something, or a line has no length."""
    unknowns = rules.unknowns
    column, row = {u: k for k, u in enumerate(unknowns)}, {body: k for k, body in enumerate(rules.bodies)}
    look = _Look(rules, situation)
    forces, moments = np.zeros((len(unknowns), 3)), np.zeros((len(unknowns), 3))
    points, signs = np.zeros((len(unknowns), 3)), np.zeros((len(rules.bodies), len(unknowns)))
    axes, at = {}, {}
    for joint in rules.joints.values():
        axes[joint.name] = look.up("rotations", joint.axes)
        at[joint.name] = look.end(joint)
        for component in joint.bears:
            k = column[joint.name, component]
            points[k] = at[joint.name]
            if component in ("push", "pull"):
                forces[k] = look.line(joint) if component == "push" else -look.line(joint)
            else:
                unit = axes[joint.name][:, "xyz".index(component[1])]
                (forces if component[0] == "F" else moments)[k] = unit
            signs[row[joint.on], k] += 1.0
            if joint.by in row:
                signs[row[joint.by], k] -= 1.0
    rotations = tuple(look.up("rotations", body) for body in rules.bodies)
    origins = tuple(look.up("origins", body) for body in rules.bodies)
    matrix = np.zeros((6 * len(row), len(unknowns)))
    for b, (R, o) in enumerate(zip(rotations, origins, strict=True)):
        matrix[6 * b : 6 * b + 3] = signs[b] * (R.T @ forces.T)
        matrix[6 * b + 3 : 6 * b + 6] = signs[b] * (R.T @ (moments + np.cross(points - o, forces)).T)
    demands = np.concatenate([look.up("demands", body) for body in rules.bodies])
    return FreeBodies(forces, moments, axes, at, rotations, origins, matrix, demands)


class _Look:
    """Into a situation: arrays by name, with errors that say what is missing."""

    def __init__(self, rules: Rules, situation: Situation) -> None:
        self.rules, self.situation = rules, situation

    def up(self, table: str, name: str) -> Array:
        shape = {"rotations": (3, 3), "origins": (3,), "demands": (6,), "points": (2, 3)}[table]
        entries: Mapping[str, ArrayLike] = getattr(self.situation, table)
        if name not in entries:
            has = ", ".join(entries) or "nothing"
            raise StateError(f"'{self.rules.name}': the situation's {table} lack '{name}'; they have {has}")
        found = np.asarray(entries[name], np.float64)
        if found.shape != shape or not np.isfinite(found).all():
            raise StateError(
                f"'{self.rules.name}': {table} of '{name}' have shape {found.shape} or are not finite; "
                f"{shape} is needed"
            )
        return found

    def end(self, joint: JointRule) -> Array:
        return self._point(joint, joint.on, joint.at, 1)

    def line(self, joint: JointRule) -> Array:
        """Unit vector from ``from`` to ``at``."""
        line = self.end(joint) - self._point(joint, joint.by, joint.start, 0)
        length = float(np.linalg.norm(line))
        if length == 0.0:
            raise StateError(
                f"joint '{joint.name}': 'from' and 'at' coincide; there is no line to push along"
            )
        return line / length

    def _point(self, joint: JointRule, body: str, place: object, end: int) -> Array:
        if isinstance(place, str):
            found: Array = self.up("points", joint.name)[end]
            return found
        local = np.asarray(place, np.float64)
        return self.up("origins", body) + self.up("rotations", body) @ local

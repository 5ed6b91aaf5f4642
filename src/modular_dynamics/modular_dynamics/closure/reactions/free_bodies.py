"""Equilibrium of the bodies of a mechanism as D = E x (see sharing.py): bodies cut free of their joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import StateError
from ..cross_products import cross_rows
from .sharing_rules import JointRule, Place, Rules

__all__ = ["Cuts", "FreeBodies", "Situation", "free_bodies"]

Array = NDArray[np.float64]
Places = NDArray[np.int64]
AXES = "xyz"
SHAPES = {"rotations": (3, 3), "origins": (3,), "demands": (6,), "points": (2, 3)}


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
    """A situation as arrays: of b bodies, j joints, and n components that are borne (``rules.unknowns``).

    Attributes:
        forces, moments (n, 3): of each component, per unit, in the common frame.
        axes (j, 3, 3), at (j, 3): of each joint, the axes of its components and its point.
        rotations (b, 3, 3), origins (b, 3): of each body.
        matrix (6 b, n): E. demands (6 b,): D.
    """

    forces: Array
    moments: Array
    axes: Array
    at: Array
    rotations: Array
    origins: Array
    matrix: Array
    demands: Array

    def balances(self, bodies: Places, axes: Array, moments: NDArray[np.bool_], about: Array) -> Array:
        """Equations of bodies, one a row: (r, 6), to be multiplied with six rows of E x = D.

        Args:
            bodies (r,): their places. axes (r, 3): unit vectors along which forces, or moments where
                `moments` (r,) says so, are summed; these about points `about` (r, 3).
        """
        onto = np.transpose(self.rotations[bodies], (0, 2, 1))
        units = (onto @ axes[..., None])[..., 0]
        arms = (onto @ (self.origins[bodies] - about)[..., None])[..., 0]
        turning = moments[:, None]
        # u . (m + (o - Q) x f) = u . m + (u x (o - Q)) . f
        swing = np.where(turning, cross_rows(units, arms), units)
        return np.concatenate([swing, np.where(turning, units, 0.0)], axis=1)


def free_bodies(rules: Rules, situation: Situation) -> FreeBodies:
    """Cut the bodies free. Raises StateError: the situation lacks something, or a line has no length."""
    return Cuts(rules)(situation)


class Cuts:
    """Cuts the bodies of some rules free; what does not change with the situation is found once.

    Attributes:
        signs (b, n): s_bk, see sharing.py. of_joints (j, n): 1 where a component is a joint's.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        joints, row = list(rules.joints.values()), {body: k for k, body in enumerate(rules.bodies)}
        unknowns = [(k, joint, c) for k, joint in enumerate(joints) for c in joint.bears]
        self._joint = np.array([k for k, _, _ in unknowns])
        self.of_joints = (self._joint == np.arange(len(joints))[:, None]).astype(float)
        self._axis = np.array([AXES.find(c[-1]) for _, _, c in unknowns])  # -1: along a line
        self._turns = np.array([c[0] == "M" for _, _, c in unknowns])[:, None]
        self._along = np.array([{"push": 1.0, "pull": -1.0}.get(c, 0.0) for _, _, c in unknowns])[:, None]
        self.signs = np.zeros((len(row), len(unknowns)))
        for n, (_, joint, _) in enumerate(unknowns):
            self.signs[row[joint.on], n] += 1.0
            if joint.by in row:
                self.signs[row[joint.by], n] -= 1.0
        self._frames = [joint.axes for joint in joints]
        self._at = _Points(joints, [(j.on, j.at) for j in joints], 1)
        self._lines = np.flatnonzero([bool({"push", "pull"} & set(joint.bears)) for joint in joints])
        lines = [joints[k] for k in self._lines]
        self._starts = _Points(lines, [(j.by, j.start or j.at) for j in lines], 0)

    def __call__(self, situation: Situation) -> FreeBodies:
        """See `free_bodies`."""
        look, rules = _Look(self.rules, situation), self.rules
        R, o = look.up("rotations", rules.bodies), look.up("origins", rules.bodies)
        axes, at = look.up("rotations", self._frames), self._at(look)
        lines = np.zeros((len(at), 3))
        lines[self._lines] = self._directions(at[self._lines] - self._starts(look))
        units = np.where(
            self._axis[:, None] < 0, self._along * lines[self._joint], axes[self._joint, :, self._axis]
        )
        forces, moments = np.where(self._turns, 0.0, units), np.where(self._turns, units, 0.0)
        arms = at[self._joint] - o[:, None]
        swings = moments + cross_rows(arms.reshape(-1, 3), np.tile(forces, (len(o), 1))).reshape(arms.shape)
        felt = np.concatenate([np.broadcast_to(forces, arms.shape) @ R, swings @ R], axis=2)
        matrix = np.transpose(felt * self.signs[..., None], (0, 2, 1)).reshape(-1, len(forces))
        demands = look.up("demands", rules.bodies).reshape(-1)
        return FreeBodies(forces, moments, axes, at, R, o, matrix, demands)

    def _directions(self, lines: Array) -> Array:
        lengths = np.sqrt((lines * lines).sum(axis=1))
        if not lengths.all():
            joint = list(self.rules.joints)[self._lines[int(np.argmin(lengths))]]
            raise StateError(f"joint '{joint}': 'from' and 'at' coincide; there is no line to push along")
        found: Array = lines / lengths[:, None]
        return found


class _Points:
    """Points of joints: by names that a situation knows, or by coordinates in a body."""

    def __init__(self, joints: Sequence[JointRule], places: Sequence[tuple[str, Place]], end: int) -> None:
        named = [isinstance(place, str) for _, place in places]
        self._count, self._end = len(joints), end
        self._named = np.flatnonzero(named)
        self._fixed = np.flatnonzero(np.logical_not(named))
        self._names = [joints[k].name for k in self._named.tolist()]
        self._bodies = [places[k][0] for k in self._fixed.tolist()]
        self._local = np.array([places[k][1] for k in self._fixed.tolist()], np.float64).reshape(-1, 3, 1)

    def __call__(self, look: _Look) -> Array:
        """(count, 3) in the common frame."""
        found = np.empty((self._count, 3))
        if self._names:
            found[self._named] = look.up("points", self._names)[:, self._end]
        if self._bodies:
            R, o = look.up("rotations", self._bodies), look.up("origins", self._bodies)
            found[self._fixed] = o + (R @ self._local)[..., 0]
        return found


class _Look:
    """Into a situation: arrays by name, with errors that say what is missing."""

    def __init__(self, rules: Rules, situation: Situation) -> None:
        self.rules, self.situation = rules, situation

    def up(self, table: str, names: Sequence[str]) -> Array:
        """The entries of these names, one on the other."""
        shape = SHAPES[table]
        entries: Mapping[str, ArrayLike] = getattr(self.situation, table)
        try:
            found = np.array([entries[name] for name in names], np.float64)
        except (KeyError, ValueError):
            found = np.empty(0)  # of different shapes, or something lacks
        if found.shape != (len(names), *shape) or not np.isfinite(found).all():
            for name in names:
                self._check(table, name, shape)
        return found

    def _check(self, table: str, name: str, shape: tuple[int, ...]) -> None:
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

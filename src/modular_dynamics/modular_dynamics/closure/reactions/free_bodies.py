"""Equilibrium of bodies as D = E x (see sharing.py): load cases, and bodies cut free of their joints."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.arrays.arguments import Array
from ...exceptions import StateError
from ...model.number_arrays import number_array
from ..cross_products import cross
from .sharing_rules import Location, Rules

__all__ = ["FreeBodies", "FreeBodyCuts", "LoadCase"]

Indices = NDArray[np.int64]
AXES = "xyz"
#: Of each entry in a table of a load case.
SHAPES = {"rotations": (3, 3), "origins": (3,), "required_wrenches": (6,), "points": (2, 3)}


@dataclass(frozen=True, eq=False)
class LoadCase:
    """The loads and the geometry of one instant, in one common frame unless another one is named.

    Attributes:
        rotations (3, 3), origins (3,): of each body, and of all else that joints use as ``axes`` or have
            coordinates in.
        required_wrenches: by body, the total of its joints' wrenches: [force N, moment N m] at its origin
            in its own axes.
        known: by joint, the force of a step 'known' [N or N m]: the tension of a spring.
        points: by joint, where ``at`` and ``from`` are names: ``from`` and ``at``, (2, 3).
    """

    rotations: Mapping[str, ArrayLike]
    origins: Mapping[str, ArrayLike]
    required_wrenches: Mapping[str, ArrayLike]
    known: Mapping[str, float] = field(default_factory=dict)
    points: Mapping[str, ArrayLike] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class FreeBodies:
    """A load case as arrays: of b bodies, j joints, and n components (``rules.unknowns``).

    Of many load cases, the shapes begin with their number.

    Attributes:
        forces, moments (n, 3): of each component, per unit, in the common frame.
        axes (j, 3, 3), at (j, 3): of each joint, the axes of its components and its point.
        rotations (b, 3, 3), origins (b, 3): of each body.
        matrix (6 b, n): E. required (6 b,): D, the required wrenches.
    """

    forces: Array
    moments: Array
    axes: Array
    at: Array
    rotations: Array
    origins: Array
    matrix: Array
    required: Array

    def balances(self, bodies: Indices, axes: Array, moments: NDArray[np.bool_], about: Array) -> Array:
        """Rows (r, 6) of balance equations of bodies: factors of the six rows of E x = D of the body.

        Args:
            bodies (r,): their indices. axes (r, 3): unit vectors along which forces are summed, or moments
                where `moments` (r,) is true, about points `about` (r, 3).
        """
        onto = self.rotations[..., bodies, :, :].swapaxes(-1, -2)
        units = (onto @ axes[..., None])[..., 0]
        arms = (onto @ (self.origins[..., bodies, :] - about)[..., None])[..., 0]
        is_moment = moments[:, None]
        # u . (m + (o - Q) x f) = u . m + (u x (o - Q)) . f
        row_forces = np.where(is_moment, cross(units, arms), units)
        return np.concatenate([row_forces, np.where(is_moment, units, 0.0)], axis=-1)


class FreeBodyCuts:
    """Cuts the bodies of some rules free; what does not depend on the load case is prepared once.

    Attributes:
        signs (b, n): s_bk, see sharing.py. of_joints (j, n): 1 where a component belongs to a joint.
        frames: links whose axes the joints' components have. at, starts: the joints' points, and those from
            which lines lead.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        joints, row = list(rules.joints.values()), {body: k for k, body in enumerate(rules.bodies)}
        unknowns = [(k, joint, c) for k, joint in enumerate(joints) for c in joint.transmits]
        self._joint = np.array([k for k, _, _ in unknowns])
        self.of_joints = (self._joint == np.arange(len(joints))[:, None]).astype(float)
        self._axis = np.array([AXES.find(c[-1]) for _, _, c in unknowns])  # -1: along a line
        self._is_moment = np.array([c[0] == "M" for _, _, c in unknowns])[:, None]
        self._along = np.array([{"push": 1.0, "pull": -1.0}.get(c, 0.0) for _, _, c in unknowns])[:, None]
        self.signs = np.zeros((len(row), len(unknowns)))
        for n, (_, joint, _) in enumerate(unknowns):
            self.signs[row[joint.on], n] += 1.0
            if joint.by in row:
                self.signs[row[joint.by], n] -= 1.0
        self.frames = [joint.axes for joint in joints]
        self.at = Points([(j.name, j.on, j.at) for j in joints], 1)
        self._lines = np.flatnonzero([bool({"push", "pull"} & set(joint.transmits)) for joint in joints])
        lines = [joints[k] for k in self._lines]
        self.starts = Points([(j.name, j.by, j.start or j.at) for j in lines], 0)

    def __call__(self, load_case: LoadCase) -> FreeBodies:
        """Cut the bodies free. Raises StateError: an entry is missing, or a line has no length."""
        stacked, bodies = partial(_stacked, self.rules.name, load_case), self.rules.bodies
        at, starts = self.at(stacked), self.starts(stacked)
        if (joint := self.without_line(at, starts)) is not None:
            raise StateError(f"joint '{joint}': 'from' and 'at' coincide; there is no line to push along")
        R, o, axes = (
            stacked("rotations", bodies),
            stacked("origins", bodies),
            stacked("rotations", self.frames),
        )
        return self.cut(R, o, axes, at, starts, stacked("required_wrenches", bodies))

    def cut(self, R: Array, o: Array, axes: Array, at: Array, starts: Array, required: Array) -> FreeBodies:
        """Cut the bodies free: of one load case, or of many, shapes beginning with their number.

        Args:
            R (b, 3, 3), o (b, 3), required (b, 6): of the bodies. axes (j, 3, 3), at (j, 3): of the joints.
            starts (l, 3): of those joints that push or pull along a line.
        """
        lines, joint = np.zeros(at.shape), self._joint
        vectors = at[..., self._lines, :] - starts
        with np.errstate(invalid="ignore"):  # of no length
            lines[..., self._lines, :] = vectors / np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
        is_line, along = self._axis[:, None] < 0, self._along * lines[..., joint, :]
        units = np.where(is_line, along, axes.swapaxes(-1, -2)[..., joint, self._axis, :])
        forces, moments = np.where(self._is_moment, 0.0, units), np.where(self._is_moment, units, 0.0)
        arms = at[..., None, joint, :] - o[..., None, :]
        about = moments[..., None, :, :] + cross(arms, forces[..., None, :, :])
        wrenches = np.concatenate([forces[..., None, :, :] @ R, about @ R], axis=-1)
        matrix = (wrenches * self.signs[..., None]).swapaxes(-1, -2)
        lead, rows = required.shape[:-2], 6 * required.shape[-2]
        return FreeBodies(
            forces,
            moments,
            axes,
            at,
            R,
            o,
            matrix.reshape(*lead, rows, -1),
            required.reshape(*lead, rows),
        )

    def without_line(self, at: Array, starts: Array) -> str | None:
        """The first joint whose 'from' and 'at' coincide."""
        coincide = (at[self._lines] == starts).all(axis=1)
        return list(self.rules.joints)[self._lines[int(np.argmax(coincide))]] if coincide.any() else None


class Points:
    """Points of joints: by names in the load case, or by coordinates in a body."""

    def __init__(self, locations: Sequence[tuple[str, str, Location]], end: int) -> None:
        """Of (joint, body, location); ``end``: which of the load case's two points of a joint."""
        self._is_named, self._end = np.array([isinstance(at, str) for _, _, at in locations], bool), end
        self._names = [joint for joint, _, at in locations if isinstance(at, str)]
        fixed = [(body, at) for _, body, at in locations if not isinstance(at, str)]
        self._bodies = [body for body, _ in fixed]
        self._local = np.array([at for _, at in fixed], np.float64).reshape(-1, 3, 1)

    def __call__(self, stacked: Callable[[str, Sequence[str]], Array]) -> Array:
        """(count, 3) in the common frame; of many load cases (cases, count, 3)."""
        parts = []
        if self._names:
            parts.append(stacked("points", self._names)[..., self._end, :])
        if self._bodies:
            R, o = stacked("rotations", self._bodies), stacked("origins", self._bodies)
            parts.append(o + (R @ self._local)[..., 0])
        if not parts:
            return np.empty((0, 3))
        joined = np.concatenate(parts, axis=-2)
        points = np.empty_like(joined)
        points[..., np.argsort(~self._is_named, kind="stable"), :] = joined
        return points


def _stacked(rules_name: str, load_case: LoadCase, table: str, names: Sequence[str]) -> Array:
    """The entries of these names in one table of a load case.

    Raises StateError: one is missing, has a wrong shape or is not finite; the message names the rules.
    """
    shape, entries = SHAPES[table], getattr(load_case, table)
    try:
        stack = number_array(table, [entries[name] for name in names])
    except (KeyError, StateError):
        stack = np.empty(0)  # of different shapes, or one is missing
    if stack.shape == (len(names), *shape) and np.isfinite(stack).all():
        return stack
    for name in names:
        if name not in entries:
            raise StateError(
                f"'{rules_name}': the load case has no {table} of '{name}'; it has those of: "
                f"{', '.join(entries) or 'none'}"
            )
        entry = number_array(f"'{rules_name}': {table} of '{name}'", entries[name], "are")
        if entry.shape != shape:
            raise StateError(
                f"'{rules_name}': {table} of '{name}' have shape {entry.shape}; {shape} is needed"
            )
        if not np.isfinite(entry).all():
            raise StateError(f"'{rules_name}': {table} of '{name}' contain NaN or infinite numbers")
    return stack

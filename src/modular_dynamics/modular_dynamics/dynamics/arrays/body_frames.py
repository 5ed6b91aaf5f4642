"""Body frames in which the articulated-body recursion has the fewest operations.

A joint's axis is z of its body's aligned frame (see model_arrays.py); the frame may still be turned about
that axis and shifted along it. In its parent's frame a body is placed at P and turned by
Rz(turn) Rx(tilt) Rz(q): any constant rotation is such a product, with a third angle that is added to the
joint's offset. If a body's x is along the common normal of its own axis and a child's (Denavit & Hartenberg),
that child has no turn; a slide can remove one component of P. Zeros cost nothing in exported code.
"""

from dataclasses import dataclass

import numpy as np

from ...kernels import layout
from ...kernels.recursions import articulated_layout as columns
from ...kernels.recursions.articulated_inertia import ANY, NONE, QUARTER
from .arguments import Array, Topology

__all__ = ["Frames", "frames_of"]

#: Largest rounding error of an exact zero, relative to its neighbours.
TINY = 1e-15
#: Instructions of a turn by any angle, by a quarter turn, and of one more component of P or of m c.
TURN_COST, QUARTER_COST, COMPONENT_COST, MOMENT_COST = 60, 6, 14, 5


@dataclass(frozen=True)
class Frames:
    """Arrays as kernels/recursions/articulated_body takes them, and the frames of their bodies.

    Attributes:
        turns: of each body's frame about its z, as cosine + i sine. slides: of its origin along z [m].
    """

    topology: Topology
    constants: Array
    turns: tuple[complex, ...]
    slides: tuple[float, ...]

    def wrench(self, body: int, aligned: Array) -> Array:
        """[force, moment] about the origin of a body's aligned frame, brought into the frame used here."""
        fx, fy, fz, mx, my, mz = aligned
        slide, back = self.slides[body], self.turns[body].conjugate()
        force, moment = complex(fx, fy) * back, complex(mx + slide * fy, my - slide * fx) * back
        return np.array([force.real, force.imag, fz, moment.real, moment.imag, mz])


def frames_of(topology: Topology, constants: Array) -> Frames:
    """Frames of few operations for a graph without mimic joints whose arrays are those of model_arrays.py.

    Bodies on floating and spherical joints, whose rates are components in the body's axes, keep their frames.
    """
    return _Choice(topology, constants).frames()


def _exact(angle: complex) -> complex:
    """A complex number of length one, with exact zeros."""
    angle /= abs(angle)
    if abs(angle.imag) < TINY:
        return complex(np.sign(angle.real), 0.0)
    return complex(0.0, np.sign(angle.imag)) if abs(angle.real) < TINY else angle


def _kind(angle: complex) -> int:
    if angle == 1.0:
        return NONE
    return QUARTER if angle.real == 0.0 else ANY


def _in_turned_axes(angle: complex, x: float, y: float) -> tuple[float, float]:
    """Components (x, y) in axes that are turned by an angle."""
    back = complex(x, y) * angle.conjugate()
    tiny = TINY * abs(back)
    return (0.0 if abs(back.real) < tiny else back.real, 0.0 if abs(back.imag) < tiny else back.imag)


class _Choice:
    """The choice of turns and slides, from the leaves to the ground, and the arrays that result."""

    def __init__(self, topology: Topology, constants: Array) -> None:
        n = len(topology) - 1
        self.constants = constants.copy()
        self.topology = np.zeros((n + 1, columns.ARTICULATED_TOPOLOGY), np.int64)
        self.topology[:, : layout.TOPOLOGY_COLUMNS] = topology
        self.kinds = topology[:-1, layout.KIND]
        self.children: list[list[int]] = [[] for _ in range(n + 1)]
        for k, parent in enumerate(topology[:-1, layout.PARENT]):
            self.children[parent].append(k)
        self.places = constants[:-1, layout.POSITION : layout.POSITION + 3].copy()
        self.turns, self.slides = [1.0 + 0.0j] * n, [0.0] * n
        self.turn, self.tilt, self.rest = ([1.0 + 0.0j] * n for _ in range(3))
        by_quaternion = np.isin(self.kinds, (layout.FLOATING, layout.SPHERICAL))
        self.moving, self.turning = (
            np.flatnonzero(~by_quaternion).tolist(),
            np.flatnonzero(by_quaternion).tolist(),
        )
        for k in self.moving:
            self._split(k, constants[k, layout.ROTATION : layout.ROTATION + 9])

    def _split(self, k: int, rotation: Array) -> None:
        """The constant rotation before joint k as Rz(turn) Rx(tilt) Rz(rest)."""
        r0, r1, r2, r3, r4, r5, _, _, r8 = map(float, rotation)
        normal = complex(-r5, r2)  # sine of the tilt, times the turn
        turn = _exact(normal) if abs(normal) > TINY else 1.0 + 0.0j
        self.turn[k] = turn
        self.tilt[k] = _exact(complex(r8, (normal * turn.conjugate()).real))
        self.rest[k] = _exact(complex(turn.real * r0 + turn.imag * r3, -turn.real * r1 - turn.imag * r4))

    def frames(self) -> Frames:
        for k in reversed(self.moving):
            if self.kinds[k] == layout.PRISMATIC:
                self.turns[k] = self.rest[k].conjugate()  # its joint has no angle that could include the rest
            else:
                self.turns[k] = self._best_turn(k)
            for child in self.children[k]:
                self.turn[child] *= self.turns[k].conjugate()
                self.places[child, :2] = _in_turned_axes(self.turns[k], *self.places[child, :2])
        for k in reversed(self.moving):
            self._simplify(k)
            self._slide(k)
        for k in self.turning:
            self._write_placement(k)
        for k in self.moving:
            self._write_joint(k)
            self._write_body(k)
        self._write_pivots()
        return Frames(self.topology, self.constants, tuple(self.turns), tuple(self.slides))

    def _cost_of_turn(self, k: int, angle: complex) -> int:
        """Instructions for its children if body k's frame is turned by an angle."""
        total = 0
        for child in self.children[k]:
            left = _exact(self.turn[child] * angle.conjugate())
            if self.tilt[child].imag != 0.0:
                total += (0, QUARTER_COST, TURN_COST)[_kind(-left if left == -1.0 else left)]
            total += COMPONENT_COST * sum(
                part != 0.0 for part in _in_turned_axes(angle, *self.places[child, :2])
            )
        return total

    def _best_turn(self, k: int) -> complex:
        """Turn of body k: x along the common normal with one of its children, or no turn."""
        angles = [1.0 + 0.0j, *(self.turn[child] for child in self.children[k])]
        return min(angles, key=lambda angle: self._cost_of_turn(k, angle))

    def _simplify(self, k: int) -> None:
        """Without a tilt the turn joins the rest; half a turn more reverses the tilt."""
        turn, tilt = _exact(self.turn[k]), self.tilt[k]
        if tilt.imag == 0.0 and self.kinds[k] == layout.REVOLUTE:
            self.rest[k] *= turn if tilt.real > 0.0 else turn.conjugate()
            turn = 1.0 + 0.0j
        elif turn == -1.0 and self.kinds[k] == layout.REVOLUTE:
            turn, self.tilt[k], self.rest[k] = 1.0 + 0.0j, tilt.conjugate(), -self.rest[k]
        self.turn[k] = turn

    def _axis(self, k: int) -> Array:
        """Axis of joint k in its parent's frame."""
        turn, tilt = self.turn[k], self.tilt[k]
        return np.array([turn.imag * tilt.imag, -turn.real * tilt.imag, tilt.real])

    def _slide(self, k: int) -> None:
        """Shift body k's origin along its axis to the cheapest height: that of a child's origin or of c."""
        mass, moment = self.constants[k, layout.MASS], self.constants[k, layout.MOMENT : layout.MOMENT + 3]
        places, axis = self.places[self.children[k]], self._axis(k)
        fixed = self.kinds[k] == layout.PRISMATIC  # its shift includes the slide
        reach = float(np.linalg.norm(places, axis=1).max(initial=0.0))
        levels = [0.0, *map(float, places[:, 2])]
        if mass > 0.0:
            reach = max(reach, float(np.linalg.norm(moment)) / mass)
            levels.append(float(moment[2]) / mass)

        def cost(slide: float) -> int:
            own = self.places[k] if fixed else self.places[k] + slide * axis
            left = np.count_nonzero(abs(places[:, 2] - slide) > TINY * reach)
            left += np.count_nonzero(abs(own[:2]) > TINY * (reach + np.linalg.norm(own)))
            return int(COMPONENT_COST * left + MOMENT_COST * (abs(moment[2] - mass * slide) > TINY * reach))

        # an origin far from its body would cost accuracy
        slide = min((level for level in levels if abs(level) <= 2.0 * reach), key=cost)
        self.slides[k] = slide
        places[:, 2] -= slide
        places[abs(places) < TINY * reach] = 0.0
        self.places[self.children[k]] = places
        if not fixed:
            moved = self.places[k] + slide * axis
            moved[abs(moved) < TINY * (abs(slide) + np.linalg.norm(moved))] = 0.0
            self.places[k] = moved

    def _write_placement(self, k: int) -> None:
        """Constant pose of a body that keeps its frame, in that of its parent, which does not."""
        row, parent = self.constants[k], self.topology[k, layout.PARENT]
        row[layout.POSITION : layout.POSITION + 3] = self.places[k]
        if parent < len(self.kinds):
            back = self.turns[parent].conjugate()
            turned = np.array([[back.real, -back.imag, 0.0], [back.imag, back.real, 0.0], [0.0, 0.0, 1.0]])
            rotation = row[layout.ROTATION : layout.ROTATION + 9]
            rotation[:] = (turned @ rotation.reshape(3, 3)).ravel()

    def _write_joint(self, k: int) -> None:
        row, turn, tilt = self.constants[k], self.turn[k], self.tilt[k]
        self.topology[k, columns.TURN], self.topology[k, columns.TILT] = _kind(turn), _kind(tilt)
        row[columns.TURN_COSINE], row[columns.TURN_SINE] = turn.real, turn.imag
        row[columns.TILT_COSINE], row[columns.TILT_SINE] = tilt.real, tilt.imag
        row[columns.AXIS : columns.AXIS + 3] = self._axis(k)
        row[layout.POSITION : layout.POSITION + 3] = self.places[k]
        offset = self.rest[k] * self.turns[k]
        prismatic = self.kinds[k] == layout.PRISMATIC
        row[layout.OFFSET] += self.slides[k] if prismatic else np.angle(_exact(offset))

    def _write_body(self, k: int) -> None:
        """Moment and pseudo-inertia about the new origin, in the new axes."""
        row, slide, turn = self.constants[k], self.slides[k], self.turns[k]
        mass, (hx, hy, hz) = row[layout.MASS], row[layout.MOMENT : layout.MOMENT + 3]
        xx, yy, zz, xy, xz, yz = row[layout.INERTIA : layout.INERTIA + 6]
        zz, xz, yz = zz - 2.0 * slide * hz + mass * slide**2, xz - slide * hx, yz - slide * hy
        left = hz - mass * slide
        left = 0.0 if abs(left) < TINY * abs(hz) else left
        # what differs between x and y turns by twice the angle
        mean, (half, mixed) = 0.5 * (xx + yy), _in_turned_axes(turn * turn, 0.5 * (xx - yy), xy)
        row[layout.MOMENT : layout.MOMENT + 3] = *_in_turned_axes(turn, hx, hy), left
        row[layout.INERTIA : layout.INERTIA + 6] = (
            mean + half,
            mean - half,
            zz,
            mixed,
            *_in_turned_axes(turn, xz, yz),
        )

    def _write_pivots(self) -> None:
        """The smallest pivots that count, and how much slides add to them: see `SMALLEST` in the layout.

        A body's reach is the sum of m |r|^2 of all that moves with it, r from its origin at most: no inertia
        about an axis through the origin is larger. A child's about its parent's origin is at most
        (arm sqrt(mass) + sqrt(reach))^2.
        """
        row, kinds = self.constants[:-1], self.kinds
        mass = row[:, layout.MASS].copy()
        own = np.maximum(row[:, layout.INERTIA : layout.INERTIA + 3].sum(axis=1), 0.0)
        reach, about_axis = own.copy(), own.copy()
        for k in range(len(mass) - 1, -1, -1):
            for child in self.children[k]:
                if kinds[child] == layout.FLOATING:
                    continue  # it passes on its torque alone
                across = self.places[child]
                turns_freely = kinds[child] == layout.SPHERICAL
                arm, rest = np.linalg.norm(across), 0.0 if turns_freely else np.sqrt(reach[child])
                mass[k] += mass[child]
                reach[k] += (arm * np.sqrt(mass[child]) + rest) ** 2
                if kinds[child] == layout.REVOLUTE and self.tilt[child].imag == 0.0:
                    arm, rest = np.linalg.norm(across[:2]), 0.0  # exactly nothing about a parallel axis
                about_axis[k] += (arm * np.sqrt(mass[child]) + rest) ** 2
        # a sum of 1 + slides terms is at most, squared, as many times the sum of the squares
        slides = 1 + np.count_nonzero(kinds == layout.PRISMATIC)
        for k, kind in enumerate(kinds):
            if k in self.turning:
                row[k, columns.SMALLEST_MASS] = columns.ROUNDING * mass[k]
                row[k, columns.SMALLEST_INERTIA] = columns.ROUNDING * slides * reach[k]
            elif kind == layout.PRISMATIC:
                row[k, columns.SMALLEST] = columns.ROUNDING * mass[k]
                row[k, columns.SLIDE] = columns.ROUNDING * slides * mass[k]
            else:
                row[k, columns.SMALLEST] = columns.ROUNDING * slides * about_axis[k]

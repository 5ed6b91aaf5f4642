"""Positions of all joints as operations on those of independent ones: planar loops, step by step.

The formulas are those of kernels/loops/planar_crossings.py, run on symbols. There are no branches: what the
kernel looks at before it solves a step is recorded as what must be positive.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...codegen.program import Program, Symbol
from ...codegen.symbolic_math import hypot
from ...codegen.tracing import uncompiled
from ...dynamics.arrays.arguments import Array
from ...kernels.loops.planar import crossings
from ...kernels.loops.planar import steps as kernel

__all__ = ["NEAREST", "Step", "positions", "steps_of"]

#: How near to a dead point a loop is solved [rad]: of the angle at which circles cross, as sine. The library
#: refuses condition numbers from 1e6.
NEAREST = 1e-6
#: 1 - |cosine| of that angle.
GAP = 0.5 * NEAREST**2


@dataclass(frozen=True)
class Step:
    """One step of :class:`.steps.PlanarSteps`, with its chain, as Python's numbers.

    Attributes:
        kind: GEAR, CIRCLES ... i, j: rows in ``chain`` of the unknown joints; of a gear i is in q.
        point: P and S; or a gear's offset. prismatic, index: of each joint of the chain, index in q.
        chain: rows of scale, offset, and centre or direction. sign: of the branch.
    """

    kind: int
    i: int
    j: int
    point: tuple[float, ...]
    prismatic: tuple[bool, ...]
    index: tuple[int, ...]
    chain: tuple[tuple[float, ...], ...]
    sign: float

    @property
    def unknown(self) -> tuple[int, ...]:
        """Indices in q of what the step gives."""
        return (self.i,) if self.kind == kernel.GEAR else (self.index[self.i], self.index[self.j])


def steps_of(arrays: kernel.PlanarSteps, signs: Array) -> list[Step]:
    """The steps, on the branch of these signs."""
    steps = []
    for row, point, sign in zip(arrays.steps.tolist(), arrays.points.tolist(), signs.tolist(), strict=True):
        kind, first, stop, i, j = row
        if kind != kernel.GEAR:
            i, j = i - first, j - first
        prismatic, index = zip(*arrays.joints[first:stop].tolist(), strict=True)
        chain = tuple(tuple(one) for one in arrays.chain[first:stop].tolist())
        steps.append(Step(kind, i, j, tuple(point), tuple(map(bool, prismatic)), index, chain, sign))
    return steps


def positions(
    program: Program, steps: Sequence[Step], known: Mapping[int, Symbol], near: Array
) -> tuple[dict[int, Symbol], list[Symbol]]:
    """All coordinates q, and what must be positive for the loops to close, from the known ones.

    Args:
        near (nq,): of coordinates that differ by whole turns the one nearest to this is taken.
    """
    q, reach = dict(known), []
    for step in steps:
        if step.kind == kernel.GEAR:
            total = program.constant(step.point[0])
            for index, row in zip(step.index, step.chain, strict=True):
                total = total + row[0] * q[index]
            q[step.i] = total
            continue
        values, conditions = _solved(step, q)
        reach += [program.constant(0.0) + condition for condition in conditions]
        for k, value in zip((step.i, step.j), values, strict=True):
            index, (scale, offset, *_) = step.index[k], step.chain[k]
            q[index] = program.constant(0.0) + (value - offset) / scale
            if not step.prismatic[k]:
                nearest = uncompiled(crossings.near_turn)
                q[index] = nearest(q[index], program.constant(float(near[index])), scale)
    return q, reach


def _solved(step: Step, q: Mapping[int, Symbol]) -> tuple[tuple[Any, Any], tuple[Any, ...]]:
    """Angles or displacements of the unknown joints, and what must be positive for them to exist."""
    chain = {(k, column): x for k, row in enumerate(step.chain) for column, x in enumerate(row)}
    joints = {(k, 0): int(x) for k, x in enumerate(step.prismatic)}
    joints |= {(k, 1): index for k, index in enumerate(step.index)}
    row = step.kind, 0, len(step.chain), step.i, step.j
    gx, gy, cx, cy, bx, by, angle = uncompiled(kernel.known_ends)(row, step.point, joints, chain, q)
    (_, _, ax, ay), (_, _, ex, ey) = step.chain[step.i], step.chain[step.j]  # centres, or directions
    if step.kind == kernel.CIRCLES:
        seen = bx - ax, by - ay, gx - ax, gy - ay, cx - ex, cy - ey
        r, p, _, near, far = uncompiled(crossings.circle_gaps)(*seen)
        least = 2.0 * GAP * r * p
        return uncompiled(crossings.circles)(*seen, angle, step.sign), (near - least, far - least)
    rotate, distance = uncompiled(crossings.rotate), uncompiled(crossings.line_distance)
    if step.kind == kernel.CIRCLE_LINE:
        line = bx - ax, by - ay, *rotate(ex, ey, angle)
        r = hypot(gx - ax, gy - ay)
        _, h = distance(*line)
        values = uncompiled(crossings.circle_line)(*line, gx - ax, gy - ay, step.sign)
        return values, ((1.0 - GAP) * r - h, (1.0 - GAP) * r + h)
    if step.kind == kernel.LINE_CIRCLE:
        line = gx - bx, gy - by, ax, ay
        p = hypot(cx - ex, cy - ey)
        _, h = distance(*line)
        values = uncompiled(crossings.line_circle)(*line, cx - ex, cy - ey, angle, step.sign)
        return values, ((1.0 - GAP) * p - h, (1.0 - GAP) * p + h)
    wx, wy = rotate(ex, ey, angle)
    sine = ax * wy - ay * wx
    values = uncompiled(crossings.crossing_lines)(gx - bx, gy - by, ax, ay, wx, wy, sine)
    return values, (sine * sine - NEAREST**2,)

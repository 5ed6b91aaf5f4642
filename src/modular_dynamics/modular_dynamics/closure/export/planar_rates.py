"""Velocities, accelerations and torques of planar loops as operations: the steps, linearized.

Of a chain T_1 .. T_m S = P (kernels/loops/planar/steps.py) the tip stands still: sum_k a_k v_k = 0. With
c_k the place of joint k's centre, or u_k its direction there, and the scale s_k of its coordinate, a_k is
s_k (P - c_k) turned by 90 degrees, or s_k u_k. Accelerations: sum_k a_k vdot_k + gamma = 0, where gamma is
sum_k a'_k v_k. The two unknown joints follow by Cramer's rule. Torques go the opposite way: the force lambda
at the cut leaves none in the two unknown joints, and takes a_k lambda from the others: J_d^T lambda = tau_d,
tau_1 = tau_i - J_i^T lambda (Schappler et al., section 3.4).
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

from ...codegen import symbolic_math
from ...codegen.program import Program, Symbol
from ...codegen.tracing import Symbols
from ...kernels.loops.planar import steps as kernel
from .planar_positions import Step

__all__ = ["LinearStep", "complete", "drift", "linear_steps", "transmit"]

Vector = tuple[Symbol, Symbol]


class _Place(NamedTuple):
    """Where a joint of a chain is: its centre, or its direction, in the plane."""

    prismatic: bool
    scale: float
    vector: Vector


class LinearStep(NamedTuple):
    """A step at one configuration: sum_k column_k v_k = 0, two equations.

    Attributes:
        indices, columns, places: index in v, a_k, and where it is, of each joint of the chain.
        unknown: the places of i and j in the chain. inverse: 1 / det of their columns; None: a gear. Its one
            unknown is an index in v, whose rate is the sum of ``ratios`` times those of ``indices``.
    """

    indices: tuple[int, ...]
    columns: tuple[Vector, ...] = ()
    unknown: tuple[int, ...] = ()
    inverse: Symbol | None = None
    places: tuple[_Place, ...] = ()
    ratios: tuple[float, ...] = ()


def linear_steps(
    program: Program, steps: Sequence[Step], q: Symbols, in_v: Mapping[int, int]
) -> list[LinearStep]:
    """The steps at coordinates q; ``in_v``: the index in v of each index in q of a single coordinate."""
    return [
        LinearStep(
            tuple(in_v[k] for k in step.index),
            unknown=(in_v[step.i],),
            ratios=tuple(row[0] for row in step.chain),
        )
        if step.kind == kernel.GEAR
        else _planar(program, step, q, in_v)
        for step in steps
    ]


def _planar(program: Program, step: Step, q: Symbols, in_v: Mapping[int, int]) -> LinearStep:
    zero, one = program.constant(0.0), program.constant(1.0)
    (x, y), (s, c) = (zero, zero), (zero, one)  # T_1 .. T_k: where it moves the origin, how it turns
    point = program.constant(step.point[0]), program.constant(step.point[1])
    places, columns = [], []
    for prismatic, index, (scale, offset, a, b) in zip(step.prismatic, step.index, step.chain, strict=True):
        amount = scale * q[index] + offset
        u, w = c * a - s * b, s * a + c * b
        if prismatic:
            places.append(_Place(True, scale, (u, w)))
            columns.append((scale * u, scale * w))
            x, y = x + amount * u, y + amount * w
            continue
        centre = x + u, y + w
        places.append(_Place(False, scale, centre))
        columns.append((scale * (centre[1] - point[1]), scale * (point[0] - centre[0])))
        sine, cosine = symbolic_math.sin(amount), symbolic_math.cos(amount)
        s, c = s * cosine + c * sine, c * cosine - s * sine
        x, y = centre[0] - (c * a - s * b), centre[1] - (s * a + c * b)
    (ax, ay), (bx, by) = columns[step.i], columns[step.j]
    return LinearStep(
        tuple(in_v[k] for k in step.index),
        tuple(columns),
        (step.i, step.j),
        1.0 / (ax * by - ay * bx),
        tuple(places),
    )


def complete(
    program: Program, steps: Iterable[LinearStep], rates: Symbols, gammas: Iterable[Vector] | None = None
) -> None:
    """Add the velocities of dependent joints to those of independent ones; with gammas accelerations."""
    zero = program.constant(0.0)
    for step, gamma in zip(steps, gammas or repeat((zero, zero)), strict=False):
        gx, gy = gamma
        if step.inverse is None:
            terms = (ratio * rates[k] for ratio, k in zip(step.ratios, step.indices, strict=True))
            rates[step.unknown[0]] = sum(terms, zero)
            continue
        for k, index in enumerate(step.indices):
            if k not in step.unknown:
                gx, gy = gx + step.columns[k][0] * rates[index], gy + step.columns[k][1] * rates[index]
        i, j = step.unknown
        (ax, ay), (bx, by) = step.columns[i], step.columns[j]
        rates[step.indices[i]] = (bx * gy - by * gx) * step.inverse
        rates[step.indices[j]] = (ay * gx - ax * gy) * step.inverse


def drift(program: Program, step: LinearStep, v: Symbols) -> Vector:
    """gamma of a step at the velocities of all joints; zero of a gear."""
    gx = gy = turning = fx = fy = program.constant(0.0)  # (fx, fy): how fast the field moves the origin
    for index, place in zip(step.indices, step.places, strict=False):
        x, y = place.vector
        rate = place.scale * v[index]
        if place.prismatic:  # its direction turns
            gx, gy = gx - rate * turning * y, gy + rate * turning * x
            fx, fy = fx + rate * x, fy + rate * y
            continue
        cx, cy = fx - turning * y, fy + turning * x  # its centre moves
        gx, gy = gx + rate * cy, gy - rate * cx
        turning = turning + rate
        fx, fy = cx + turning * y, cy - turning * x
    return gx, gy


def transmit(steps: Sequence[LinearStep], tau: Symbols) -> None:
    """Add the torques of dependent joints, which are unactuated, to the others, in place."""
    for step in reversed(steps):
        if step.inverse is None:
            torque = tau[step.unknown[0]]
            for ratio, index in zip(step.ratios, step.indices, strict=True):
                tau[index] = tau[index] + ratio * torque
            continue
        i, j = step.unknown
        (ax, ay), (bx, by) = step.columns[i], step.columns[j]
        first, second = tau[step.indices[i]], tau[step.indices[j]]
        x = (by * first - ay * second) * step.inverse
        y = (ax * second - bx * first) * step.inverse
        for k, index in enumerate(step.indices):
            if k not in step.unknown:
                tau[index] = tau[index] - (step.columns[k][0] * x + step.columns[k][1] * y)

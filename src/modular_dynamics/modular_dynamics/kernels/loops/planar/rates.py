"""Velocities, accelerations and torques of planar loops, one step after the other (:mod:`.steps`).

With f = T_1 .. T_m S - P and theta_k the rotation or displacement of joint k of the chain, where f = 0,

    d f / d theta_k = g_k          of a rotation |_ (S - c_k), c_k its centre as the joints before it move it;
                                   of a translation its direction, turned by the joints before it
    sum g_k dtheta_k = 0           velocities
    sum g_k ddtheta_k = -sum dtheta_k (2 Omega_k + [k rotates] dtheta_k) |_ g_k

|_ turns by a right angle; Omega_k is the sum of all rotations' rates before k. The two unknown joints i and j
of a step follow from two equations. What they transmit, (g_i g_j)^T lambda = (tau_i, tau_j), the known joints
hold: tau_k - g_k . lambda. This is W^T tau of :mod:`..projection`, loop by loop.
"""

import math
from typing import NamedTuple

from numpy import float64
from numpy.typing import NDArray

from ...numba_support.compilation import inlined_strictly
from .steps import GEAR

__all__ = ["StepRates", "complete_rates", "place", "transmit"]

_KIND, _FIRST, _STOP, _I, _J = range(5)  # columns of PlanarSteps.steps
_PRISMATIC, _Q = range(2)  # columns of PlanarSteps.joints


class StepRates(NamedTuple):
    """Arrays that are overwritten, for e joints of all chains and s steps.

    Attributes:
        slopes (e, 2): g_k times the scale of the joint's coordinate [m or 1].
        inverses (s, 4): of (g_i g_j) of each step, by rows. gaps (s, 2): f [m].
        sines (s,): of the angle between g_i and g_j; 1 of gears.
    """

    slopes: NDArray[float64]
    inverses: NDArray[float64]
    gaps: NDArray[float64]
    sines: NDArray[float64]


@inlined_strictly
def place(t, table, q, rates):
    """Slopes and gap of step t at q. Returns the sine of the angle between g_i and g_j; 0 of a dead point."""
    row, point, joints, chain = table.steps[t], table.points[t], table.joints, table.chain
    slopes, inverses = rates.slopes, rates.inverses
    c, s, x, y = 1.0, 0.0, 0.0, 0.0  # of T_1 .. T_k: rotation and displacement
    for k in range(row[_FIRST], row[_STOP]):
        amount, px, py = chain[k, 0] * q[joints[k, _Q]] + chain[k, 1], chain[k, 2], chain[k, 3]
        px, py = c * px - s * py, s * px + c * py
        if joints[k, _PRISMATIC] == 1:
            slopes[k, 0], slopes[k, 1] = px, py
            x, y = x + amount * px, y + amount * py
            continue
        slopes[k, 0], slopes[k, 1] = x + px, y + py  # the centre
        turn_s, turn_c = math.sin(amount), math.cos(amount)
        c, s = c * turn_c - s * turn_s, s * turn_c + c * turn_s
        x, y = x + px - (c * chain[k, 2] - s * chain[k, 3]), y + py - (s * chain[k, 2] + c * chain[k, 3])
    tip_x, tip_y = c * point[2] - s * point[3] + x, s * point[2] + c * point[3] + y
    rates.gaps[t, 0], rates.gaps[t, 1] = tip_x - point[0], tip_y - point[1]
    for k in range(row[_FIRST], row[_STOP]):
        scale = chain[k, 0]
        if joints[k, _PRISMATIC] == 1:
            slopes[k, 0], slopes[k, 1] = scale * slopes[k, 0], scale * slopes[k, 1]
        else:
            slopes[k, 0], slopes[k, 1] = scale * (slopes[k, 1] - tip_y), scale * (tip_x - slopes[k, 0])
    i, j = row[_I], row[_J]
    a, b, d, e = slopes[i, 0], slopes[j, 0], slopes[i, 1], slopes[j, 1]
    det = a * e - b * d
    size = math.sqrt((a * a + d * d) * (b * b + e * e))
    if not abs(det) > 0.0:
        return 0.0
    inverses[t, 0], inverses[t, 1], inverses[t, 2], inverses[t, 3] = e / det, -b / det, -d / det, a / det
    return abs(det) / size


@inlined_strictly
def _solve(t, x, y, rates):
    """(g_i g_j)^-1 (x, y)."""
    inverses = rates.inverses
    return inverses[t, 0] * x + inverses[t, 1] * y, inverses[t, 2] * x + inverses[t, 3] * y


@inlined_strictly
def _bias(row, table, index_in_v, v, rates):
    """sum of dtheta_k (2 Omega_k + [k rotates] dtheta_k) |_ g_k."""
    joints, chain, x, y, turning = table.joints, table.chain, 0.0, 0.0, 0.0
    for k in range(row[_FIRST], row[_STOP]):
        rate = v[index_in_v[joints[k, _Q]]]  # times the scale, which is in the slope
        own = 0.0 if joints[k, _PRISMATIC] == 1 else chain[k, 0] * rate
        factor = rate * (2.0 * turning + own)
        x, y = x - factor * rates.slopes[k, 1], y + factor * rates.slopes[k, 0]
        turning += own
    return x, y


@inlined_strictly
def complete_rates(table, index_in_v, v, vdot, rates):
    """The unknown velocities and accelerations, from the known ones; all steps are placed."""
    steps, joints, chain = table.steps, table.joints, table.chain
    for t in range(steps.shape[0]):
        row = steps[t]
        if row[_KIND] == GEAR:
            rate, change = 0.0, 0.0
            for k in range(row[_FIRST], row[_STOP]):
                index = index_in_v[joints[k, _Q]]
                rate, change = rate + chain[k, 0] * v[index], change + chain[k, 0] * vdot[index]
            v[index_in_v[row[_I]]], vdot[index_in_v[row[_I]]] = rate, change
            continue
        x, y, ax, ay, i, j = 0.0, 0.0, 0.0, 0.0, row[_I], row[_J]
        for k in range(row[_FIRST], row[_STOP]):
            if k not in (i, j):
                index = index_in_v[joints[k, _Q]]
                x, y = x - rates.slopes[k, 0] * v[index], y - rates.slopes[k, 1] * v[index]
                ax, ay = ax - rates.slopes[k, 0] * vdot[index], ay - rates.slopes[k, 1] * vdot[index]
        first, second = index_in_v[joints[i, _Q]], index_in_v[joints[j, _Q]]
        v[first], v[second] = _solve(t, x, y, rates)
        x, y = _bias(row, table, index_in_v, v, rates)
        vdot[first], vdot[second] = _solve(t, ax - x, ay - y, rates)


@inlined_strictly
def transmit(table, index_in_v, tau, rates):
    """Torques (nv,) of the tree, in place, to those of the independent joints; zero of all others."""
    steps, joints, chain, inverses = table.steps, table.joints, table.chain, rates.inverses
    for t in range(steps.shape[0] - 1, -1, -1):
        row = steps[t]
        if row[_KIND] == GEAR:
            index = index_in_v[row[_I]]
            held, tau[index] = tau[index], 0.0
            for k in range(row[_FIRST], row[_STOP]):
                tau[index_in_v[joints[k, _Q]]] += chain[k, 0] * held
            continue
        i, j = row[_I], row[_J]
        first, second = index_in_v[joints[i, _Q]], index_in_v[joints[j, _Q]]
        x = inverses[t, 0] * tau[first] + inverses[t, 2] * tau[second]
        y = inverses[t, 1] * tau[first] + inverses[t, 3] * tau[second]
        tau[first] = tau[second] = 0.0
        for k in range(row[_FIRST], row[_STOP]):
            if k not in (i, j):
                tau[index_in_v[joints[k, _Q]]] -= rates.slopes[k, 0] * x + rates.slopes[k, 1] * y

"""Continuation in closed form: independent coordinates move, planar loops stay closed on one branch."""

from typing import NamedTuple

from numpy import float64
from numpy.typing import NDArray

from ...numba_support.compilation import inlined_strictly, kernel
from .steps import branch_signs, solve

__all__ = ["WalkWorkspace", "walk"]

#: Between two samples: the largest rotation of an unknown or geared joint, the change of a known one.
LARGEST_TURN, STRIDE = 1.0, 0.5
#: The shortest such stride: a dead point is reached; and one so short that circles which miss each other
#: there are the reason.
SHORTEST_STRIDE, SHORT_STRIDE = 1e-7, 1e-3
#: |c| of circles that miss each other by more than rounding.
MISSED = 1.0 + 1e-13
#: How far a guess may be from the closed configuration that it stands for [rad or m].
NEAR = 0.3


class WalkWorkspace(NamedTuple):
    """Arrays that :func:`walk` overwrites, for s steps.

    Attributes:
        signs (s,): of the branch. cosines (3, s): at both ends of a stride and in its middle.
        start, saved (nq,): coordinates where the way starts, and before a stride.
    """

    signs: NDArray[float64]
    cosines: NDArray[float64]
    start: NDArray[float64]
    saved: NDArray[float64]


@inlined_strictly
def _is_near(table, q, start, dependent, cosines):
    """Whether solving changed q so little that ``start`` was on this branch."""
    change = 0.0
    for k in range(dependent.shape[0]):
        change = max(change, table.reach[dependent[k]] * abs(q[dependent[k]] - start[dependent[k]]))
    for t in range(cosines.shape[0]):
        if not (change < NEAR and change * change < 1.0 - abs(cosines[t])):
            return False
    return True


@inlined_strictly
def _stays_inside(cosines):
    """Whether |c| cannot have reached 1 within a stride, by its curvature."""
    for t in range(cosines.shape[1]):
        a, b, c = cosines[0, t], cosines[1, t], cosines[2, t]
        if not abs(a - 2.0 * b + c) < 1.0 - max(abs(a), abs(b), abs(c)):
            return False
    return True


@kernel(fastmath=False, forceinline=True)
def walk(table, q, target, independent, dependent, workspace):
    """Move the coordinates ``independent`` of q to ``target``, on the branch of q, as `follow` does.

    The way is sampled: circles that meet at its end, but not on all of it, would leave the branch. A stride
    is accepted where c, at its ends and in its middle, bends by less than its distance from 1.

    Returns the part of the way that was completed, 1 at the end, or -1: q is not near a closed configuration;
    and whether circles miss each other where the way ends. Where they only touch, another method may go on.
    """
    signs, cosines, start, saved = workspace
    count = signs.shape[0]
    branch_signs(table, q, signs)
    distance, reach, missed = 0.0, 0.0, False
    for k in range(q.shape[0]):
        start[k] = q[k]
    for k in range(independent.shape[0]):
        change = abs(target[k] - q[independent[k]])
        distance, reach = max(distance, change), max(reach, table.reach[independent[k]] * change)
    step, _, _ = solve(table, signs, q, cosines[0])
    if step < count or not _is_near(table, q, start, dependent, cosines[0]):
        return -1.0, False
    if distance == 0.0:
        return 1.0, False
    longest = 2.0 * STRIDE / max(reach, 2.0 * STRIDE)
    done, stride = 0.0, longest
    while done < 1.0:
        end = done + stride if done + stride < 1.0 - 1e-9 else 1.0  # no rest that is rounding only
        for k in range(q.shape[0]):
            saved[k] = q[k]
        accepted = True
        for half in range(1, 3):
            part = end if half == 2 else 0.5 * (done + end)
            for k in range(independent.shape[0]):
                i = independent[k]
                q[i] = target[k] if part == 1.0 else start[i] + part * (target[k] - start[i])
            step, _, turn = solve(table, signs, q, cosines[half])
            if step < count and stride * distance < SHORT_STRIDE and abs(cosines[half, step]) > MISSED:
                missed = True
            accepted = step == count and turn < LARGEST_TURN
            if not accepted:
                break
        if accepted and _stays_inside(cosines):
            for t in range(count):  # an assignment of rows would compile NumPy's rules of shapes
                cosines[0, t] = cosines[2, t]
            done, stride = end, min(2.0 * stride, longest)
            continue
        for k in range(q.shape[0]):
            q[k] = saved[k]
        stride *= 0.5
        if stride * distance < SHORTEST_STRIDE:
            return done, missed
    return 1.0, False

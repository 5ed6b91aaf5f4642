"""Newton's method for the dependent coordinates, J_d x = -phi, and continuation of a closed configuration.

One state at a time, for what the core's closing (closure.hpp) does not answer: starts that are far from
closed, singular configurations, coordinates that loops leave free. Steps keep gears closed.
"""

from typing import NamedTuple

import numpy as np

from ...dynamics.arguments import Array
from .constraint_system import RANK_TOLERANCE, ConstraintSystem, RowValues, largest_column

#: Newton's steps [rad or m]: the largest that is taken at once, and the one with which it ends.
LARGEST_STEP, LAST_STEP = 0.3, 1e-10
#: Residual [m or 1] of a closed loop, and of a gear as a part of its coordinates.
CLOSED = 1e-10
#: Newton's steps from a good start, from far away, and halvings of one of the latter.
MOST_CORRECTIONS, MOST_STEPS, MOST_HALVINGS = 8, 200, 12
#: Change of independent coordinates [rad or m] that is followed in one stride at first, and the shortest.
STRIDE, SHORTEST_STRIDE = 0.2, 1e-7


class _Step(NamedTuple):
    """A Newton step.

    Attributes:
        x (d,): step of the dependent coordinates. blocks: each block of J_d T. least: least singular value of
            each; zero where its rank is short, infinite where it has no coordinates.
    """

    x: Array
    blocks: list[Array]
    least: list[float]


def correct(system: ConstraintSystem, q: Array, largest_step: float, enough: float = 0.0) -> bool:
    """Close q in place by Newton's method from a good start, and return whether that succeeded.

    It fails where the first step is longer than ``largest_step``, or where it does not converge. A residual
    below ``enough`` is not corrected.
    """
    step, previous, allowed = np.inf, np.inf, largest_step
    for corrections in range(MOST_CORRECTIONS + 1):
        values = system.evaluate(q)
        residual = _residual(system, q, values.phi)
        if step < LAST_STEP or (corrections == 0 and residual < enough):
            return residual < CLOSED
        if corrections == MOST_CORRECTIONS:
            return False
        x = _step(system, values).x
        step = _length(x, system.dependent_reach)
        if not step <= allowed or not step <= 0.5 * previous + LAST_STEP:  # another branch, or no root
            return False
        system.move(q, x)
        previous, allowed = step, step
    return False


def settle(system: ConstraintSystem, q: Array) -> float:
    """Close q in place by Newton's method from far away, gears first, and return the residual [m or 1].

    Steps are short, and halved until they reduce |phi|.
    """
    system.close_gears(q)
    square, step, scale, steps, halvings = np.inf, np.inf, 1.0, 0, 0
    saved, x = q.copy(), np.zeros(len(system.dependent_v))
    while True:
        values = system.evaluate(q)
        now = float(values.phi @ values.phi)
        if halvings == MOST_HALVINGS or (steps == MOST_STEPS and now < square):
            break
        if steps == 0 or now < square:
            if scale * step < LAST_STEP:
                break
            square, halvings, steps = now, 0, steps + 1
            x = _step(system, values).x
            step = _length(x, system.dependent_reach)
            scale = min(1.0, LARGEST_STEP / max(step, 1e-300))
            saved[:] = q
        else:
            scale *= 0.5
            halvings += 1
        q[:] = saved
        if halvings < MOST_HALVINGS:
            system.move(q, scale * x)
    return _residual(system, q, values.phi)


def follow(system: ConstraintSystem, q: Array, target: Array, jumped: bool) -> float:
    """Move the single independent coordinates to ``target`` and keep the loops closed, on the branch of q.

    In place, by strides: along the tangent, then back onto the constraints, by less than the stride. A stride
    is halved if it changes a block of J_d T by more than half of its smallest singular value: a singular
    configuration, where branches meet, may lie in it (Weyl: a smaller change makes no matrix singular).

    Args:
        jumped: a floating base was moved a little, which opens loops at the start.

    Returns:
        The part of the way that was completed, 1 at the end; q is closed there, and as it was at the start
        where that is 0.
    """
    independent = system.single_q
    start = q[independent]
    distance = float(np.abs(target - start).max(initial=0.0))
    reach = _length(target - start, system.single_reach)
    done, stride = 0.0, min(1.0, STRIDE / distance) if distance > 0.0 else 1.0
    while done < 1.0:
        end = done + stride if done + stride < 1.0 - 1e-9 else 1.0  # avoids a last stride of rounding only
        stride = end - done
        saved, step, allowed, before = q.copy(), 0.0, LARGEST_STEP, None
        if distance > 0.0:
            values = system.evaluate(q)
            along = values.J[:, system.single_v] @ (stride * (target - start))
            before = _step(system, values._replace(phi=along))
            if done == 0.0 and 0.0 in before.least:
                return 0.0  # a singular configuration: rounding would choose the branch
            step = max(_length(before.x, system.dependent_reach), stride * reach)
            system.move(q, before.x)
            q[independent] = target if end == 1.0 else start + end * (target - start)
            if done > 0.0 or not jumped:
                allowed = 0.3 * step + LAST_STEP
        near = step < 2.0 * LARGEST_STEP and correct(system, q, allowed)
        if near and (before is None or _stays_regular(system, q, before)):
            done, stride = end, 2.0 * stride
            continue
        q[:] = saved
        stride *= 0.5
        if stride * distance < SHORTEST_STRIDE:
            return done
    return 1.0


def _step(system: ConstraintSystem, values: RowValues) -> _Step:
    """Return a Newton step x of the dependent coordinates, phi + J_d x = 0.

    First gears are closed; then loops by the shortest motion T y that keeps gears closed, block by block.
    """
    phi, J, blocks = values.phi, values.J, system.blocks
    x = -system.gearing.correction @ phi[system.is_gear]
    parts = [J[block.in_J] for block in blocks]
    matrices = [A @ block.T for A, block in zip(parts, blocks, strict=True)]
    least, smallest = RANK_TOLERANCE * largest_column(matrices), list[float]()
    for block, part, matrix in zip(blocks, parts, matrices, strict=True):
        left, sizes, right = np.linalg.svd(matrix, full_matrices=False)
        count = int((sizes > least).sum())
        b = -phi[block.rows] - part @ x[block.places]
        x[block.places] += block.T @ (right[:count].T @ (left[:, :count].T @ b / sizes[:count]))
        columns = matrix.shape[1]
        smallest.append(np.inf if columns == 0 else float(sizes[count - 1]) if count == columns else 0.0)
    return _Step(x, matrices, smallest)


def _stays_regular(system: ConstraintSystem, q: Array, before: _Step) -> bool:
    """Return whether no block of J_d T has changed by more than half of its smallest singular value."""
    J = system.evaluate(q).J
    for block, matrix, least in zip(system.blocks, before.blocks, before.least, strict=True):
        if 0.0 < least < np.inf:
            change = J[block.in_J] @ block.T - matrix
            if not np.linalg.norm(change) <= 0.5 * least:
                return False
    return True


def _length(x: Array, reach: Array) -> float:
    """Return the largest motion of loops [rad or m] by a step of coordinates."""
    return float((reach * np.abs(x)).max(initial=0.0))


def _residual(system: ConstraintSystem, q: Array, phi: Array) -> float:
    """Return the largest |phi|; that of gears relative to the coordinates, which may be many turns."""
    sizes = np.abs(phi)
    if system.is_gear.any():
        graph = system.graph
        for row, gear in zip(np.flatnonzero(system.is_gear), graph.gears, strict=True):
            amounts = [q[graph.q_slice(gear.joint).start]]
            amounts += [ratio * q[graph.q_slice(name).start] for name, ratio in gear.drivers]
            sizes[row] /= max(1.0, *map(abs, amounts))
    return float(sizes.max(initial=0.0))

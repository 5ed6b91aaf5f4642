"""Inverse dynamics with planar loops as a Python function of arrays, as :mod:`...entry` has it for trees."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...numba_support.array_objects import (
    as_status,
    bound_function,
    data_of,
    entries_are_direct,
    floats,
    numbers,
    plan_of,
)
from .inverse_dynamics import PlanarMechanism, PlanarWorkspace, planar_inverse_dynamics
from .plan import COORDINATES, NQ, PLAN_SIZE, VELOCITIES, mechanism_of, planar_plan, workspace_at

__all__ = ["planar_entry"]

#: Status for arguments that are not the arrays which the kernel needs.
REFUSED = 1


def _planar_inverse_dynamics(owner, arguments, count):
    """(q, v, vdot, guess, tau) or (q, v, vdot, guess, tau, coordinates) -> status."""
    if count not in (5, 6):
        return as_status(REFUSED)
    plan, objects = plan_of(owner, PLAN_SIZE), numbers(arguments, count)
    nq, p, width = plan[NQ], plan[COORDINATES], plan[VELOCITIES]
    q, v, vdot = (
        data_of(plan, objects[0], 1, p),
        data_of(plan, objects[1], 1, width),
        data_of(plan, objects[2], 1, width),
    )
    guess, tau = data_of(plan, objects[3], 1, nq), data_of(plan, objects[4], 1, width)
    coordinates, written = guess, 0
    if count == 6:
        coordinates, written = data_of(plan, objects[5], 1, nq), nq
    if q == 0 or v == 0 or vdot == 0 or guess == 0 or tau == 0 or coordinates == 0:
        return as_status(REFUSED)
    state = floats(q, p), floats(v, width), floats(vdot, width), floats(guess, nq)
    results = floats(coordinates, written), floats(tau, width)
    return as_status(planar_inverse_dynamics(mechanism_of(plan), workspace_at(plan), *state, *results))


def planar_entry(mechanism: PlanarMechanism, workspace: PlanarWorkspace) -> Callable[..., int]:
    """A function (q, v, vdot, guess, tau) -> status, see :func:`.planar_inverse_dynamics`.

    With a sixth argument for the coordinates of all joints. 1 also for arguments that are not float64 arrays
    of the right shape, contiguous, aligned and writeable.
    """
    nq, sizes = len(mechanism.index_in_v), (len(mechanism.independent_q), len(mechanism.independent_v))
    if not entries_are_direct():
        return _wrapped(mechanism, workspace, (sizes[0], sizes[1], sizes[1], nq, sizes[1], nq))
    plan = planar_plan(mechanism, workspace)
    function: Callable[..., int] = bound_function(_planar_inverse_dynamics, plan, (mechanism, workspace))
    return function


def _wrapped(
    mechanism: PlanarMechanism, workspace: PlanarWorkspace, sizes: tuple[int, ...]
) -> Callable[..., int]:
    """The same through Numba's wrapper, or interpreted where NUMBA_DISABLE_JIT is set."""
    double = np.dtype(np.float64)

    def call(*arguments: Any) -> int:
        if len(arguments) not in (5, 6):
            return REFUSED
        for x, size in zip(arguments, sizes, strict=False):
            if not (type(x) is np.ndarray and x.dtype is double and x.shape == (size,) and x.flags.carray):
                return REFUSED
        *state, tau = arguments[:5]
        coordinates = arguments[5] if len(arguments) == 6 else np.zeros(0)
        return int(planar_inverse_dynamics(mechanism, workspace, *state, coordinates, tau))

    return call

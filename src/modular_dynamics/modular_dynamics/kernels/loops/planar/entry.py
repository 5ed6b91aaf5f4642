"""Dynamics with planar loops as Python functions of arrays, as :mod:`...entry` has them for trees."""

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
from .equation_of_motion import EquationWorkspace, planar_equation_of_motion
from .inverse_dynamics import PlanarMechanism, PlanarWorkspace, planar_inverse_dynamics
from .plan import (
    COORDINATES,
    EQUATION_PLAN_SIZE,
    NQ,
    PLAN_SIZE,
    VELOCITIES,
    equation_at,
    mechanism_of,
    planar_plan,
    workspace_at,
)

__all__ = ["planar_entry", "planar_equation_entry"]

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


def _planar_equation_of_motion(owner, arguments, count):
    """(q, guess, M), or (q, v, tau, guess, vdot) -> status; or with coordinates as one argument more."""
    if count < 3 or count > 6:
        return as_status(REFUSED)
    plan, objects = plan_of(owner, EQUATION_PLAN_SIZE), numbers(arguments, count)
    nq, p, width = plan[NQ], plan[COORDINATES], plan[VELOCITIES]
    last = count - 1 if count % 2 == 1 else count - 2
    q, guess = data_of(plan, objects[0], 1, p), data_of(plan, objects[last - 1], 1, nq)
    coordinates, written = guess, 0
    if count % 2 == 0:
        coordinates, written = data_of(plan, objects[count - 1], 1, nq), nq
    v, tau, moving, size = q, q, 0, width
    if last == 4:
        v, tau, moving, size = (
            data_of(plan, objects[1], 1, width),
            data_of(plan, objects[2], 1, width),
            width,
            0,
        )
    result = data_of(plan, objects[last], 1 if last == 4 else 2, width)
    if q == 0 or v == 0 or tau == 0 or guess == 0 or result == 0 or coordinates == 0:
        return as_status(REFUSED)
    state = floats(q, p), floats(v, moving), floats(tau, moving), floats(guess, nq)
    results = floats(coordinates, written), floats(result, (size, size)), floats(result, moving)
    return as_status(
        planar_equation_of_motion(mechanism_of(plan), workspace_at(plan), equation_at(plan), *state, *results)
    )


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


def planar_equation_entry(
    mechanism: PlanarMechanism, workspace: PlanarWorkspace, equation: EquationWorkspace
) -> Callable[..., int]:
    """A function (q, guess, M) or (q, v, tau, guess, vdot) -> status, see :func:`.planar_equation_of_motion`.

    As :func:`planar_entry` in all else.
    """
    if not entries_are_direct():
        return _equation_wrapped(mechanism, workspace, equation)
    plan = planar_plan(mechanism, workspace, equation)
    kept = mechanism, workspace, equation
    function: Callable[..., int] = bound_function(_planar_equation_of_motion, plan, kept)
    return function


def _are_arrays(arguments: Any, shapes: Any) -> bool:
    """Are arguments float64 arrays as kernels take them?"""
    double = np.dtype(np.float64)
    return all(
        type(x) is np.ndarray and x.dtype is double and x.shape == shape and x.flags.carray
        for x, shape in zip(arguments, shapes, strict=False)
    )


def _wrapped(
    mechanism: PlanarMechanism, workspace: PlanarWorkspace, sizes: tuple[int, ...]
) -> Callable[..., int]:
    """The same through Numba's wrapper, or interpreted where NUMBA_DISABLE_JIT is set."""
    shapes = [(size,) for size in sizes]

    def call(*arguments: Any) -> int:
        if len(arguments) not in (5, 6) or not _are_arrays(arguments, shapes):
            return REFUSED
        *state, tau = arguments[:5]
        coordinates = arguments[5] if len(arguments) == 6 else np.zeros(0)
        return int(planar_inverse_dynamics(mechanism, workspace, *state, coordinates, tau))

    return call


def _equation_wrapped(
    mechanism: PlanarMechanism, workspace: PlanarWorkspace, equation: EquationWorkspace
) -> Callable[..., int]:
    """The same of the equation of motion."""
    nq, p, width = len(mechanism.index_in_v), len(mechanism.independent_q), len(mechanism.independent_v)
    shapes = {
        3: ((p,), (nq,), (width, width), (nq,)),
        5: ((p,), (width,), (width,), (nq,), (width,), (nq,)),
    }
    none, no_matrix = np.zeros(0), np.zeros((0, 0))

    def call(*arguments: Any) -> int:
        count = len(arguments) - 1 + len(arguments) % 2  # without coordinates
        if count not in shapes or not _are_arrays(arguments, shapes[count]):
            return REFUSED
        *state, result = arguments[:count]
        coordinates = none if count == len(arguments) else arguments[-1]
        if count == 3:
            given = state[0], none, none, state[1], coordinates, result, none
        else:
            given = *state, coordinates, no_matrix, result
        return int(planar_equation_of_motion(mechanism, workspace, equation, *given))

    return call

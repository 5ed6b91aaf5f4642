"""Assembling a mechanism: coordinates of all joints at which all loops are closed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics.arguments import Array
from ...exceptions import StateError
from ...model import SubsystemGraph, checked_vectors, joint_limits, require_graph, usual_range
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import SLACK, indices_in_q
from .diagnosis import cannot_close
from .least_squares import LeastSquares, Search

#: Largest coordinate of a guess, of joints in loops or gears [rad or m]: neighbouring numbers are 1e-4 apart
#: there, and farther beyond.
LARGEST_GUESS = 1e12


@dataclass(frozen=True, eq=False)
class ClosedConfiguration:
    """A closed configuration: the result of `assemble`.

    Attributes:
        coordinates: of all joints (nq,), in the order of ``graph.joint_names``; a guess for `close_loops`.
        independent: those of ``graph.independent_joint_names``: the q of `inverse_dynamics`.
        residual: by loop joint and gear, the largest violation of its rows [m or 1].
        at_limits: names of the joints that are at one of their limits.
    """

    coordinates: Array
    independent: Array
    residual: Mapping[str, float]
    at_limits: tuple[str, ...]


class Assembler:
    """Closes the loops of one graph by moving all joints, floating bases included."""

    def __init__(self, graph: SubsystemGraph) -> None:
        self.system = ConstraintSystem(graph.with_independent_joints(*graph.joint_names))
        self._least_squares = LeastSquares(self.system, graph.joint_names)

    def search(self, start: Array, limited: bool = True) -> Search:
        """Search for closed loops from coordinates ``start`` (nq,). limited: within joint limits."""
        return self._least_squares.search(start, limited)


def starting_point(graph: SubsystemGraph) -> Array:
    """Return coordinates (nq,) of zero, or the middle of a joint's limits where these exclude zero."""
    start = graph.neutral()
    for name in graph.joint_names:
        low, high = joint_limits(graph.joint(name))
        if not low <= 0.0 <= high:
            start[graph.q_slice(name)] = 0.5 * sum(usual_range(graph.joint(name)))
    return start


def finite_guess(graph: SubsystemGraph, guess: ArrayLike) -> Array:
    """Return a copy of a guess of all coordinates (nq,). Raises StateError: a wrong shape, or not finite."""
    try:
        return checked_vectors(graph, q=guess)[0].copy()
    except StateError as error:
        raise StateError(f"guess, of all joints: {error}") from None


def checked_guess(system: ConstraintSystem, guess: ArrayLike) -> Array:
    """Return a copy of a guess of all coordinates (nq,).

    Raises StateError: a wrong shape, not finite, or above :data:`LARGEST_GUESS` in loops or gears.
    """
    graph, q = system.graph, finite_guess(system.graph, guess)
    is_coupled = system.is_coupled.any(axis=0)
    for name in graph.joint_names if np.abs(q).max(initial=0.0) > LARGEST_GUESS else ():
        largest = np.abs(q[graph.q_slice(name)]).max()
        if largest > LARGEST_GUESS and is_coupled[graph.v_slice(name)].any():
            raise StateError(
                f"guess, of all joints: {largest:.3g} of joint '{name}' is too large to close its loops to "
                f"rounding; at most {LARGEST_GUESS:g} rad or m is possible"
            )
    return q


def assemble(graph: SubsystemGraph, guess: ArrayLike | None = None) -> ClosedConfiguration:
    """Close all loops by moving all joints, actuated ones and floating bases included, within their limits.

    By least squares in a trust region (:mod:`.least_squares`), loops that share no joint one by one. Joints
    that are in no loop and no gear keep their coordinates. `close_loops` closes loops at given coordinates
    of the independent joints.

    Args:
        guess: coordinates of all joints (nq,) to start from. Joints in loops that are beyond their limits
            are moved to the limits first. Zero by default, or the middle of a joint's limits where these
            exclude zero.

    Raises:
        ClosureError: no closed configuration was found; it says whether limits are in the way, and has the
            residual and the closest configuration.
        StateError: a guess of the wrong shape, not finite, or above 1e12 rad or m.
        UnsupportedModelError: a black box in the graph.
    """
    require_graph(graph)
    assembler = graph.once(Assembler)
    start = starting_point(graph) if guess is None else checked_guess(assembler.system, guess)
    result = assembler.search(start)
    if result.open_groups:
        beyond = assembler.search(result.q, limited=False)
        raise cannot_close(assembler.system, result, beyond)
    q, at_limits = result.q, list[str]()
    for name in graph.joint_names:
        position = q[graph.q_slice(name)][0]
        if min(abs(position - limit) for limit in joint_limits(graph.joint(name))) < SLACK:
            at_limits.append(name)
    independent = q[indices_in_q(graph, graph.independent_joint_names)]
    return ClosedConfiguration(q, independent, assembler.system.residual(q), tuple(at_limits))

"""Many states of robots whose loops are not all planar, by one compiled function on threads."""

import numpy as np
from numpy.typing import NDArray

from ....dynamics.arrays.model_arrays import topology_of
from ....dynamics.execution.threads import run_on_threads
from ....kernels.loops.newton_batch import (
    NewtonDesigns,
    NewtonLimits,
    NewtonMechanism,
    NewtonStates,
    newton_batch,
)
from ....kernels.loops.planar.batch import BLOCK, PlanarStates
from ....kernels.loops.structures import Tree
from ...assembly.assemble import LARGEST_GUESS
from ...assembly.independence import LARGEST_VIOLATION, WORST_CONDITION
from ...assembly.mechanism import FARTHEST, ROUNDING
from ...constraints.rows import row_values
from ..solver import ClosedLoopSolver

__all__ = ["answer_by_newton", "newton_mechanism", "newton_states"]

LIMITS = NewtonLimits(LARGEST_GUESS, FARTHEST, WORST_CONDITION, LARGEST_VIOLATION, ROUNDING)


def answer_by_newton(solver: ClosedLoopSolver, friction: str, states: PlanarStates, threads: int) -> None:
    """Write the results of rows that the compiled function answers; the status of others is not zero.

    It answers none where coordinates are free or have a quaternion: these are left to the general method.
    """
    mechanism = newton_mechanism(solver, friction, states.starts)
    if mechanism is None:
        return
    rows = newton_states(states)
    none = NewtonDesigns(np.zeros(0, np.int64), np.zeros((0, 0)), states.starts[0], 0)

    def work(queue: NDArray[np.int64]) -> None:
        values = row_values(solver.graph, len(solver.graph.springs))
        own = mechanism._replace(springs=mechanism.springs._replace(values=values))
        newton_batch(own, solver.system.new_workspace(), solver.result_arrays(), rows, none, BLOCK, queue)

    count = len(states.q)
    run_on_threads(work, count, min(threads, -(-count // BLOCK)))


def newton_states(states: PlanarStates) -> NewtonStates:
    """The same rows as this kernel takes them."""
    return NewtonStates(
        *states[:4], states.coordinates, states.tau, states.tensions, statuses=states.statuses
    )


def newton_mechanism(
    solver: ClosedLoopSolver, friction: str, starts: NDArray[np.float64]
) -> NewtonMechanism | None:
    """None where coordinates are free, or have a quaternion."""
    finite = starts[np.isfinite(starts).all(axis=1)]
    if not len(finite) or not solver.is_determined(finite[0]):
        return None
    system = solver.system  # what `is_determined` may have replaced
    if system.independent.floating or len(system.split.posed):
        return None
    return NewtonMechanism(
        tree=Tree(topology_of(solver.graph, frozenset(), friction), system.tree.constants),
        rows=system.rows.arrays,
        springs=system.springs.arrays,
        split=system.split,
        independent_q=np.array(system.independent_q, np.int64),
        reach=system.reach,
        is_uncoupled=system.is_free.astype(np.int64),
        limits=LIMITS,
    )

"""Many states of robots whose loops are not all planar, by one compiled function on threads."""

import numpy as np
from numpy.typing import NDArray

from ....kernels.loops.newton_batch import NewtonStates, newton_batch
from ....kernels.loops.planar.batch import BLOCK, PlanarStates
from ...threads import run_on_threads
from ..newton.arrays import newton_mechanism, no_designs, with_work_arrays
from ..solver import ClosedLoopSolver

__all__ = ["answer_by_newton", "newton_states"]


def answer_by_newton(solver: ClosedLoopSolver, friction: str, states: PlanarStates, threads: int) -> None:
    """Write the results of rows that the compiled function answers; the status of others is not zero.

    It answers none where coordinates are free or have a quaternion: these are left to the general method.
    """
    mechanism = newton_mechanism(solver, friction, states.starts)
    if mechanism is None:
        return
    rows = newton_states(states)
    none = no_designs(solver.graph)

    def work(queue: NDArray[np.int64]) -> None:
        own = with_work_arrays(mechanism, solver.graph)
        newton_batch(own, solver.system.new_workspace(), solver.result_arrays(), rows, none, BLOCK, queue)

    count = len(states.q)
    run_on_threads(work, count, min(threads, -(-count // BLOCK)))


def newton_states(states: PlanarStates) -> NewtonStates:
    """The same rows as this kernel takes them."""
    return NewtonStates(
        *states[:4], states.coordinates, states.tau, states.tensions, statuses=states.statuses
    )

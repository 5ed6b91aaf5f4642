"""The arrays of a mechanism whose loops Newton's method closes, for one compiled function."""

import numpy as np
from numpy.typing import NDArray

from ....dynamics.arrays.model_arrays import topology_of
from ....kernels.loops.newton_batch import NewtonDesigns, NewtonLimits, NewtonMechanism
from ....kernels.loops.structures import Tree
from ....model import SubsystemGraph
from ...assembly.assemble import LARGEST_GUESS
from ...assembly.independence import LARGEST_VIOLATION, WORST_CONDITION
from ...assembly.mechanism import FARTHEST, ROUNDING
from ...constraints.rows import row_values
from ..solver import ClosedLoopSolver

__all__ = ["newton_mechanism", "no_designs", "with_work_arrays"]

LIMITS = NewtonLimits(LARGEST_GUESS, FARTHEST, WORST_CONDITION, LARGEST_VIOLATION, ROUNDING)


def newton_mechanism(
    solver: ClosedLoopSolver, friction: str, starts: NDArray[np.float64]
) -> NewtonMechanism | None:
    """None where coordinates are free, or have a quaternion, or no row of ``starts`` (n, nq) is finite."""
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


def with_work_arrays(mechanism: NewtonMechanism, graph: SubsystemGraph) -> NewtonMechanism:
    """A copy with work arrays that one thread may overwrite."""
    values = row_values(graph, len(graph.springs))
    return mechanism._replace(springs=mechanism.springs._replace(values=values))


def no_designs(graph: SubsystemGraph) -> NewtonDesigns:
    """What the compiled function takes where all rows are of one robot."""
    return NewtonDesigns(np.zeros(0, np.int64), np.zeros((0, 0)), np.zeros(graph.nq), 0)

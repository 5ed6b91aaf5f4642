"""Designs whose loops are not planar: by Newton's method, with the numbers of each in the kernel's arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....dynamics.arrays.arguments import Array
from ....dynamics.arrays.design_rows import Columns, rows_of_designs
from ....kernels import layout
from ....kernels.loops.newton_batch import NewtonDesigns, NewtonMechanism, newton_batch, own_numbers
from ....kernels.loops.planar.batch import PlanarStates
from ....kernels.loops.structures import Tree
from ....model import SubsystemGraph
from ...constraints.constraint_system import ConstraintSystem
from ...constraints.rows import row_values
from ...threads import run_on_threads
from ..newton.arrays import newton_mechanism
from ..solver import ClosedLoopSolver
from .newton_rows import newton_states

__all__ = ["answer_designs_by_newton"]


def answer_designs_by_newton(
    solver: ClosedLoopSolver,
    columns: Columns,
    designs: Sequence[int],
    friction: str,
    terms: int,
    states: PlanarStates,
    threads: int,
) -> None:
    """Write the results of rows of designs that the compiled function answers; others have another status.

    Each design is closed from ``states.starts[0]``, and followed from state to state. None is answered where
    coordinates are free or have a quaternion.

    Args:
        designs: rows of the columns. terms: that joints add in some designs (`terms_of_columns`).
    """
    each, order = len(states.q) // len(columns.values), np.array(designs, np.int64)
    for design in designs:
        states.statuses[design * each : (design + 1) * each] = 1
    mechanism = newton_mechanism(solver, friction, states.starts)
    if mechanism is None or not each:
        return
    system = solver.system
    chosen = Columns(columns.graph, columns.names, columns.values[order])
    made = rows_of_designs(chosen, lambda graph: _numbers_of(graph, system, mechanism), "Newton")
    known = np.setdiff1d(np.arange(len(order)), [*made.errors, *made.others])
    if not len(known):
        return
    rows = newton_states(states)
    arrays = NewtonDesigns(order[known], made.numbers[known], states.starts[0], each)

    def work(queue: NDArray[np.int64]) -> None:
        own = _with_own_numbers(mechanism, solver.graph, terms)
        newton_batch(own, system.new_workspace(), solver.result_arrays(), rows, arrays, each, queue)

    run_on_threads(work, each * len(known), min(threads, len(known)))


def _numbers_of(graph: SubsystemGraph, base: ConstraintSystem, mechanism: NewtonMechanism) -> Array | None:
    """The numbers of a graph of the same structure; None where its coordinates move other loops or gears."""
    system = ConstraintSystem(graph)
    splits = (split._replace(blocks=base.split.blocks) for split in (system.split, base.split))
    pairs = [
        *((own, other) for own, other in zip(*splits, strict=True) if own is not other),
        (system.reach, base.reach),
        (system.is_free, base.is_free),
        (system.rows.arrays.ends, base.rows.arrays.ends),
        (system.rows.arrays.indices, base.rows.arrays.indices),
    ]
    if not all(np.array_equal(own, other) for own, other in pairs):
        return None
    other = mechanism._replace(tree=system.tree, rows=system.rows.arrays, springs=system.springs.arrays)
    return np.concatenate([array.ravel() for array in own_numbers(other)])


def _with_own_numbers(mechanism: NewtonMechanism, graph: SubsystemGraph, terms: int) -> NewtonMechanism:
    """A copy whose numbers one thread may overwrite; with these terms, too."""
    tree, rows, springs = mechanism.tree, mechanism.rows, mechanism.springs
    topology = tree.topology.copy()
    topology[-1, layout.TERMS] |= terms
    return mechanism._replace(
        tree=Tree(topology, tree.constants.copy()),
        rows=rows._replace(anchors=rows.anchors.copy(), vectors=rows.vectors.copy()),
        springs=springs._replace(
            rows=springs.rows._replace(anchors=springs.rows.anchors.copy()),
            values=row_values(graph, len(springs.laws)),
            laws=springs.laws.copy(),
        ),
    )

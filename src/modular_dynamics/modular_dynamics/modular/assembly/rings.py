"""Rings of an assembly: which of its joints are independent, and what a ring leaves of its mobility."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...closure.assembly.assemble import Assembler, checked_guess
from ...closure.assembly.diagnosis import cannot_close
from ...closure.assembly.free_coordinates import closed_around
from ...closure.assembly.groups import LoopGroup, independent_groups
from ...closure.constraints.constraint_system import ConstraintSystem
from ...kernels.loops.newton import CLOSED
from ...model import SubsystemGraph

__all__ = ["IndependentJoints", "independent_joints"]

Array = NDArray[np.float64]
#: Singular value of the constraint Jacobian below which, relative to the largest, it counts as zero.
_RANK = 1e-7
#: Columns whose lengths differ by less move loops alike; the last joint of them becomes dependent.
_ALIKE = 0.999


class IndependentJoints(NamedTuple):
    """Names of the independent joints; None: all, because no closed configuration is known. And notes."""

    names: tuple[str, ...] | None
    notes: tuple[str, ...]


def independent_joints(graph: SubsystemGraph, guess: ArrayLike | None) -> IndependentJoints:
    """Choose independent joints by the rank of the constraint Jacobian J at a closed configuration.

    A column of J is what a joint does to the loops. QR with column pivoting takes as many columns as J has
    rank: these joints depend on the others. Of joints that move the loops alike, the first stays independent.
    A floating base and virtual joints move no ring; they are always independent.

    Where the loops are in line, as they may be with all joints at zero, J has less rank than nearby; then it
    is taken at a closed configuration nearby.

    Args:
        guess: coordinates of all joints (nq,) near which the rings are closed; None: zero.

    Raises:
        StateError: a guess of the wrong shape, or not finite.
    """
    assembler = Assembler(graph)
    system = assembler.system
    closed = graph.neutral() if guess is None else checked_guess(graph, guess)
    if not system.largest_residual(closed) < CLOSED:
        found = assembler.search(closed)
        if found.open:
            error = cannot_close(system, found, assembler.search(found.q, limited=False), "all joints")
            return IndependentJoints(None, (f"no independent joints were chosen: {error}",))
        closed = found.q
    here, around = _jacobian(system, closed), [_jacobian(system, q) for q in closed_around(system, closed)]
    dependent: set[str] = set()
    notes: list[str] = []
    for group in independent_groups(system, graph.joint_names):
        blocks = [J[np.ix_(group.rows, group.v)] for J in (here, *around)]
        ranks = [_rank(block) for block in blocks]
        generic = blocks[int(np.argmax(ranks))]  # the closed configuration itself, if its rank is the largest
        chosen = [group.joints[k] for k in _dependent_columns(generic, max(ranks))]
        dependent.update(chosen)
        notes += _notes(system, group, len(chosen), ranks[0])
    names = tuple(name for name in graph.joint_names if name not in dependent)
    return IndependentJoints(names, tuple(notes))


def _jacobian(system: ConstraintSystem, q: Array) -> Array:
    return system.evaluate(q).J.copy()


def _rank(J: Array) -> int:
    sizes = np.linalg.svd(J, compute_uv=False)
    return int((sizes > _RANK * sizes.max(initial=0.0)).sum())


def _dependent_columns(J: Array, rank: int) -> list[int]:
    """Indices of ``rank`` independent columns of J (m, n): by QR with column pivoting."""
    rest, chosen = J.copy(), list[int]()
    for _ in range(rank):
        lengths = np.linalg.norm(rest, axis=0)
        best = int(np.flatnonzero(lengths > _ALIKE * lengths.max())[-1])
        chosen.append(best)
        direction = rest[:, best] / lengths[best]
        rest -= np.outer(direction, direction @ rest)
        rest[:, best] = 0.0
    return chosen


def _notes(system: ConstraintSystem, group: LoopGroup, rank: int, rank_here: int) -> list[str]:
    """What is unusual of loops that share joints."""
    rings = ", ".join(dict.fromkeys(np.array(system.rows.names)[group.rows].tolist()))
    if rank == len(group.joints):
        return [f"the rings {rings} leave no mobility: they hold {', '.join(group.joints)} in place"]
    if rank_here < rank:
        return [
            f"the rings {rings} are in line at the closed configuration from which independent joints were "
            "chosen: it is a dead point; start beside it, by a guess"
        ]
    return []

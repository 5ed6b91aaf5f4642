"""Rings of an assembly: which of its joints are independent, and what a ring leaves of its mobility."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...loops.assembly.assemble import Assembler, checked_guess
from ...loops.assembly.diagnosis import cannot_close
from ...loops.assembly.free_coordinates import closed_around, closes
from ...loops.assembly.groups import LoopGroup, independent_groups
from ...loops.constraints.constraint_system import ConstraintSystem
from ...loops.constraints.coordinates import Coordinates
from ...loops.constraints.newton import CLOSED
from ...model import SubsystemGraph

__all__ = ["IndependentJoints", "independent_joints"]

Array = NDArray[np.float64]
#: Singular value of the constraint Jacobian below which, relative to the largest, it counts as zero.
#: Where loops are in line it is some 1e-6, because positions are then found to half of the digits.
_RANK = 1e-4
#: Distance [rad or m] of closed configurations below which they are one.
_APART = 1e-3
#: Columns whose lengths differ by less move loops alike; the last joint of them becomes dependent.
_ALIKE = 0.999


class IndependentJoints(NamedTuple):
    """Names of the independent joints; None: all, because no closed configuration is known. And notes.

    ``open``: names of the rings that no search closed. ``why``: they did not close.
    """

    names: tuple[str, ...] | None
    notes: tuple[str, ...]
    open: tuple[str, ...] = ()
    why: str = ""


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
    closed = graph.neutral() if guess is None else checked_guess(system, guess)
    start = closed.copy()
    # Newton's method is quick; the search within limits, where it fails, reports the reason
    if not system.largest_residual(closed) < CLOSED and not closes(system, Coordinates(graph), closed):
        found = assembler.search(start)
        if found.open_groups:
            why = str(cannot_close(system, found, assembler.search(found.q, limited=False), "all joints"))
            rows = [row for minimum in found.open_groups for row in minimum.group.rows]
            opened = dict.fromkeys(np.array(system.names)[rows].tolist())
            note = f"no independent joints were chosen: {why}"
            return IndependentJoints(None, (note,), tuple(opened), why)
        closed = found.q
    around = closed_around(system, closed)
    dependent: set[str] = set()
    notes: list[str] = []
    for group in independent_groups(system, graph.joint_names):
        far = [q for q in around if np.abs(q - closed)[group.q].max(initial=0.0) > _APART]
        blocks = [system.evaluate(q).J[np.ix_(group.rows, group.v)] for q in (closed, *far)]
        ranks = [_rank(block) for block in blocks]
        generic = blocks[int(np.argmax(ranks))]  # the closed configuration itself, if its rank is the largest
        chosen = [group.joints[k] for k in _dependent_columns(generic, max(ranks))]
        dependent.update(chosen)
        if len(chosen) == len(group.joints) or (around and not far):
            notes.append(f"{_names(system, group)} leave no mobility: they hold {', '.join(group.joints)}")
        elif ranks[0] < max(ranks):
            notes.append(
                f"{_names(system, group)} are in line at the closed configuration from which independent "
                "joints were chosen: it is a dead point; start beside it, by a guess"
            )
    names = tuple(name for name in graph.joint_names if name not in dependent)
    return IndependentJoints(names, tuple(notes))


def _names(system: ConstraintSystem, group: LoopGroup) -> str:
    return f"the rings {', '.join(dict.fromkeys(np.array(system.names)[group.rows].tolist()))}"


def _rank(J: Array) -> int:
    sizes = np.linalg.svd(J, compute_uv=False)
    return int((sizes > _RANK * sizes.max(initial=0.0)).sum())


def _dependent_columns(J: Array, rank: int) -> list[int]:
    """Return indices of ``rank`` independent columns of J (m, n), by QR with column pivoting."""
    rest, chosen = J.copy(), list[int]()
    for _ in range(rank):
        lengths = np.linalg.norm(rest, axis=0)
        best = int(np.flatnonzero(lengths > _ALIKE * lengths.max())[-1])
        chosen.append(best)
        direction = rest[:, best] / lengths[best]
        rest -= np.outer(direction, direction @ rest)
        rest[:, best] = 0.0
    return chosen

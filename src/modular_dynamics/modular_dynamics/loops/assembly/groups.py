"""Groups of loops that share no free coordinate, and so can be closed independently of each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...dynamics.arguments import Array
from ..constraints.constraint_system import ConstraintSystem
from ..constraints.coordinates import indices_in_q, indices_in_v

__all__ = ["LoopGroup", "independent_groups"]


@dataclass(frozen=True, eq=False)
class LoopGroup:
    """Loop joints and gears, and the free joints that move them; these move no other group.

    Attributes:
        rows: indices of their constraint rows. joints: names. q, v: indices of the joints' coordinates and
            velocities.
    """

    rows: NDArray[np.int64]
    joints: tuple[str, ...]
    q: NDArray[np.int64]
    v: NDArray[np.int64]


def independent_groups(system: ConstraintSystem, free: Sequence[str]) -> list[LoopGroup]:
    """Return the groups of a graph's loops when the joints ``free`` move and all others stand still.

    Loops that no free joint moves are a group without joints.
    """
    graph, names = system.graph, system.names
    members = {name: np.flatnonzero([row == name for row in names]) for name in dict.fromkeys(names)}
    moved_by = {
        name: {k for k in free if system.is_coupled[rows][:, graph.v_slice(k)].any()}
        for name, rows in members.items()
    }
    groups: list[tuple[list[str], set[str]]] = []
    for name, joints in moved_by.items():
        met = [group for group in groups if group[1] & joints]
        merged = [*(k for group in met for k in group[0]), name], joints.union(*(group[1] for group in met))
        groups = [group for group in groups if group not in met] + [merged]
    return [_group(system, np.concatenate([members[k] for k in loops]), joints) for loops, joints in groups]


def _group(system: ConstraintSystem, rows: Array, joints: set[str]) -> LoopGroup:
    graph = system.graph
    ordered = tuple(name for name in graph.joint_names if name in joints)
    return LoopGroup(np.sort(rows), ordered, indices_in_q(graph, ordered), indices_in_v(graph, ordered))

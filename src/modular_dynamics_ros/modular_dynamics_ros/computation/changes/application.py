"""The graph that a list of changes makes of a robot's description."""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import modular_dynamics as md
from modular_dynamics_ros.computation.changes.change import Change, Changes
from modular_dynamics_ros.computation.changes.strictness import require_possible
from modular_dynamics_ros.exceptions import NumbersError

__all__ = ["Applied", "applied", "fitted", "remaining"]


class Applied(NamedTuple):
    """A changed graph.

    Attributes:
        changes: that made it. dropped: those that do not fit the robot, and why, one text each.
        warnings: of the library, such as a joint that is locked beyond its limits.
        wanted: all changes, those that were dropped among them.
    """

    graph: md.SubsystemGraph
    changes: Changes
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    wanted: Changes = ()


def applied(described: md.SubsystemGraph, changes: Sequence[Change], *, strict: bool = False) -> Applied:
    """Apply all changes in order, and return the result.

    Args:
        strict: whether inertias that no body can have are refused; else they are in the warnings.

    Raises:
        ModularDynamicsError: of the first one that the robot does not allow. NumbersError: see `strict`.
    """
    graph, said = described, list[str]()
    for change in changes:
        graph, more = _with(graph, change, strict)
        said += more
    return Applied(graph, tuple(changes), (), tuple(dict.fromkeys(said)), tuple(changes))


def fitted(described: md.SubsystemGraph, changes: Sequence[Change], *, strict: bool = False) -> Applied:
    """Apply the changes that a new description allows; drop the others one by one.

    Args:
        strict: see `applied`.
    """
    kept: list[Change] = []
    dropped: list[str] = []
    graph, said = described, list[str]()
    for change in changes:
        try:
            graph, more = _with(graph, change, strict)
            kept.append(change)
            said += more
        except (md.ModularDynamicsError, NumbersError) as error:  # noqa: PERF203  # a few changes
            dropped.append(f"{change}: {error}")
    return Applied(graph, tuple(kept), tuple(dropped), tuple(dict.fromkeys(said)), tuple(changes))


def _with(graph: md.SubsystemGraph, change: Change, strict: bool) -> tuple[md.SubsystemGraph, list[str]]:
    """Return the graph with one more change, and the library's warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", md.ModelWarning)
        changed = change.apply(graph)
    if strict:
        require_possible(change, changed)
    return changed, [str(one.message) for one in caught]


def remaining(described: md.SubsystemGraph, changes: Sequence[Change]) -> Changes:
    """Return the changes left after one was removed: those that depend on it go, too.

    Raises:
        ModularDynamicsError: what is left of a change is not allowed without the other one.
    """
    kept: list[Change] = []
    graph = described
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        for change in changes:
            left = change.without_unknown(graph)
            if left is not None:
                graph = left.apply(graph)
                kept.append(left)
    return tuple(kept)

"""The graph that a list of changes makes of a robot's description."""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import modular_dynamics as md
from modular_dynamics_ros.computation.changes.change import Change, Changes

__all__ = ["Applied", "applied", "fitted", "remaining"]


class Applied(NamedTuple):
    """A changed graph.

    Attributes:
        changes: that made it. dropped: those that do not fit the robot, and why, one text each.
        warnings: of the library, such as a joint that is locked beyond its limits.
    """

    graph: md.SubsystemGraph
    changes: Changes
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def applied(described: md.SubsystemGraph, changes: Sequence[Change]) -> Applied:
    """All changes, one after the other.

    Raises:
        ModularDynamicsError: of the first one that the robot does not allow.
    """
    graph = described
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", md.ModelWarning)
        for change in changes:
            graph = change.apply(graph)
    said = tuple(dict.fromkeys(str(one.message) for one in caught))
    return Applied(graph, tuple(changes), warnings=said)


def fitted(described: md.SubsystemGraph, changes: Sequence[Change]) -> Applied:
    """The changes that another description of the robot allows; the others are dropped one by one."""
    kept: list[Change] = []
    dropped: list[str] = []
    graph = described
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        for change in changes:
            try:
                graph = change.apply(graph)
                kept.append(change)
            except md.ModularDynamicsError as error:  # noqa: PERF203  # a few changes
                dropped.append(f"{change}: {error}")
    return Applied(graph, tuple(kept), tuple(dropped))


def remaining(described: md.SubsystemGraph, changes: Sequence[Change]) -> Changes:
    """What is left of changes after one was taken from their list: what concerned it goes with it.

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

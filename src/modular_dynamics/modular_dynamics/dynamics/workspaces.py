"""Workspaces of graphs: made on first use, one for each graph, thread and purpose, and freed with the graph.

Model, workspace and result are three things. A SubsystemGraph is constant and knows no workspaces; a result
is a value. Workspaces stand here, by the identity of their graph: a copy of a graph, one with a change and
one that was unpickled start without any. A workspace belongs to the thread that made it.
"""

import threading
import weakref
from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

from ..model import SubsystemGraph, require_graph

__all__ = ["direct_calls", "offer_direct_call", "workspace_of"]

#: Workspaces of one graph in one thread, many of them for one link each; the oldest goes first.
MOST_WORKSPACES = 1024

W = TypeVar("W")
DirectCall = Callable[..., int]


class _ThreadWorkspaces(threading.local):
    """By (class, arguments); each thread sees a dictionary of its own."""

    def __init__(self) -> None:
        self.by_key: dict[tuple[Any, tuple[Any, ...]], Any] = {}


class _GraphData:
    """What this process has made for one graph.

    Attributes:
        twin: a shallow copy that workspaces refer to. If they referred to the caller's graph, neither would
            ever be freed.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self.twin = copy(graph)
        self.threads = _ThreadWorkspaces()


# by id(graph) and by that of its twin: weak keys would take longer to look up than a small robot's torques
_data: dict[int, _GraphData] = {}
_direct_calls: dict[str, dict[int, DirectCall]] = {}
_lock = threading.Lock()


def _data_of(graph: SubsystemGraph) -> _GraphData:
    with _lock:
        data = _data.get(id(graph))
        if data is None:
            require_graph(graph)
            data = _GraphData(graph)
            _data[id(graph)] = _data[id(data.twin)] = data
            # called before another object can get this id
            weakref.finalize(graph, _forget, id(graph), id(data.twin)).atexit = False
    return data


def _forget(*ids: int) -> None:
    for calls in _direct_calls.values():
        for number in ids:
            calls.pop(number, None)
    for number in ids:
        _data.pop(number, None)


def workspace_of(graph: SubsystemGraph, make: Callable[..., W], *arguments: Any) -> W:
    """This thread's ``make(graph, *arguments)``, made on first use. ``make`` is a class or a function."""
    try:
        workspace: W = _data[id(graph)].threads.by_key[make, arguments]
        return workspace
    except KeyError:
        pass  # the first use
    except TypeError:  # arguments that cannot be keys: whoever checks them says what is wrong
        require_graph(graph)
        return make(graph, *arguments)
    data = _data_of(graph)
    workspace = make(data.twin, *arguments)
    workspaces = data.threads.by_key
    if len(workspaces) >= MOST_WORKSPACES:
        workspaces.pop(next(iter(workspaces)))
    workspaces[make, arguments] = workspace
    return workspace


def direct_calls(algorithm: str) -> dict[int, DirectCall]:
    """By id(graph): compiled functions of arrays (kernels/loops/planar/entry.py), for all threads.

    They hold the interpreter's lock while they run: threads cannot meet in the calls' own work arrays.
    """
    return _direct_calls.setdefault(algorithm, {})


def offer_direct_call(graph: SubsystemGraph, algorithm: str, make: Callable[[], DirectCall]) -> None:
    """Use the call that ``make`` makes for this graph, unless there is one."""
    _data_of(graph)  # forgets the call when the graph is collected
    calls = _direct_calls[algorithm]
    if id(graph) not in calls:
        calls.setdefault(id(graph), make())

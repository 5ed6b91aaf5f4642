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

from ..model import SubsystemGraph

__all__ = ["direct_calls", "discard_workspaces", "generated_code", "offer_direct_call", "workspace_of"]

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
        code: addresses of generated machine code, by algorithm, form and dtype.
    """

    def __init__(self, graph: SubsystemGraph) -> None:
        self.twin = copy(graph)
        self.threads = _ThreadWorkspaces()
        self.code: dict[tuple[str, str, Any], int] = {}


# by id(graph) and by that of its twin: weak keys would take longer to look up than a small robot's torques
_data: dict[int, _GraphData] = {}
_direct_calls: dict[str, dict[int, DirectCall]] = {}
_lock = threading.Lock()


def _data_of(graph: SubsystemGraph) -> _GraphData:
    with _lock:
        data = _data.get(id(graph))
        if data is None:
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
        return make(graph, *arguments)
    data = _data_of(graph)
    workspace = make(data.twin, *arguments)
    workspaces = data.threads.by_key
    if len(workspaces) >= MOST_WORKSPACES:
        workspaces.pop(next(iter(workspaces)))
    workspaces[make, arguments] = workspace
    return workspace


def direct_calls(algorithm: str) -> dict[int, DirectCall]:
    """By id(graph): compiled functions of arrays (kernels/entry.py), for all threads.

    They hold the interpreter's lock while they run: threads cannot meet in the calls' own work arrays.
    """
    return _direct_calls.setdefault(algorithm, {})


def offer_direct_call(graph: SubsystemGraph, algorithm: str, make: Callable[[], DirectCall]) -> None:
    """Use the call that ``make`` makes for this graph, unless there is one."""
    _data_of(graph)  # forgets the call when the graph is collected
    calls = _direct_calls[algorithm]
    if id(graph) not in calls:
        calls.setdefault(id(graph), make())


def generated_code(graph: SubsystemGraph) -> dict[tuple[str, str, Any], int]:
    """Addresses of the code that `graph.compile` generated and that is used: (algorithm, form, dtype)."""
    data = _data.get(id(graph))
    return {} if data is None else data.code


def discard_workspaces(graph: SubsystemGraph, code: dict[tuple[str, str, Any], int]) -> None:
    """From now on new workspaces of all threads use this generated code; those that exist are dropped."""
    data = _data_of(graph)
    data.code = code
    data.threads = _ThreadWorkspaces()
    for calls in _direct_calls.values():
        for number in (id(graph), id(data.twin)):
            calls.pop(number, None)

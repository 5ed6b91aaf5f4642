"""Workspaces of closed loops: one of each kind for each thread and graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..model import SubsystemGraph

__all__ = ["workspace_of"]

Workspace = TypeVar("Workspace")


def workspace_of(graph: SubsystemGraph, kind: Callable[[SubsystemGraph], Workspace]) -> Workspace:
    """This thread's ``kind(graph)``, made on first use."""
    workspaces: dict[Any, Any] = vars(graph.workspaces)
    if kind not in workspaces:
        workspaces[kind] = kind(graph)
    workspace: Workspace = workspaces[kind]
    return workspace

"""Equations of motion in the closed form of Meister & Gutenkunst: of numbers, or of symbols."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from ...exceptions import StateError
from ...model import SubsystemGraph
from ...optional_packages import needed
from .numeric import ClosedForm, HasGraph, Matrices, TreeData, graph_of, tree_data

if TYPE_CHECKING:
    from .symbolic import SymbolicClosedForm

__all__ = ["ClosedForm", "Matrices", "TreeData", "closed_form", "tree_data"]


@overload
def closed_form(robot: SubsystemGraph | HasGraph, *, symbolic: Literal[False] = ...) -> ClosedForm: ...
@overload
def closed_form(
    robot: SubsystemGraph | HasGraph,
    *,
    symbolic: Literal[True],
    parameters: str = ...,
    wrenches: Sequence[str] = ...,
) -> "SymbolicClosedForm": ...
def closed_form(robot: SubsystemGraph | HasGraph, *, symbolic: bool = False, **options: Any) -> Any:
    """Return the equations of motion of a tree as matrices, of numbers or of symbols.

    Args:
        robot: a graph, or an object such as an assembly that has one (``robot.graph()``).
        symbolic: give a :class:`.SymbolicClosedForm`, with its ``options``; needs SymPy.

    Raises:
        UnsupportedModelError: see :func:`.tree_data`.
        MissingDependencyError: symbolic, and SymPy cannot be imported.
        StateError: ``symbolic`` is no bool; options without it.
    """
    if not isinstance(symbolic, bool):
        raise StateError(f"symbolic is {symbolic!r}; True or False is needed")
    if symbolic:
        with needed("closed_form(..., symbolic=True)", "SymPy", "equations"):
            from .symbolic import SymbolicClosedForm  # noqa: PLC0415  # SymPy is optional, and slow to import
        return SymbolicClosedForm(graph_of(robot), **options)
    if options:
        raise StateError(f"closed_form takes {', '.join(options)} with symbolic=True only")
    return ClosedForm(graph_of(robot))

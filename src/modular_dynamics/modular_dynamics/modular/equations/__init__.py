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
def closed_form(
    robot: SubsystemGraph | HasGraph, *, symbolic: Literal[False] = ..., floating_base: bool = ...
) -> ClosedForm: ...
@overload
def closed_form(
    robot: SubsystemGraph | HasGraph,
    *,
    symbolic: Literal[True],
    floating_base: bool = ...,
    parameters: str = ...,
    wrenches: Sequence[str] = ...,
) -> "SymbolicClosedForm": ...
def closed_form(
    robot: SubsystemGraph | HasGraph, *, symbolic: bool = False, floating_base: bool = False, **options: Any
) -> Any:
    """Return the equations of motion of a tree as matrices, of numbers or of symbols.

    Args:
        robot: a graph, or an object such as an assembly that has one (``robot.graph()``).
        symbolic: give a :class:`.SymbolicClosedForm`, with its ``options``; needs SymPy.
        floating_base: let the root link move by six virtual joints (section V.B), if it does not float
            already; as of ``md.load_urdf``, q begins with x y z [m] and a quaternion w x y z, v, a and tau
            with a twist or wrench (linear, angular) in the root link's axes.

    Raises:
        UnsupportedModelError: see :func:`.tree_data`.
        MissingDependencyError: symbolic, and SymPy cannot be imported.
        StateError: ``symbolic`` or ``floating_base`` is no bool; options without ``symbolic``.
    """
    for name, value in (("symbolic", symbolic), ("floating_base", floating_base)):
        if not isinstance(value, bool):
            raise StateError(f"{name} is {value!r}; True or False is needed")
    graph = graph_of(robot, floating_base)
    if symbolic:
        with needed("closed_form(..., symbolic=True)", "SymPy", "equations"):
            from .symbolic import SymbolicClosedForm  # noqa: PLC0415  # SymPy is optional, and slow to import
        return SymbolicClosedForm(graph, **options)
    if options:
        raise StateError(f"closed_form takes {', '.join(options)} with symbolic=True only")
    return ClosedForm(graph)

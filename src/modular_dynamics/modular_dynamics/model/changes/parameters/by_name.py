"""Numbers of a graph by name: "joint elbow origin z", "link hand mass", "spring s5 stiffness"."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from ....exceptions import UnknownNameError
from ...structure import Graph, Structure
from ..bodies import changed
from ..checks import checked_number, require_mapping
from .closing import GEARS, GRAVITY, LOOP_JOINTS, SPRINGS
from .joints import JOINTS
from .kind import Kind, Parameter
from .masses import LINKS, PAYLOADS

__all__ = ["Parameter", "parameters_of", "with_parameters"]

_KINDS = {kind.word: kind for kind in (LOOP_JOINTS, JOINTS, LINKS, PAYLOADS, SPRINGS, GEARS, GRAVITY)}


def parameters_of(graph: Structure) -> Mapping[str, Parameter]:
    """Return all numbers that `with_parameters` can change, by name, each with its unit.

    A name is the kind of element, its name, and the quantity: "joint elbow origin z". Origins are poses in
    the parent link, fixed joints' too; masses, centres of mass and inertias about these in the link's frame.
    """
    return MappingProxyType(
        {
            _name(kind, owner, quantity): value
            for kind in _KINDS.values()
            for owner in kind.owners(graph)
            for quantity, value in kind.read(graph, owner).items()
        }
    )


def with_parameters(graph: Graph, values: Mapping[str, float]) -> Graph:
    """Return a new graph with other numbers; everything else stays.

    Args:
        values: by the names of `parameters`, in their units. What is not named stays as it is.

    Raises:
        UnknownNameError: no such parameter; names similar ones.
        ModelError: a number that is not finite, or negative where none can be; an inertia that no body has; a
            lower limit above the upper one; no mapping.
    """
    require_mapping("values", values)
    by_owner: dict[tuple[str, str], dict[str, float]] = {}
    for name, value in values.items():
        kind, owner, quantity = _parsed(graph, name)
        by_owner.setdefault((kind.word, owner), {})[quantity] = checked_number(name, value)
    new = changed(graph)
    for (word, owner), numbers in by_owner.items():
        new = _KINDS[word].write(new, owner, numbers)
    return new


def _name(kind: Kind, owner: str, quantity: str) -> str:
    return " ".join(part for part in (kind.word, owner, quantity) if part)


def _parsed(graph: Structure, name: str) -> tuple[Kind, str, str]:
    """Return kind, owner and quantity in a parameter's name. Raises UnknownNameError."""
    for kind in _KINDS.values():
        if not name.startswith(f"{kind.word} "):
            continue
        rest = name.removeprefix(kind.word)
        for quantity in (one for one in kind.quantities if rest.endswith(f" {one}")):
            owner = rest.removesuffix(f" {quantity}")[1:]
            if owner in kind.owners(graph) and quantity in kind.read(graph, owner):
                return kind, owner, quantity
    known = parameters_of(graph)
    similar = get_close_matches(name, known, 5, 0.5)
    hint = f"similar ones: {', '.join(similar)}" if similar else f"one of them is {next(iter(known))}"
    raise UnknownNameError(f"no parameter '{name}' in '{graph.name}'; of its {len(known)} parameters {hint}")

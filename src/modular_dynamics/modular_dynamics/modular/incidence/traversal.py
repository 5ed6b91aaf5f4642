"""Which module is reached from which one, depth-first or breadth-first (Meister & Gutenkunst, Fig. 6)."""

from collections.abc import Sequence

from ...exceptions import AssemblyError
from ..assembly.docking import Docking

__all__ = ["traversed"]


def traversed(base: str, dockings: Sequence[Docking], order: str) -> list[Docking]:
    """Return a tree's dockings from the base outwards; those of one module in their given order.

    Args:
        order: "dfs": each path to its end before the next one; "bfs": modules nearer to the base first.

    Raises:
        AssemblyError: another order.
    """
    if order not in ("dfs", "bfs"):
        raise AssemblyError(f"the order is {order!r}; needed is 'dfs' or 'bfs'")
    carried: dict[str, list[Docking]] = {}
    for docking in dockings:
        carried.setdefault(docking.parent, []).append(docking)
    if order == "bfs":
        found = list(carried.get(base, ()))
        for docking in found:
            found += carried.get(docking.module, ())
        return found
    stack, reached = list(reversed(carried.get(base, ()))), list[Docking]()
    while stack:
        docking = stack.pop()
        reached.append(docking)
        stack += reversed(carried.get(docking.module, ()))
    return reached

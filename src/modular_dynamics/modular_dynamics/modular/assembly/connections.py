"""The dockings of an assembly as a tree and rings, from any module."""

from collections.abc import Iterable

from .docking import Docking

__all__ = ["beyond", "connected_from", "reversed_docking"]


def reversed_docking(docking: Docking) -> Docking:
    """Return the same docking from the other module's side.

    The turn stays: with R = Rz(turn) Rx(pi), the rotation of :func:`.mating`, the inverse of R is R.
    """
    return Docking(docking.module, docking.port, docking.parent, docking.parent_port, docking.turn)


def beyond(tree: Iterable[Docking], module: str) -> dict[str, None]:
    """Return a module and all that it carries, by a tree of dockings, parents first."""
    carried = {module: None}
    for docking in tree:
        if docking.parent in carried:
            carried[docking.module] = None
    return carried


def connected_from(dockings: Iterable[Docking], start: str) -> list[Docking]:
    """Return the dockings connected with ``start``, each seen from the module nearer to it.

    Those that form a tree come in breadth-first order, those that close rings after them.
    """
    at: dict[str, list[Docking]] = {}
    for docking in dockings:
        at.setdefault(docking.parent, []).append(docking)
        at.setdefault(docking.module, []).append(reversed_docking(docking))
    reached, queue = {start}, [start]
    tree: list[Docking] = []
    rings: list[Docking] = []
    seen: set[tuple[str, str]] = set()
    for module in queue:
        for docking in at.get(module, ()):
            if docking[:2] in seen:
                continue  # seen already, from the other module
            seen.update((docking[:2], docking[2:4]))
            if docking.module in reached:
                rings.append(docking)
                continue
            reached.add(docking.module)
            queue.append(docking.module)
            tree.append(docking)
    return tree + rings

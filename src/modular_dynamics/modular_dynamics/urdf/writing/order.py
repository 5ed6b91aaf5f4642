"""The order of the joints of a subsystem in a document, from which they are read in the graph's order."""

from ...model import Subsystem, SubsystemGraph

__all__ = ["document_order"]


def document_order(graph: SubsystemGraph, subsystem: Subsystem) -> list[str]:
    """Names of the joints of a subsystem in an order from which a reader makes that of the graph.

    A reader takes q in document order, and computes with the joints in topological order: always the first of
    those in the document whose carrier is there already (:func:`..assembly.assemble`). So the joints with
    coordinates stand in the order of q. A mimic joint stands as early as it may: behind those that are
    computed before it while it could be, too.
    """
    rows = list(subsystem.indices)
    in_q = {name: k for k, name in enumerate(graph.joint_names)}
    ready = {row: rows.index(parent) + 1 if (parent := graph.parents[row]) in rows else 0 for row in rows}
    keys: list[tuple[int, int]] = []  # place in q of the last joint before it; mimic joints behind that
    for place, row in enumerate(rows):
        name = graph.joints[row].name
        if name in in_q:
            keys.append((in_q[name], 0))
        else:
            last = max(keys[ready[row] : place], default=(-1, 0))
            keys.append((last[0], place + 1))
    ordered = sorted(range(len(rows)), key=keys.__getitem__)
    return [graph.joints[rows[k]].name for k in ordered]

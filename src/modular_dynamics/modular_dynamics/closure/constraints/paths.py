"""Ways through the tree of bodies."""

from ...model import SubsystemGraph

__all__ = ["to_ground"]


def to_ground(graph: SubsystemGraph, body: int | None) -> list[int]:
    """A body and all that carry it; none where it is the ground."""
    chain = []
    while body is not None:
        chain.append(body)
        body = graph.parents[body]
    return chain

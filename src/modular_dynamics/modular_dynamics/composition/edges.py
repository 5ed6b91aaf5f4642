"""Edges of the graph of subsystems, twists and wrenches, and the graph as Graphviz DOT."""

from ..model import SubsystemGraph, require_graph
from ..model.subsystem import count_of_joints

#: (kind, from, to, weight): kind "twist" (dashed) or "wrench" (solid); from and to index the subsystems.
Edge = tuple[str, int, int, str]


def edges(graph: SubsystemGraph) -> list[Edge]:
    """Return the edges of the graph by the three rules of Silva & Adorno, section II-A.

    Black boxes have no W_i: their wrench is given.
    """
    result: list[Edge] = []
    for i, subsystem in enumerate(graph.subsystems):
        p = subsystem.predecessor
        result.append(("twist", i, i, f"Ξ{i + 1},{i + 1}"))  # rule a
        if p is not None:
            result.append(("twist", p, i, f"Ξ{p + 1},{i + 1}"))  # rule b
        if not subsystem.black_box:
            argument = f"Ξ{i + 1},{i + 1}" if p is None else f"Ξ{p + 1},{i + 1} + Ξ{i + 1},{i + 1}"
            result.append(("wrench", i, i, f"W{i + 1}({argument})"))  # rules b, b.i
        if p is not None:
            result.append(("wrench", i, p, f"Γ{i + 1},{p + 1}"))  # rule c
    return result


def subsystem_graph_dot(graph: SubsystemGraph) -> str:
    """Return DOT text: a vertex for each subsystem, dashed twist edges and solid wrench edges."""
    require_graph(graph)
    lines = [f"digraph {_quoted(graph.name)} {{", "  node [shape=ellipse];"]
    for i, subsystem in enumerate(graph.subsystems):
        label = f"{i + 1}: {subsystem.name}\\n{count_of_joints(subsystem)}"
        style = ", style=filled, fillcolor=gray80" if subsystem.black_box else ""
        lines.append(f"  {i + 1} [label={_quoted(label)}{style}];")
    for kind, start, end, weight in edges(graph):
        style = "dashed" if kind == "twist" else "solid"
        lines.append(f"  {start + 1} -> {end + 1} [style={style}, label={_quoted(weight)}];")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    """Return text as a string of DOT."""
    return '"' + text.replace('"', '\\"') + '"'

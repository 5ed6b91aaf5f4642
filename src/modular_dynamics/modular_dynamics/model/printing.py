"""A graph as text: the tree of subsystems with joints and connection points, and Graphviz DOT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .subsystem import Joint, JointType

if TYPE_CHECKING:
    from .graph import SubsystemGraph

__all__ = ["Edge", "closing_elements", "edges", "subsystem_graph_dot", "tree"]

#: (kind, from, to, weight): kind "twist" (dashed) or "wrench" (solid); from and to index the subsystems.
Edge = tuple[str, int, int, str]


def tree(graph: SubsystemGraph) -> str:
    """One line for the robot, one for each subsystem and joint, indented by the tree of subsystems."""
    mass = sum(body.mass for body in graph.bodies)
    lines = [
        f"{graph.name}: {len(graph.subsystems)} subsystems, {len(graph.joints)} moving joints, "
        f"nq = {graph.nq}, nv = {graph.nv}, moving mass {mass:.6g} kg"
    ]

    def visit(index: int, indent: str, last: bool) -> None:
        subsystem = graph.subsystems[index]
        at = "the ground" if subsystem.connection.body is None else _owner(graph, subsystem.connection.body)
        box = ", black box" if subsystem.black_box else ""
        lines.append(
            f"{indent}{'└─ ' if last else '├─ '}{subsystem.name} ({_count(len(subsystem.joints))}{box}) "
            f"at link {subsystem.connection.link} of {at}"
        )
        inner = indent + ("   " if last else "│  ")
        successors = [k for k, other in enumerate(graph.subsystems) if other.predecessor == index]
        rail = "│  " if successors else "   "
        lines.extend(f"{inner}{rail}{_joint(joint)}" for joint in subsystem.joints)
        for position, k in enumerate(successors):
            visit(k, inner, position == len(successors) - 1)

    roots = [k for k, subsystem in enumerate(graph.subsystems) if subsystem.predecessor is None]
    for position, k in enumerate(roots):
        visit(k, "", position == len(roots) - 1)
    lines.extend(f"{kind}: {', '.join(names)}" for kind, names in closing_elements(graph).items())
    return "\n".join(lines)


def closing_elements(graph: SubsystemGraph) -> dict[str, list[str]]:
    """Names of the loop joints, passive joints, gears and springs, by kind; without kinds that are absent."""
    names = {
        "loop joints": [loop.name for loop in graph.loop_joints],
        "passive joints": list(graph.passive_joints),
        "gears": [gear.joint for gear in graph.gears],
        "springs": [spring.name for spring in graph.springs],
    }
    return {kind: of_kind for kind, of_kind in names.items() if of_kind}


def _owner(graph: SubsystemGraph, body: int) -> str:
    return next(subsystem.name for subsystem in graph.subsystems if body in subsystem.indices)


def _count(joints: int) -> str:
    return f"{joints} joint" if joints == 1 else f"{joints} joints"


def _joint(joint: Joint) -> str:
    axis = "" if joint.type.nv > 1 else f" about [{', '.join(f'{a:.4g}' for a in joint.axis)}]"
    axis = axis.replace("about", "along") if joint.type is JointType.PRISMATIC else axis
    mimic = f", mimics {joint.mimic.joint}" if joint.mimic else ""
    return f"{joint.name}: {joint.type.value}{axis}, {joint.parent_link} → {joint.child_link}{mimic}"


def edges(graph: SubsystemGraph) -> list[Edge]:
    """Edges of the graph, by three rules; black boxes have no W_i, their wrench is given.

    Silva & Adorno, section II-A.
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
    """DOT text: a vertex for each subsystem, dashed twist edges and solid wrench edges."""
    lines = [f"digraph {_quoted(graph.name)} {{", "  node [shape=ellipse];"]
    for i, subsystem in enumerate(graph.subsystems):
        label = f"{i + 1}: {subsystem.name}\\n{_count(len(subsystem.joints))}"
        style = ", style=filled, fillcolor=gray80" if subsystem.black_box else ""
        lines.append(f"  {i + 1} [label={_quoted(label)}{style}];")
    for kind, start, end, weight in edges(graph):
        style = "dashed" if kind == "twist" else "solid"
        lines.append(f"  {start + 1} -> {end + 1} [style={style}, label={_quoted(weight)}];")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'

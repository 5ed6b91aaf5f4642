"""An assembly as a tree of text."""

from .docking import Docking
from .structure import Structure

__all__ = ["tree_of"]


def tree_of(name: str, structure: Structure) -> str:
    """Return one line for each module (ports, name, kind), then one for each ring."""
    children: dict[str, list[Docking]] = {}
    for docking in structure.tree:
        children.setdefault(docking.parent, []).append(docking)
    joints = sum(len(placed.joints) for placed in structure.placed.values())
    lines = [
        f"{name}: {len(structure.placed)} modules, {joints} joints",
        f"{structure.base} ({structure.placed[structure.base].type.name})",
    ]
    kinds = {module: placed.type.name for module, placed in structure.placed.items()}
    stack = [(docking, "") for docking in reversed(children.get(structure.base, []))]
    last = {dockings[-1].module for dockings in children.values()}
    while stack:
        docking, indent = stack.pop()
        ends = docking.module in last
        lines.append(f"{indent}{'└─' if ends else '├─'} {_connection(docking)} ({kinds[docking.module]})")
        below = indent + ("   " if ends else "│  ")
        stack += [(child, below) for child in reversed(children.get(docking.module, []))]
    lines += [f"ring: {ring.parent} {_connection(ring)}" for ring in structure.rings]
    return "\n".join(lines)


def _connection(docking: Docking) -> str:
    turned = f" turned {90 * docking.turn} deg" if docking.turn else ""
    return f"{docking.parent_port}-{docking.port} {docking.module}{turned}"

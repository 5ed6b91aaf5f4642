"""Incidence matrices and lists of transformations as text: Fig. 5 and Table III of Meister & Gutenkunst."""

from collections.abc import Iterable, Sequence

import numpy as np

from .tables import Table

__all__ = ["matrix_text", "table_text"]


def matrix_text(table: Table) -> str:
    """Return the matrix as in Fig. 5: faces, kinds at the right, docking types below, then turns, if any.

    A kind is shown by its initial where all kinds of the matrix have different ones.
    """
    initials = {kind: kind[0].upper() for kind in table.kinds}
    unique = len(set(initials.values())) == len(initials)
    shown = [initials[kind] if unique else kind for kind in table.kinds]
    faces = np.asarray(table.matrix).tolist()
    rows = [["", *table.docks, ""]]
    rows += [
        [name, *map(str, row), kind] for name, row, kind in zip(table.modules, faces, shown, strict=True)
    ]
    if table.docking_types is not None:
        rows.append(["Joints", *table.docking_types, ""])
    if any(table.turns):
        rows.append(["Turns", *map(str, table.turns), ""])
    return table_text(rows)


def table_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of equally many cells as aligned columns; the first one begins at the left."""
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for first, *others in cells:
        aligned = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *aligned]).rstrip())
    return "\n".join(lines)

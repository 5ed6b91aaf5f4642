"""Fig. 5: the adapted assembly incidence matrix as a table, with what the paper's figure misprints."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from modular_dynamics import modular
from papers.modular_robots.organism_picture import COLOURS, INK

MARKED, HEAD, ZERO = "#feebc8", "#edf2f7", "0.7"


def draw_table(table: modular.IncidenceMatrix, misprints: Mapping[tuple[str, str], int], path: Path) -> Path:
    """Write the picture; return its path. ``misprints``: by row and column, what the paper has."""
    rows, columns = table.matrix.shape
    figure = Figure(figsize=(0.62 * (columns + 2) + 0.6, 0.46 * (rows + 2) + 1.3), layout="constrained")
    axis = figure.subplots()
    axis.set_xlim(-1.3, columns + 1.3)
    axis.set_ylim(rows + 1.1, -1.1)
    axis.axis("off")
    types = table.docking_types or ("-",) * columns
    for k, (dock, kind) in enumerate(zip(table.docks, types, strict=True)):
        _cell(axis, k, -1, dock, HEAD)
        _cell(axis, k, rows, kind, HEAD, COLOURS.get(kind, INK))
        for row, module in enumerate(table.modules):
            face = table.matrix[row, k]
            background = MARKED if (module, dock) in misprints else "white"
            _cell(axis, k, row, str(face), background, INK if face else ZERO)
    for row, (module, kind) in enumerate(zip(table.modules, table.kinds, strict=True)):
        _cell(axis, -1, row, module, HEAD)
        _cell(axis, columns, row, kind[0].upper(), HEAD)
    _cell(axis, -1, rows, "type", HEAD)
    _cell(axis, columns, -1, "kind", HEAD)
    axis.set_title("Adapted assembly incidence matrix: faces of modules, by docks", fontsize=11)
    printed = ", ".join(f"{face} at {row} {dock}" for (row, dock), face in misprints.items())
    if misprints:
        note = (
            f"Marked: the paper's figure has {printed};\nits docking types and Table III have what is here."
        )
        figure.supxlabel(note, fontsize=9, color=INK)
    figure.savefig(path, dpi=130)
    return path


def _cell(axis: Axes, column: float, row: float, text: str, background: str, colour: str = INK) -> None:
    axis.add_patch(Rectangle((column, row), 1.0, 1.0, fc=background, ec="0.8", lw=0.8))
    weight = "bold" if background == HEAD else "normal"
    axis.text(
        column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=11, color=colour, fontweight=weight
    )

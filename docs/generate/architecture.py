"""Picture of docs/contributing/architecture.md: the layers that import-linter checks, from pyproject.toml."""

from pathlib import Path

from importlinter import api
from matplotlib.figure import Figure

from docs.generate._drawing import MOMENT, TWIST, WIDTH, box, save, style

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
COLUMNS = {"modular_dynamics": MOMENT, "modular_dynamics_ros": TWIST}
HEIGHT, ROW, GAP, MOST = (
    0.32,
    0.43,
    0.08,
    4,
)  # [inch] box, from row to row, between boxes; boxes in a row
SMALL = 8.5


def make(out: Path) -> None:
    """Write the picture."""
    stacks = {package: _layers(package) for package in COLUMNS}
    rows = max(map(len, stacks.values()))
    with style():
        figure = Figure(figsize=(WIDTH, ROW * rows + 0.75))
        axis = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axis.set(xlim=(0.0, WIDTH), ylim=(-0.3, ROW * rows + 0.45))
        axis.axis("off")
        width = 0.5 * WIDTH - 0.15
        for column, (package, layers) in enumerate(stacks.items()):
            left = column * (0.5 * WIDTH + 0.05) + 0.05
            top = ROW * rows + 0.2
            axis.text(
                left + 0.5 * width, top, package, ha="center", fontweight="bold", color=COLUMNS[package]
            )
            for row, names in enumerate(layers):
                share = [len(name) + 4 for name in names]
                x = left
                for name, letters in zip(names, share, strict=True):
                    part = (width - GAP * (len(names) - 1)) * letters / sum(share)
                    middle = (x + 0.5 * part, ROW * (rows - row) - 0.2)
                    box(axis, middle, (part, HEIGHT), name, COLUMNS[package], fontsize=SMALL)
                    x += part + GAP
        text = "Each layer may import those below it; the nodes also the library, which knows no ROS."
        axis.text(0.5 * WIDTH, -0.15, text, ha="center", fontsize=SMALL)
        save(figure, out / "architecture_layers.png")


def _layers(package: str) -> list[list[str]]:
    """Return the layers of a package, the highest first; one with many names as two rows."""
    contracts = api.read_configuration(str(PROJECT))["contracts_options"]
    of_package = [c for c in contracts if c["type"] == "layers" and c["containers"] == [package]]
    largest = max(of_package, key=lambda contract: len(contract["layers"]))
    rows = []
    for layer in largest["layers"]:
        names = [name.strip() for name in layer.split("|")]
        half = (len(names) + 1) // 2
        rows += [names] if len(names) <= MOST else [names[:half], names[half:]]
    return rows

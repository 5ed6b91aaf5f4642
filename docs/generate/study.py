"""The study of docs/tutorials/design_study.md: crane, front, loads; the care robot's front and summary."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from numpy.typing import NDArray

import modular_dynamics as md
from docs.generate.__main__ import origin
from docs.generate._page import run_page
from docs.generate._pictures import copy_picture
from modular_dynamics.pictures import COLOURS
from modular_dynamics.study import load_study
from modular_dynamics.study.findings import findings_of, summary_lines
from modular_dynamics.study.store import Store

Array = NDArray[np.float64]
ROOT = Path(__file__).resolve().parents[2]
STYLE = {"font.size": 10, "savefig.dpi": 150}
GREY, BLUE, _, ORANGE, PURPLE = COLOURS[:5]


def make(out: Path) -> None:
    """Write study_crane.png, study_front.png, study_loads.png, study_charmie_front.png, study_charmie.md."""
    names = {f"out/study/{name}.png": out / f"study_{name}.png" for name in ("front", "loads")}
    page = run_page("tutorials/design_study", names)
    with rc_context(STYLE):
        _draw_crane(page["crane"]).savefig(out / "study_crane.png", bbox_inches="tight", pad_inches=0.1)
    folder = ROOT / "out/study"
    copy_picture(folder / "front.png", out / "study_charmie_front.png", "make study")
    study = load_study(ROOT / "config/charmie_study.yaml")
    lines = summary_lines(findings_of(study, Store(folder, study)))
    (out / "study_charmie.md").write_text(
        "\n".join([f"`make study`, {origin()}:", "```text", *lines, "```", ""]), "utf-8"
    )


def _draw_crane(crane: md.SubsystemGraph) -> Figure:
    """The crane from the side, with what the study changes."""
    q = md.close_loops(crane, [0.0, 0.2, 0.1])
    links = ("column", "boom", "lift_tube", "lift_rod", "jib")
    pose = dict(zip(links, md.frame_poses(crane.tree, q, links), strict=True))

    def at(link: str, *place: float) -> Array:
        return (pose[link][:3, :3] @ np.array(place) + pose[link][:3, 3])[[0, 2]]

    figure = Figure(figsize=(7.0, 4.2))
    axis = figure.subplots()
    bars: tuple[tuple[Array, Array, float, Any], ...] = (
        (at("column", 0.0, 0.0, 0.0), at("column", 0.0, 0.0, 1.8), 14, "0.7"),
        (at("column", 0.0, 0.0, 1.8), at("column", 0.0, 0.0, 2.4), 4, "0.7"),
        (at("boom", 0.0, 0.0, 0.0), at("boom", 2.6, 0.0, 0.0), 10, "0.8"),
        (at("jib", 0.0, 0.0, 0.0), at("jib", 2.1, 0.0, 0.0), 8, "0.88"),
        (at("lift_rod", 0.0, 0.0, 0.0), at("lift_tube", 0.0, 0.0, 0.0), 3, GREY),
        (at("lift_tube", 0.85, 0.0, 0.0), at("lift_tube", 0.0, 0.0, 0.0), 8, BLUE),
    )
    for start, end, width, colour in bars:
        axis.plot(*np.transpose([start, end]), color=colour, lw=width, solid_capstyle="round")
    ends = at("column", 0.0, 0.0, 2.4), at("boom", 1.0, 0.1, 0.0)
    axis.plot(*_spring(*ends).T, color=PURPLE, lw=1.6)
    on_boom = [at("boom", x, 0.1, 0.0) for x in np.linspace(0.9, 1.05, 4)]
    axis.plot(*np.transpose(on_boom), "o", mfc="white", mec=ORANGE, mew=1.6, ms=5, zorder=5)
    axis.plot(*ends[0], "o", mfc="white", mec=GREY, mew=1.6, ms=5, zorder=5)
    arrow = {"arrowstyle": "-", "color": "0.5", "shrinkB": 6}
    for text, place, target in (
        ("mast", (-0.9, 2.7), ends[0]),
        ("spring: 6 kinds, 4 preloads", (0.5, 2.95), 0.5 * (ends[0] + ends[1])),
        ("anchor: 4 places", (1.6, 1.75), on_boom[2]),
        ("lift_cylinder: its force is the load", (0.75, 0.85), at("lift_tube", 0.4, 0.0, 0.0)),
    ):
        axis.annotate(text, target, place, va="center", arrowprops=arrow)
    axis.text(-0.15, 0.3, "column", rotation=90, color=GREY, ha="right", fontweight="bold")
    axis.text(*(at("boom", 1.9, 0.2, 0.0)), "boom", color=GREY, fontweight="bold")
    axis.text(*(at("jib", 1.0, 0.2, 0.0)), "jib", color=GREY, fontweight="bold")
    axis.set_aspect("equal")
    axis.set(xlim=(-1.1, 4.9), ylim=(-0.1, 3.2))
    axis.axis("off")
    return figure


def _spring(start: Array, end: Array, coils: int = 9, width: float = 0.06) -> Array:
    """Return a zigzag between two points."""
    along = end - start
    across = width * np.array([-along[1], along[0]]) / np.linalg.norm(along)
    inner = np.linspace(0.15, 0.85, 2 * coils)
    zigzag = [start + t * along + (-1) ** k * across for k, t in enumerate(inner)]
    return np.array([start, start + 0.12 * along, *zigzag, start + 0.88 * along, end])

"""The report of a finished study, written into its folder: pictures by matplotlib, and one HTML page."""

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StudyError
from ..optional_packages import needed
from ..pictures.colours import COLOURS
from ..text.files import replace_file
from .findings import Design, Findings, best_rows, design_head, design_row, summary_lines


def _matplotlib() -> Any:
    """Return Matplotlib with its figures. Raises MissingDependencyError."""
    with needed("a design study", "matplotlib", "study"):
        import matplotlib  # noqa: PLC0415  # takes long, and is optional
        import matplotlib.figure  # noqa: PLC0415
    return matplotlib


DESIGNS = "0.6"  # grey
ROW = 70  # letters of a legend that fit side by side
#: Of lines over time; the last one leaves those visible that it may lie on.
STYLES: tuple[dict[str, Any], ...] = (
    {"color": COLOURS[1]},
    {"color": COLOURS[2]},
    {"color": COLOURS[3], "linestyle": (0, (4, 4))},
)
STYLE = {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}


def draw_front(findings: Findings, path: Path) -> None:
    """Plot largest against mean load: feasible designs, the front, the published and the best one."""
    study, columns, kept = findings.study, findings.columns, findings.kept
    with _figure(7.5, 5.2, path) as (axis,):
        x, y = columns["mean"][kept], columns["largest"][kept]
        rasterized: dict[str, Any] = {"rasterized": True, "linewidths": 0}
        alpha = float(np.clip(3000.0 / max(1, len(kept)), 0.12, 0.5))  # many show where they are dense
        axis.scatter(x, y, s=6, color=DESIGNS, alpha=alpha, **rasterized)
        # in the legend a mark that can be seen: one such dot alone hardly can
        axis.plot(
            [], [], "o", ms=6, mew=0, color=DESIGNS, label=f"{len(kept):,} designs that keep everything"
        )
        front = findings.front
        style: dict[str, Any] = {"color": COLOURS[3], "ms": 4, "lw": 1.2}
        axis.plot(columns["mean"][front], columns["largest"][front], "o-", label="Pareto front", **style)
        marks = [("published", findings.published, "s", COLOURS[1])]
        if findings.best is not None:
            marks.append((f"best: {findings.best.title}", findings.best, "*", COLOURS[2]))
        for label, design, mark, colour in marks:
            place = design.values["mean"], design.values["largest"]
            style = {"color": colour, "ms": 13 if mark == "*" else 9, "mec": "white", "mew": 0.8, "ls": ""}
            axis.plot(*place, mark, label=label, **style)
        axis.set_xlabel(f"mean load [{_unit(findings)}]")
        axis.set_ylabel(f"largest load [{_unit(findings)}]")
        axis.set_xlim(left=0.0)
        axis.set_ylim(bottom=0.0)
        axis.grid(alpha=0.25, lw=0.6)
        axis.legend(frameon=False, loc="best")
        axis.set_title(f"{study.name}: loads of designs", loc="left", fontweight="bold")


def draw_loads(findings: Findings, designs: Sequence[Design], path: Path) -> None:
    """Plot the loads of the actuators over time, a panel each."""
    names, rows = findings.study.graph.independent_joint_names, []
    found = [_over_time(findings, design) for design in designs]
    for name in findings.study.actuators:
        lines = [(times, loads.tau[0, :, names.index(name)]) for times, loads in found]
        rows.append((name, f"load [{_unit(findings, name)}]", lines))
    _draw_over_time(findings, designs, rows, path)


def draw_tensions(findings: Findings, designs: Sequence[Design], path: Path) -> None:
    """Plot the tensions of the springs over time, a panel each; springs with equal tensions share one."""
    found = [_over_time(findings, design) for design in designs]
    together: dict[bytes, tuple[list[str], list[Any]]] = {}
    for k, spring in enumerate(findings.study.graph.springs):
        lines = [(times, loads.tensions[0, :, k]) for times, loads in found]
        key = b"".join(np.round(tensions, 6).tobytes() for _, tensions in lines)
        together.setdefault(key, ([], lines))[0].append(spring.name)
    rows = [(", ".join(names), "tension [N]", lines) for names, lines in together.values()]
    _draw_over_time(findings, designs, rows, path)


def _draw_over_time(findings: Findings, designs: Sequence[Design], rows: Sequence[Any], path: Path) -> None:
    """Plot a panel for each row: title, quantity, and times and values of each design."""
    with _figure(9.0, 0.8 + 2.4 * len(rows), path, len(rows)) as axes:
        for (title, quantity, lines), axis in zip(rows, axes, strict=True):
            for design, style, (times, values) in zip(designs, STYLES, lines, strict=False):
                axis.plot(times, values, label=_title(findings, design), lw=1.5, **style)
            axis.axhline(0.0, color="0.3", lw=0.6)
            axis.set_title(title, loc="left", fontweight="bold")
            axis.set_ylabel(quantity)
            axis.grid(alpha=0.25, lw=0.6)
            axis.margins(x=0.0, y=0.1)
        axes[-1].set_xlabel("time [s]")
        handles, labels = axes[0].get_legend_handles_labels()
        columns = len(labels) if sum(map(len, labels)) <= ROW else 1
        axes[0].figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)


def _over_time(findings: Findings, design: Design) -> tuple[NDArray[np.float64], Any]:
    """Return times (s,) and loads of one design on its trajectory."""
    evaluator, trajectory = findings.evaluator, design.trajectory
    parameters = {} if design.numbers is None else evaluator.parameters(design.numbers[None])
    return evaluator.states[trajectory].times, evaluator.loads(trajectory, parameters, 1)


def _title(findings: Findings, design: Design) -> str:
    """Return a design's name in legends."""
    several = len(findings.study.trajectories) > 1
    name = design.title if design.title.startswith("design") else f"{design.title} design"
    return f"{name}, trajectory {design.trajectory}" if several else name


def _unit(findings: Findings, name: str | None = None) -> str:
    """Return the unit of an actuator's load, or of the load of all."""
    graph = findings.study.graph
    names = list(findings.study.actuators) if name is None else [name]
    slides = {graph.joint(one).type.value == "prismatic" for one in names}
    if len(slides) > 1:
        return "N m, N"
    return "N" if True in slides else "N m"


@contextmanager
def _figure(width: float, height: float, path: Path, panels: int = 1) -> Iterator[list[Any]]:
    """Yield the axes of a figure, which is written to the path at the end."""
    with _matplotlib().rc_context(STYLE):
        figure = _matplotlib().figure.Figure(figsize=(width, height), layout="constrained")
        yield list(figure.subplots(panels, 1, sharex=True, squeeze=False)[:, 0])
    save = partial(figure.savefig, format="png", dpi=130, metadata={"Software": None})
    replace_file(path, save)


# One HTML page with everything in it: tables, and pictures as data.

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 72rem; margin: auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.85rem; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.wide { overflow-x: auto; } img { max-width: 100%; }
"""


def page(
    title: str,
    lines: Sequence[str],
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    pictures: Mapping[str, Path],
) -> str:
    """Return the page's text.

    Args:
        lines: paragraphs. head, rows: of the table of designs. pictures: PNG files by their titles.
    """
    parts = [f"<h1>{escape(title)}</h1>", *(f"<p>{escape(line)}</p>" for line in lines)]
    parts += ["<h2>Best designs</h2>", '<div class="wide"><table>', _row("th", head)]
    parts += [_row("td", row) for row in rows]
    parts.append("</table></div>")
    for name, path in pictures.items():
        data = base64.b64encode(path.read_bytes()).decode()
        parts.append(
            f'<h2>{escape(name)}</h2>\n<img alt="{escape(name)}" src="data:image/png;base64,{data}">'
        )
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _row(cell: str, texts: Sequence[str]) -> str:
    """Return a row of an HTML table."""
    return "<tr>" + "".join(f"<{cell}>{escape(text)}</{cell}>" for text in texts) + "</tr>"


def written_report(findings: Findings, folder: Path, count: int) -> list[Path]:
    """Write pictures (PNG) and report.html; return their paths.

    Args:
        count: how many of the best designs are in the table.

    Raises:
        StudyError: no design keeps everything, or the folder cannot be written. MissingDependencyError: no
        matplotlib.
    """
    best = findings.best
    if best is None:
        raise StudyError(f"no design of '{findings.study.name}' keeps everything: there is nothing to report")
    designs = [findings.published, best]
    if best.trajectory != findings.published.trajectory:
        designs.append(findings.published_on(best.trajectory))
    pictures: dict[str, tuple[Path, Callable[..., None]]] = {
        "Loads of designs": (folder / "front.png", draw_front),
        "Loads over time": (folder / "loads.png", partial(draw_loads, designs=designs)),
    }
    if findings.study.graph.springs:
        tensions = partial(draw_tensions, designs=designs)
        pictures["Tensions of springs over time"] = (folder / "tensions.png", tensions)
    paths = {name: path for name, (path, _) in pictures.items()}
    try:
        for path, draw in pictures.values():
            draw(findings, path=path)
        rows = [design_row(findings, one) for one in best_rows(findings, count)]
        text = page(findings.study.name, summary_lines(findings), design_head(findings), rows, paths)
        replace_file(folder / "report.html", text.encode())
    except OSError as error:
        raise StudyError(f"the report in '{folder}' cannot be written: {error.strerror or error}") from error
    return [folder / "report.html", *paths.values()]

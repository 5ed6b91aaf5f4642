"""The report of a finished study, written into its folder: a page in Markdown, pictures by matplotlib."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StudyError
from ..optional_packages import needed
from ..pictures import COLOURS
from ..text.files import replace_file
from .findings import Design, Findings, design_table, summary_lines

Array = NDArray[np.float64]
DESIGNS = "0.6"  # grey
FEW = 1000  # designs whose dots can be larger
ROW = 70  # letters of a legend that fit side by side
#: Of lines over time; the last one leaves those visible that it may lie on.
STYLES: tuple[dict[str, Any], ...] = (
    {"color": COLOURS[1]},
    {"color": COLOURS[2]},
    {"color": COLOURS[3], "linestyle": (0, (4, 4))},
)
STYLE: Any = {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}


def draw_front(findings: Findings, path: Path) -> None:
    """Plot largest against mean load: feasible designs, the front, the published and the best one."""
    study, columns, feasible = findings.study, findings.columns, findings.feasible
    with _figure(7.5, 5.2, path) as (axis,):
        x, y = columns["mean"][feasible], columns["largest"][feasible]
        alpha = float(np.clip(3000.0 / max(1, len(feasible)), 0.12, 0.5))  # many show where they are dense
        axis.scatter(x, y, s=6 if len(feasible) > FEW else 25, color=DESIGNS, alpha=alpha, linewidths=0)
        # in the legend a mark that can be seen: one such dot alone hardly can
        label = f"{len(feasible):,} feasible designs"
        axis.plot([], [], "o", ms=6, mew=0, color=DESIGNS, label=label)
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


def draw_over_time(findings: Findings, designs: Sequence[Design], path: Path) -> None:
    """Plot loads of actuators and tensions of springs over time, a panel each; equal tensions share one."""
    study, rows = findings.study, list[tuple[str, str, list[Array]]]()
    names = study.graph.independent_joint_names
    times, found = zip(*(_over_time(findings, design) for design in designs), strict=True)
    for name in study.actuators:
        lines = [loads.tau[0, :, names.index(name)] for loads in found]
        rows.append((name, f"load [{_unit(findings, name)}]", lines))
    together: dict[bytes, tuple[list[str], list[Array]]] = {}
    for k, spring in enumerate(study.graph.springs):
        lines = [loads.tensions[0, :, k] for loads in found]
        key = np.round(np.concatenate(lines), 6).tobytes()
        together.setdefault(key, ([], lines))[0].append(spring.name)
    rows += [(", ".join(springs), "tension [N]", lines) for springs, lines in together.values()]
    with _figure(9.0, 0.8 + 2.4 * len(rows), path, len(rows)) as axes:
        for (title, quantity, lines), axis in zip(rows, axes, strict=True):
            for design, style, when, values in zip(designs, STYLES, times, lines, strict=False):
                axis.plot(when, values, label=_title(findings, design), lw=1.5, **style)
            axis.axhline(0.0, color="0.3", lw=0.6)
            axis.set_title(title, loc="left", fontweight="bold")
            axis.set_ylabel(quantity)
            axis.grid(alpha=0.25, lw=0.6)
            axis.margins(x=0.0, y=0.1)
        axes[-1].set_xlabel("time [s]")
        handles, labels = axes[0].get_legend_handles_labels()
        columns = len(labels) if sum(map(len, labels)) <= ROW else 1
        axes[0].figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)


def _over_time(findings: Findings, design: Design) -> tuple[Array, Any]:
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
    """Yield the axes of a figure, which is written to the path at the end. Raises MissingDependencyError."""
    with needed("a design study", "matplotlib", "study"):
        from matplotlib import rc_context  # noqa: PLC0415  # takes long, and is optional
        from matplotlib.figure import Figure  # noqa: PLC0415
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield list(figure.subplots(panels, 1, sharex=True, squeeze=False)[:, 0])
    save = partial(figure.savefig, format="png", dpi=130, metadata={"Software": None})
    replace_file(path, save)


# One page in Markdown with the pictures beside it.


def written_report(findings: Findings, folder: Path, count: int) -> list[Path]:
    """Write report.md and its pictures; return their paths.

    Args:
        count: how many of the best designs are in the table.

    Raises:
        StudyError: no design is feasible, or the folder cannot be written. MissingDependencyError: no
        matplotlib.
    """
    best, study = findings.best, findings.study
    if best is None:
        raise StudyError(f"no design of '{study.name}' is feasible: there is nothing to report")
    designs = [findings.published, best]
    if best.trajectory != findings.published.trajectory:
        designs.append(findings.published_on(best.trajectory))
    rows = design_table(findings, count)
    rows.insert(1, ["---", *("--:" for _ in rows[0][1:])])
    lines = [f"# {study.name}", *(f"{line}  " for line in summary_lines(findings)), "", "## Best designs"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    lines += ["", "## Loads of designs", "![front](front.png)", "", "## Over time", "![loads](loads.png)", ""]
    paths = [folder / name for name in ("report.md", "front.png", "loads.png")]
    try:
        draw_front(findings, paths[1])
        draw_over_time(findings, designs, paths[2])
        replace_file(paths[0], "\n".join(lines).encode())
    except OSError as error:
        raise StudyError(f"the report in '{folder}' cannot be written: {error.strerror or error}") from error
    return paths

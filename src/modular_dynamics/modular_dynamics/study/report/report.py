"""The report of a finished study, written into its folder."""

from pathlib import Path

from ...exceptions import StudyError
from .findings import Findings
from .page import page
from .pictures import draw_front, draw_influence, draw_loads, draw_tensions
from .summary import best_rows, design_head, design_row, summary_lines

__all__ = ["written_report"]


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
    pictures = {
        "Loads of designs": folder / "front.png",
        "Which input matters how much": folder / "influence.png",
    }
    pictures["Loads over time"] = folder / "loads.png"
    try:
        draw_front(findings, pictures["Loads of designs"])
        draw_influence(findings, pictures["Which input matters how much"])
        draw_loads(findings, designs, pictures["Loads over time"])
        if findings.study.graph.springs:
            pictures["Tensions of springs over time"] = folder / "tensions.png"
            draw_tensions(findings, designs, pictures["Tensions of springs over time"])
        rows = [design_row(findings, one) for one in best_rows(findings, count)]
        text = page(findings.study.name, summary_lines(findings), design_head(findings), rows, pictures)
        (folder / "report.html").write_text(text, "utf-8")
    except OSError as error:
        raise StudyError(f"the report in '{folder}' cannot be written: {error.strerror or error}") from error
    return [folder / "report.html", *pictures.values()]

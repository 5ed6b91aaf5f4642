"""The report of a finished study, written into its folder."""

import base64
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from ...exceptions import StudyError
from .findings import Findings
from .pictures import draw_front, draw_influence, draw_loads, draw_tensions
from .summary import best_rows, design_head, design_row, summary_lines

__all__ = ["written_report"]

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

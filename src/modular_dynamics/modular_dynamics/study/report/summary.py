"""A study's result as lines of text."""

import numpy as np

from ..evaluation import objectives_of
from .findings import Design, Findings

__all__ = ["best_rows", "change", "design_head", "design_row", "summary_lines"]


def summary_lines(findings: Findings) -> list[str]:
    """Return lines: how many designs are feasible, why others are not, the best one's improvement."""
    total, kept = len(findings.columns["index"]), len(findings.kept)
    lines = [f"{findings.study.name}: {total:,} designs, {kept:,} keep everything"]
    if reasons := findings.reasons():
        lines.append(
            "not kept (a design may count several times): "
            + ", ".join(f"{words} {n:,}" for words, n in reasons)
        )
    if (impossible := findings.impossible()) is not None:
        design, fault = impossible
        labels = zip(findings.study.inputs, _labels(findings, design), strict=True)
        inputs = ", ".join(f"{one.name} {label}" for one, label in labels)
        lines.append(f"no robot, for example: {design.title} ({inputs}): {fault}")
    best = findings.best
    if best is None:
        return lines
    for name in ("largest", "mean"):
        before, after = findings.published.values[name], best.values[name]
        lines.append(
            f"{name} load: {before:.4g} as published, {after:.4g} of {best.title} ({change(before, after)})"
        )
    if len(findings.study.trajectories) > 1:
        for old, new in findings.pairs():
            loads = ", ".join(
                f"{name} {old.values[name]:.4g} -> {new.values[name]:.4g} "
                f"({change(old.values[name], new.values[name])})"
                for name in ("largest", "mean")
            )
            lines.append(f"on the same trajectory, {old.trajectory}: {loads} of {new.title}")
    if findings.how_refined is not None:
        how = findings.how_refined
        lines.append(
            f"refined from design {how['from']}: {how['generations']} generations, {how['designs']:,} designs"
        )
    return lines


def change(old: float, new: float) -> str:
    """Return a relative change, in per cent."""
    if not (np.isfinite(old) and np.isfinite(new)) or old == 0.0:
        return "-"
    return f"{(new / old - 1.0) * 100.0:+.1f} %"


def design_head(findings: Findings) -> list[str]:
    """Return the titles of the columns of `design_row`."""
    return ["design", *(one.name for one in findings.study.inputs), *_loads(findings), "score"]


def design_row(findings: Findings, design: Design) -> list[str]:
    """Return a design's inputs, loads and score."""
    loads = [f"{design.values[name]:.4g}" for name in _loads(findings)]
    return [design.title.removeprefix("design "), *_labels(findings, design), *loads, f"{design.score:.4f}"]


def _labels(findings: Findings, design: Design) -> list[str]:
    """Return a design's inputs, as texts."""
    if design.numbers is None:
        return [design.trajectory if one.is_trajectory else "-" for one in findings.study.inputs]
    return [one.label(x) for one, x in zip(findings.study.inputs, design.numbers, strict=True)]


def _loads(findings: Findings) -> tuple[str, ...]:
    """Return the columns of loads; those of a single actuator are its own."""
    return objectives_of(findings.study)[: 2 if len(findings.study.actuators) == 1 else None]


def best_rows(findings: Findings, count: int) -> list[Design]:
    """Return the published design, the refined one, and the best ones."""
    best = [findings.design(int(row)) for row in findings.ranked[:count]]
    return [findings.published, *([findings.refined] if findings.refined else []), *best]

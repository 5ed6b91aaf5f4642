"""Results of a finished study: its best designs, the published one, and all as text."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StudyError
from .evaluation import Evaluator, Violation, feasible_rows, front, objectives_of, order, scores
from .store import Store, columns_of_file
from .study import Study

Columns = dict[str, NDArray[Any]]
#: Words for the requirements that designs violate.
REASONS = {
    Violation.NO_MODEL: "numbers that no robot can have",
    Violation.CANNOT_CLOSE: "loops cannot close",
    Violation.DEAD_POINT: "singular configuration on the way",
    Violation.NO_STATE: "states that are not finite",
    Violation.STROKE: "stroke too short",
    Violation.SINE: "too near to a singular configuration",
    Violation.SLACK: "spring slack",
    Violation.OVERLOAD: "spring overloaded",
    Violation.EFFORT: "effort limit exceeded",
}


@dataclass(frozen=True, eq=False)
class Design:
    """A design, and what was measured of it.

    Attributes:
        title: how it is called. trajectory: how it moves. numbers: of its inputs; None: the robot as it is.
    """

    title: str
    trajectory: str
    numbers: NDArray[np.float64] | None
    score: float
    values: dict[str, float]


@dataclass(frozen=True, eq=False)
class Findings:
    """The results of a finished study.

    Attributes:
        columns: of all designs, by name. feasible: rows of designs that satisfy all requirements.
        ranked: the same rows, best first. front: those on the Pareto front of largest and mean load.
    """

    study: Study
    evaluator: Evaluator
    columns: Columns
    feasible: NDArray[np.intp]
    ranked: NDArray[np.intp]
    front: NDArray[np.intp]
    published: Design

    def numbers(self, row: int) -> NDArray[np.float64]:
        """Return the numbers of the design of a row."""
        return np.array([self.columns[f"input {one.name}"][row] for one in self.study.inputs])

    def design(self, row: int) -> Design:
        """Return the design of a row."""
        index = int(self.columns["index"][row])
        values = {name: float(self.columns[name][row]) for name in objectives_of(self.study)}
        score = float(self._scores({name: np.array([value]) for name, value in values.items()})[0])
        numbers = self.numbers(row)
        return Design(f"design {index}", _trajectory(self.study, numbers), numbers, score, values)

    @property
    def best(self) -> Design | None:
        """Return the best design; None if no design is feasible."""
        return self.design(int(self.ranked[0])) if len(self.ranked) else None

    def reasons(self) -> list[tuple[str, int]]:
        """Return each violated requirement with its number of designs; a design may count several times."""
        violations = self.columns["violations"]
        counted = [(words, int((violations & int(flag) != 0).sum())) for flag, words in REASONS.items()]
        return [(words, count) for words, count in counted if count]

    def pairs(self) -> list[tuple[Design, Design]]:
        """Return for each trajectory the published design on it, and the best design with it."""
        found = []
        for name in self.study.trajectories:
            rows = (row for row in self.ranked if _trajectory(self.study, self.numbers(int(row))) == name)
            row = next(rows, None)
            if row is not None:
                found.append((self.published_on(name), self.design(int(row))))
        return found

    def published_on(self, trajectory: str) -> Design:
        """Return the published design on a trajectory."""
        if trajectory == self.published.trajectory:
            return self.published
        measured = self.evaluator.published(trajectory)
        score = float(self._scores(measured)[0])
        return _published(self.study, score, measured, trajectory)

    def _scores(self, columns: Columns) -> NDArray[np.float64]:
        """Return scores relative to the published design."""
        reference = {name: np.array([value]) for name, value in self.published.values.items()}
        return scores(self.study, columns, reference)


def findings_of(study: Study, store: Store) -> Findings:
    """Read a finished study. Raises StudyError: it is not finished."""
    if not store.result.exists():
        raise StudyError(f"'{store.folder}' holds no finished study; modular-dynamics study run finishes it")
    inputs = [f"input {one.name}" for one in study.inputs]
    columns = columns_of_file(store.result, ["index", *inputs, *objectives_of(study), "violations"])
    evaluator = Evaluator(study)
    reference = evaluator.published()
    feasible = feasible_rows(columns)
    on_front = front(columns["largest"][feasible], columns["mean"][feasible])
    published = _published(study, 1.0, reference, next(iter(study.trajectories)))
    ranked = order(study, columns, reference)
    return Findings(study, evaluator, columns, feasible, ranked, feasible[on_front], published)


def _published(study: Study, score: float, measured: Any, trajectory: str) -> Design:
    """Return the unchanged robot as a design."""
    values = {name: float(measured[name][0]) for name in objectives_of(study)}
    return Design("published", trajectory, None, score, values)


def _trajectory(study: Study, numbers: NDArray[np.float64]) -> str:
    """Return the trajectory of the design with these numbers."""
    for one, number in zip(study.inputs, numbers, strict=True):
        if one.is_trajectory:
            return one.label(number)
    return next(iter(study.trajectories))


# A study's result as lines of text.


def summary_lines(findings: Findings) -> list[str]:
    """Return lines: how many designs are feasible, why others are not, the best one's improvement."""
    total, feasible = len(findings.columns["index"]), len(findings.feasible)
    lines = [f"{findings.study.name}: {total:,} designs, {feasible:,} keep everything"]
    if reasons := findings.reasons():
        lines.append(
            "not kept (a design may count several times): "
            + ", ".join(f"{words} {n:,}" for words, n in reasons)
        )
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
    return lines


def change(old: float, new: float) -> str:
    """Return a relative change, in per cent."""
    if not (np.isfinite(old) and np.isfinite(new)) or old == 0.0:
        return "-"
    return f"{(new / old - 1.0) * 100.0:+.1f} %"


def design_table(findings: Findings, count: int) -> list[list[str]]:
    """Return a head, and rows of the published design and the ``count`` best: inputs, loads, score."""
    study = findings.study
    loads = objectives_of(study)
    if len(study.actuators) == 1:
        loads = loads[:2]  # the others are the same
    rows = [["design", *(one.name for one in study.inputs), *loads, "score"]]
    for design in (findings.published, *(findings.design(int(row)) for row in findings.ranked[:count])):
        if design.numbers is None:
            inputs = [design.trajectory if one.is_trajectory else "-" for one in study.inputs]
        else:
            inputs = [one.label(x) for one, x in zip(study.inputs, design.numbers, strict=True)]
        values = [f"{design.values[name]:.4g}" for name in loads]
        rows.append([design.title.removeprefix("design "), *inputs, *values, f"{design.score:.4f}"])
    return rows

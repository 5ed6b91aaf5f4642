"""Which designs are better: scores relative to the published design, and the front of two loads."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .description.study import Study

__all__ = ["front", "kept_rows", "order", "scores"]

Columns = Mapping[str, NDArray[np.generic]]


def kept_rows(columns: Columns) -> NDArray[np.intp]:
    """Return the rows of feasible designs, which satisfy all limits."""
    return np.flatnonzero(columns["violations"] == 0)


def scores(study: Study, columns: Columns, published: Columns) -> NDArray[np.float64]:
    """Return each design's score (n,): the weighted mean of load / published load over the objectives.

    The published design has 1. NaN where a design has no loads. Loads count as they are where the published
    one is zero.
    """
    total = sum(study.objective.values())
    parts = []
    for name, share in study.objective.items():
        reference = float(published[name][0].item())
        scale = reference if np.isfinite(reference) and reference > 0.0 else 1.0
        parts.append(share / total * np.asarray(columns[name], dtype=float) / scale)
    return np.asarray(np.sum(parts, axis=0))


def order(study: Study, columns: Columns, published: Columns) -> NDArray[np.intp]:
    """Return the rows of feasible designs, the best one first; equal ones by index."""
    rows = kept_rows(columns)
    score = scores(study, columns, published)[rows]
    return np.asarray(rows[np.argsort(score, kind="stable")])


def front(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the Pareto front: rows that no other row beats in one value without being worse in the other.

    In order of the first value, rising; of equal rows the first one.
    """
    rows = np.lexsort((second, first))
    falling = np.minimum.accumulate(second[rows])
    better = np.concatenate([[True], falling[1:] < falling[:-1]])[: len(rows)]
    return np.asarray(rows[better])

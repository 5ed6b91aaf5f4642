"""How much each input matters: its first-order share of a load's variance."""

import numpy as np
from numpy.typing import NDArray

from .findings import Findings

__all__ = ["FORMULA", "shares"]

FORMULA = "S = Var(E[load | input]) / Var(load), over the designs that keep everything"
#: Number of groups into which the values of a range, if not on a grid, are divided.
_BINS = 20


def shares(findings: Findings, load: str) -> dict[str, float]:
    """Return by input S = Var(E[y | x]) / Var(y) of a load y [Saltelli et al., 2008].

    E[y | x] is the mean over the designs with the same value of x; of a range that is not on a grid, over
    those in one of 20 equal parts. Only designs that keep everything count. Where all combinations do, the
    shares of all inputs add up to at most 1, and the rest is due to inputs acting together; where some
    combinations are left out, inputs are no longer independent, and the shares may overlap. NaN where the
    load does not vary.
    """
    rows = findings.kept
    y = findings.columns[load][rows].astype(float)
    variance = float(y.var()) if len(y) else 0.0
    found = {}
    for one in findings.study.inputs:
        x = findings.columns[f"input {one.name}"][rows]
        if one.is_range and findings.study.sampling.kind != "grid":
            x = np.floor((x - one.low) / max(one.high - one.low, 1e-300) * _BINS).clip(0, _BINS - 1)
        found[one.name] = _between(x, y) / variance if variance > 0.0 else np.nan
    return found


def _between(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the variance of the means of y over groups of equal x, weighted by their sizes."""
    _, group = np.unique(x, return_inverse=True)
    sizes = np.bincount(group)
    means = np.bincount(group, weights=y) / sizes
    return float((sizes * (means - y.mean()) ** 2).sum() / len(y))

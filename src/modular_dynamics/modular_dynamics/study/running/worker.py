"""What a worker does. It has the study from the scheduler, and writes no file."""

import time
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..description.study import Study
from ..evaluation import Evaluator, evaluated_rows
from .tables import parquet_bytes

__all__ = ["computed_chunk", "measured_designs", "seconds_of_block"]

#: Evaluators of this process by the digests of their studies.
_KEPT: dict[str, Evaluator] = {}


def _evaluator(study: Study) -> Evaluator:
    """Return the study's evaluator, kept between chunks, each of which brings the study anew."""
    digest = _digest(study)
    if digest not in _KEPT:
        _KEPT.clear()
        _KEPT[digest] = Evaluator(study)
    return _KEPT[digest]


@lru_cache(maxsize=4)
def _digest(study: Study) -> str:
    return study.digest()


def computed_chunk(study: Study, first: int, last: int) -> bytes:
    """Return designs first ... last - 1 as a Parquet file."""
    return parquet_bytes(evaluated_rows(_evaluator(study), first, last))


def measured_designs(study: Study, numbers: NDArray[np.float64]) -> dict[str, NDArray[np.generic]]:
    """Return measured columns of designs that are on no grid."""
    return _evaluator(study).measure(numbers)


def seconds_of_block(study: Study) -> tuple[int, float]:
    """Return the number of designs in a block, and one's time [s] here without the first call."""
    evaluator = _evaluator(study)
    last = min(evaluator.block, study.count)
    evaluated_rows(evaluator, 0, last)
    start = time.perf_counter()
    evaluated_rows(evaluator, 0, last)
    return evaluator.block, (time.perf_counter() - start) * evaluator.block / last

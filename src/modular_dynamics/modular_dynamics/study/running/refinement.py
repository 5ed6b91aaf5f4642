"""The best design improved on its ranges: differential evolution, from SciPy.

Why this one: it takes a whole population at a time, which is what a batch of designs is
(``vectorized=True``); it needs no derivatives, which the largest |force| and limits do not have everywhere;
it keeps bounds, is repeated by its seed, and SciPy is a dependency already. Storn & Price, J. Global
Optimization 11 (1997).
"""

import json
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...exceptions import StudyError
from ..description.study import Study
from ..evaluation import Evaluator
from ..ranking import order, scores
from .cluster import result_of
from .progress import RefinementProgress
from .store import REFINED, Store
from .tables import columns_of_file
from .worker import measured_designs

__all__ = ["best_numbers", "read_refined", "refine"]

Array = NDArray[np.float64]
#: Designs of a task. Always the same blocks, whatever the number of workers.
BLOCK = 32
#: Score of an infeasible design, and its increase for each violated requirement.
_PENALTY = 1e3
#: How far from an end of a range the search begins at least, as share of the range.
_EDGE = 1e-9
#: What a refined design's file holds.
_KEYS = {"settings", "from", "numbers", "score", "generations", "designs"}


def refine(
    study: Study, store: Store, client: Any, shared: Any, *, quiet: bool = True
) -> dict[str, Any] | None:
    """Return refine the best design of a finished study, and write the result to the folder.

    Args:
        client, shared: of Dask, and the task that holds the study.
        quiet: whether no progress is printed on stderr.

    Returns:
        "numbers" of the refined design, "score", "generations", "designs" that were tried, "from" which
        design. None where no range is left to be refined, or no design keeps everything.
    """
    published = Evaluator(study).published()
    base, index = best_numbers(study, store, published)
    ranges = [k for k, one in enumerate(study.inputs) if one.is_range and one.high > one.low]
    if base is None or not ranges:
        return None

    tried = 0

    def scored(population: Array) -> Array:
        nonlocal tried
        tried += population.shape[1]
        numbers = np.repeat(base[None], population.shape[1], axis=0)
        numbers[:, ranges] = population.T
        parts = np.split(numbers, range(BLOCK, len(numbers), BLOCK))
        futures = [client.submit(measured_designs, shared, part, pure=False) for part in parts]
        found = [result_of(future) for future in futures]
        columns = {name: np.concatenate([one[name] for one in found]) for name in found[0]}
        broken = np.array([int(one).bit_count() for one in columns["violations"].tolist()], dtype=float)
        score = np.nan_to_num(scores(study, columns, published), nan=0.0)
        return np.asarray(np.where(broken > 0, _PENALTY * (1.0 + broken), score))

    def generation(population: Array) -> Array:
        score = scored(population)
        progress.add(len(score), float(score.min()))
        return score

    from scipy.optimize import differential_evolution  # noqa: PLC0415  # takes long

    settings = study.refinement
    bounds = np.array([(study.inputs[k].low, study.inputs[k].high) for k in ranges])
    inside = _EDGE * (bounds[:, 1] - bounds[:, 0])  # SciPy's scaling may put an end beyond itself
    start = base[ranges].clip(bounds[:, 0] + inside, bounds[:, 1] - inside)
    search: Any = differential_evolution  # its types know no vectorized functions
    numbers, score = base.copy(), float(scored(base[ranges][:, None])[0])
    progress = RefinementProgress(settings.generations, score, quiet=quiet)
    try:
        result = search(
            generation,
            bounds,
            maxiter=settings.generations,
            popsize=settings.population,
            init="sobol",
            x0=start,
            polish=False,
            tol=1e-4,
            updating="deferred",
            vectorized=True,
            rng=settings.seed,
        )
    except RuntimeError as error:  # SciPy's, for every ValueError
        if isinstance(error.__cause__, StudyError):
            raise error.__cause__ from None
        raise
    finally:
        progress.end()
    if result.fun < score:  # else the best design is at ends of ranges, and nothing between is better
        numbers[ranges], score = result.x, float(result.fun)
    refined = {
        "settings": _settings(study),
        "from": index,
        "numbers": numbers.tolist(),
        "score": score,
        "generations": int(result.nit),
        "designs": tried,
    }
    store.write(REFINED, (json.dumps(refined, indent=2) + "\n").encode())
    return refined


def read_refined(study: Study, store: Store) -> dict[str, Any] | None:
    """Return what an earlier `refine` with equal settings wrote; None if there is nothing."""
    try:
        refined = json.loads(store.refined.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StudyError(f"'{store.refined}' cannot be read: {error}") from error
    if not isinstance(refined, dict) or not refined.keys() >= _KEYS or not _are_numbers(refined, study):
        raise StudyError(f"'{store.refined}' is damaged; remove it and run the study again")
    return refined if refined["settings"] == _settings(study) else None


def _are_numbers(refined: dict[str, Any], study: Study) -> bool:
    """Return whether a file holds a design's numbers and a score."""
    numbers = refined["numbers"]
    if not isinstance(numbers, list) or len(numbers) != len(study.inputs):
        return False
    return all(isinstance(one, int | float) and np.isfinite(one) for one in [*numbers, refined["score"]])


def best_numbers(study: Study, store: Store, published: Any) -> tuple[Array | None, int]:
    """Return numbers and index of the best design; None, -1 if no design is feasible."""
    names = [f"input {one.name}" for one in study.inputs]
    columns = columns_of_file(store.result, ["index", *names, *study.objective, "violations"])
    rows = order(study, columns, published)
    if not len(rows):
        return None, -1
    return np.array([columns[name][rows[0]] for name in names]), int(columns["index"][rows[0]])


def _settings(study: Study) -> dict[str, Any]:
    return {**asdict(study.refinement), "objective": dict(study.objective)}

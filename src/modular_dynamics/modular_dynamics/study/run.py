"""A run: chunks of designs to workers, their results to the folder, and the best design refined.

Refinement is differential evolution, from SciPy: it takes a whole population at a time, which is what a
batch of designs is (``vectorized=True``); it needs no derivatives, which the largest |force| and limits do
not have everywhere; it keeps bounds, is repeated by its seed, and SciPy is a dependency already. Storn &
Price, J. Global Optimization 11 (1997).
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StudyError
from .cluster import computed_chunk, connected, measured_designs, packages, result_of, seconds_of_block
from .evaluation import Evaluator, order, scores
from .store import REFINED, Store, arrow, columns_of_file
from .study import Study

__all__ = ["Outcome", "best_numbers", "read_refined", "run_study"]

#: Time between two lines of progress [s]: on a terminal (one line that changes), and elsewhere.
_ON_TERMINAL, _ELSEWHERE = 0.2, 10.0
#: How long a scheduler may have no worker before that is printed [s].
PATIENCE = 5.0


class Progress:
    """Prints how far work is on a stream, rate-limited; on a terminal, one line that changes.

    Args:
        line: the text after so many seconds. quiet: whether nothing is printed. stream: stderr by default.
    """

    def __init__(self, line: Callable[[float], str], *, quiet: bool, stream: TextIO | None = None) -> None:
        self._line, self._quiet, self._stream = line, quiet, sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty()
        self._start = self._last = time.monotonic()
        self._printed = False

    def passed(self) -> None:
        """Print the line, unless the last one is too recent."""
        now = time.monotonic()
        if self._quiet or now - self._last < (_ON_TERMINAL if self._terminal else _ELSEWHERE):
            return
        self._last, self._printed, line = now, self._terminal, self._line(now - self._start)
        print(f"\r\x1b[K{line}" if self._terminal else f"{line}\n", end="", file=self._stream, flush=True)

    def end(self) -> None:
        """Remove the changing line."""
        if self._printed:
            print("\r\x1b[K", end="", file=self._stream, flush=True)
            self._printed = False


def run_line(total: int, done: int, before: int, seconds: float) -> str:
    """Return how many designs are done, ``before`` of them by earlier runs, their rate, and the time left."""
    rate = (done - before) / seconds if seconds > 0.0 else 0.0
    left = f", {duration((total - done) / rate)} left" if rate > 0.0 else ""
    return f"{done:,} of {total:,} designs, {rate:,.0f} designs/s{left}"


def duration(seconds: float) -> str:
    """Return a duration as text for people."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    minutes = seconds / 60.0
    return f"{minutes:.0f} min" if minutes < 90.0 else f"{minutes / 60.0:.1f} h"


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
    """Refine the best design of a finished study, and write the result to the folder.

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

    tried, generations, best = 0, -1, np.inf  # the first population, which is drawn, is generation 0

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
        nonlocal generations, best
        score = scored(population)
        generations, best = generations + 1, min(best, float(score.min()))
        progress.passed()
        return score

    def line(seconds: float) -> str:
        rate = (tried - 1) / seconds if seconds > 0.0 else 0.0
        left = duration((settings.generations - generations) * seconds / (generations + 1))
        of = f"generation {generations} of at most {settings.generations}"
        found = f"best score {best:.5g} (before: {score:.5g})"
        return f"refining: {of}, {found}, {rate:,.0f} designs/s, at most {left} left"

    from scipy.optimize import differential_evolution  # noqa: PLC0415  # takes long

    settings = study.refinement
    bounds = np.array([(study.inputs[k].low, study.inputs[k].high) for k in ranges])
    inside = _EDGE * (bounds[:, 1] - bounds[:, 0])  # SciPy's scaling may put an end beyond itself
    start = base[ranges].clip(bounds[:, 0] + inside, bounds[:, 1] - inside)
    search: Any = differential_evolution  # its types know no vectorized functions
    numbers, score = base.copy(), float(scored(base[ranges][:, None])[0])
    best, progress = score, Progress(line, quiet=quiet)
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


#: Duration of a chunk [s]: long compared with the scheduler's 1 ms per task, short compared with a run.
CHUNK_SECONDS = 1.0
#: Chunks that are at the scheduler for each worker: one in work, others waiting at hand.
AHEAD = 3


@dataclass(frozen=True)
class Outcome:
    """What a run did.

    Attributes:
        designs: of the study. computed: by this run. seconds: of computing, without starting workers.
        workers: how many there were. folder: of the results.
    """

    designs: int
    computed: int
    seconds: float
    workers: int
    folder: Path


def run_study(
    study: Study,
    folder: str | Path,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    quiet: bool = True,
) -> Outcome:
    """Compute all designs of a study that the folder does not have.

    The results do not depend on workers and interruptions, to the bit: a design's numbers follow from its
    index, blocks of designs are always the same, and chunks are put together in order.

    Args:
        scheduler: address of a Dask scheduler; workers on this machine by default. workers: how many of these
            (default: cores). quiet: whether no progress is printed on stderr.

    Raises:
        StudyError: another study in the folder, a folder that cannot be written or has no space left, no
            scheduler at the address. MissingDependencyError: no Dask or PyArrow.
    """
    arrow()
    store = Store(folder, study)
    store.open()
    with store.locked():
        if store.chunk:
            store.describe()
        finished = store.is_finished
        refined = not study.refinement.generations or (finished and read_refined(study, store) is not None)
        if finished and refined:
            store.tidy()
            return Outcome(study.count, 0, 0.0, 0, store.folder)
        with connected(scheduler, workers) as client:
            _wait_for_workers(client, quiet)
            # a task, not scattered data: a task is repeated where a worker that holds its result is lost
            shared = client.submit(_itself, study, key=f"study-{store.digest}", pure=False)
            outcome = Outcome(study.count, 0, 0.0, 0, store.folder)
            if not finished:
                outcome = _computed(study, store, client, shared, quiet=quiet)
            if study.refinement.generations:
                refine(study, store, client, shared, quiet=quiet)
            return outcome


def _wait_for_workers(client: Any, quiet: bool) -> None:
    """Print a line when a scheduler has no worker, for which the run would wait silently."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except packages()[1].TimeoutError:
        if not quiet:
            text = "the scheduler has no workers; waiting for one (Ctrl-C ends the run, and nothing is lost)"
            print(text, file=sys.stderr, flush=True)


def _computed(study: Study, store: Store, client: Any, shared: Any, *, quiet: bool) -> Outcome:
    if not store.chunk:
        block, seconds = result_of(client.submit(seconds_of_block, shared, pure=False))
        store.decide(block * max(1, min(round(CHUNK_SECONDS / seconds), -(-study.count // block))))
    missing = list(store.missing())
    sizes = {chunk: store.bounds(chunk)[1] - store.bounds(chunk)[0] for chunk in missing}
    to_do = sum(sizes.values())
    done = before = study.count - to_do
    progress = Progress(lambda seconds: run_line(study.count, done, before, seconds), quiet=quiet)
    count, start = max(1, len(client.scheduler_info(n_workers=-1)["workers"])), time.monotonic()
    try:
        for chunk, future in _answers(client, shared, store, missing, count):
            store.write_chunk(chunk, result_of(future))
            done += sizes[chunk]
            progress.passed()
    finally:
        progress.end()
    seconds = time.monotonic() - start
    store.finish()
    return Outcome(study.count, to_do, seconds, count, store.folder)


def _answers(
    client: Any, shared: Any, store: Store, missing: list[int], workers: int
) -> Iterator[tuple[int, Any]]:
    """Yield finished chunks in order of completion; only some are at the scheduler at a time."""
    waiting = iter(missing)
    chunks: dict[str, int] = {}
    done = packages()[1].as_completed(loop=client.loop)

    def submit(chunk: int) -> None:
        future = client.submit(computed_chunk, shared, *store.bounds(chunk), pure=False)
        chunks[future.key] = chunk
        done.add(future)

    for _ in range(AHEAD * workers):
        if (chunk := next(waiting, None)) is not None:
            submit(chunk)
    while chunks:
        future = next(done)
        if (chunk := next(waiting, None)) is not None:
            submit(chunk)
        yield chunks.pop(future.key), future


def _itself(study: Study) -> Study:
    return study

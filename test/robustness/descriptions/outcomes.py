"""What became of a damaged description: right, refused, or one of the faults."""

import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time
from typing import Any, NamedTuple

import modular_dynamics as md

from .computations import Wrong, compute

#: Outcomes that no description may have.
FAULTS = ("wrong", "raw", "slow")


class Outcome(NamedTuple):
    """``kind``: right, refused, wrong, raw (another library's error) or slow. ``text``: what happened."""

    kind: str
    text: str


class _TooSlow(BaseException):
    """Not an Exception: no handler in between may take it for one."""


def outcome_of(
    load: Callable[[], Any], seed: int, limit: float = 2.0, use: Callable[[Any, int], str] = compute
) -> Outcome:
    """Load a description, then compute with it at a random state, and compare with Pinocchio.

    Args:
        limit: processor time that loading may take [s]. use: what is computed, with the seed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", md.ModelWarning)
            before = thread_time()
            try:
                with _at_most(20.0 * limit, signal.ITIMER_REAL):  # reading may wait for ever, too
                    graph = load()
            except md.ModularDynamicsError as error:
                text = f"{type(error).__name__}: {str(error)[:200]}"
                str(error).encode()  # an error that no log can take is none
                took = thread_time() - before
                return Outcome("refused", text) if took < limit else Outcome("slow", f"{took:.1f} s, {text}")
            took = thread_time() - before
            if took > limit:
                return Outcome("slow", f"{took:.1f} s for a file that is accepted")
            with _at_most(20.0 * limit, signal.ITIMER_PROF):
                return Outcome("right", use(graph, seed))
    except Wrong as error:
        return Outcome("wrong", str(error))
    except _TooSlow:
        return Outcome("slow", f"more than {20.0 * limit:g} s")
    except Exception as error:
        return Outcome("raw", f"{type(error).__name__}: {str(error)[:200]!a}")


@contextmanager
def _at_most(seconds: float, clock: int) -> Iterator[None]:
    """End what takes longer, by an alarm of this process."""

    def stop(*_: object) -> None:
        raise _TooSlow

    alarms = {signal.ITIMER_REAL: signal.SIGALRM, signal.ITIMER_PROF: signal.SIGPROF}
    before = signal.signal(alarms[clock], stop)
    signal.setitimer(clock, seconds)
    try:
        yield
    finally:
        signal.setitimer(clock, 0.0)
        signal.signal(alarms[clock], before)

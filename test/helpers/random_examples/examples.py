"""How many random examples and cases a test takes: a few, always the same, by day; all at night."""

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, settings

Case = TypeVar("Case")

FULL = 100  # a test that draws 60 of them draws 15 daily and 600 at night
DAILY, NIGHTLY = FULL // 4, 10 * FULL  # examples of a test that names no number
LEAST = 3  # examples that any test draws


def register_profiles() -> None:
    """Make the profiles `daily`, which is the default, and `nightly` known to hypothesis.

    `pytest --hypothesis-profile=nightly` chooses; `make test-nightly` does so.
    """
    for name, count in (("daily", DAILY), ("nightly", NIGHTLY)):
        settings.register_profile(
            name,
            max_examples=count,
            derandomize=name == "daily",  # what fails must fail again; new examples are for the night
            deadline=None,  # other processes make single examples slow
            suppress_health_check=[HealthCheck.too_slow],
            print_blob=True,
        )
    settings.load_profile("daily")


def is_night() -> bool:
    """Whether all examples and cases are asked for."""
    return settings.default.max_examples >= NIGHTLY


def examples(count: int, **more: object) -> settings:
    """Settings of a test that draws `count` examples of `FULL`: fewer daily, more at night."""
    chosen = count * settings.default.max_examples // FULL
    return settings(max_examples=max(chosen, min(count, LEAST)), **more)


def rounds(nightly: int, daily: int) -> int:
    """How often a test that wears a node out repeats itself."""
    return nightly if is_night() else daily


def some(cases: Sequence[Case], daily: int = 5) -> Sequence[Case]:
    """All cases at night; daily as many as asked for, evenly spread from the first to the last."""
    if is_night() or len(cases) <= daily:
        return cases
    return [cases[k * (len(cases) - 1) // max(daily - 1, 1)] for k in range(daily)]

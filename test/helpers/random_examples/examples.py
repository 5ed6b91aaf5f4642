"""How many random examples a test draws: the same ones by day, at night ten times as many others."""

from hypothesis import HealthCheck, settings

DAILY = 100  # examples of a test that names no number
NIGHTLY = 10 * DAILY


def register_profiles() -> None:
    """Make the profiles `daily`, which is the default, and `nightly` known to hypothesis.

    `pytest --hypothesis-profile=nightly` chooses; `make test-nightly` does so.
    """
    for name, count in (("daily", DAILY), ("nightly", NIGHTLY)):
        settings.register_profile(
            name,
            max_examples=count,
            derandomize=name == "daily",  # what fails must fail again; new examples are for the night
            deadline=None,  # compilation, and other processes, make single examples slow
            suppress_health_check=[HealthCheck.too_slow],
            print_blob=True,
        )
    settings.load_profile("daily")


def examples(count: int, **more: object) -> settings:
    """Settings of a test that draws `count` examples daily, and more by the factor of the profile."""
    return settings(max_examples=count * settings.default.max_examples // DAILY, **more)

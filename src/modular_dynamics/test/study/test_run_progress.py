"""Lines of progress; a scheduler without workers, and one that is lost."""

import logging

import pytest

from modular_dynamics.exceptions import StudyError
from modular_dynamics.study import run
from modular_dynamics.study.run import run_line


@pytest.mark.parametrize(
    ("done", "seconds", "line"),
    [
        (2_000, 1.0, "2,000 of 10,000 designs, 0 designs/s"),
        (3_000, 2.0, "3,000 of 10,000 designs, 500 designs/s, 14 s left"),
        (2_100, 10.0, "2,100 of 10,000 designs, 10 designs/s, 13 min left"),
        (2_010, 10.0, "2,010 of 10,000 designs, 1 designs/s, 2.2 h left"),
    ],
)
def test_the_line_says_speed_and_time_left_of_this_run(done, seconds, line):
    assert run_line(10_000, done, 2_000, seconds) == line


@pytest.mark.parametrize("quiet", [False, True])
def test_a_scheduler_without_workers_is_said(quiet, capsys):
    distributed = pytest.importorskip("distributed")

    class Client:
        def wait_for_workers(self, count, timeout):
            raise distributed.TimeoutError(f"{count} in {timeout} s")

    run._wait_for_workers(Client(), quiet)
    assert ("the scheduler has no workers; waiting for one" in capsys.readouterr().err) != quiet


def test_a_scheduler_that_is_lost_is_named_and_the_packages_say_nothing():
    distributed = pytest.importorskip("distributed")

    class Lost:
        def result(self):
            raise distributed.client.FutureCancelledError("key", "lost")

    with pytest.raises(StudyError, match="connection to the Dask scheduler was lost; the same command"):
        run.result_of(Lost())
    logging.getLogger("distributed.client").setLevel(logging.WARNING)  # as Dask does when it is imported
    run._quiet()
    assert not logging.getLogger("distributed.client").isEnabledFor(logging.ERROR)

"""A scheduler without workers: what a user reads while the run waits."""

import io
import time

from modular_dynamics.study.running.run import told_where_none_works

PERIOD = 0.01


class Client:
    """Of a scheduler that has so many workers at each look, and then as many as at the last one."""

    def __init__(self, *workers):
        self.workers, self.looks = list(workers), 0

    def scheduler_info(self, n_workers):
        assert n_workers == -1  # all of them
        found = self.workers[min(self.looks, len(self.workers) - 1)]
        self.looks += 1
        if found is None:
            raise OSError("the connection is lost")
        return {"workers": dict.fromkeys(range(found))}


def told(*workers, quiet=False):
    """The lines of so many looks."""
    client, stream = Client(*workers), io.StringIO()
    with told_where_none_works(client, quiet=quiet, stream=stream, period=PERIOD):
        deadline = time.monotonic() + 60.0
        while not quiet and client.looks < len(workers):
            assert time.monotonic() < deadline
            time.sleep(PERIOD)
    return stream.getvalue().splitlines()


def test_it_is_said_once_and_when_workers_are_back():
    lines = told(2, 0, 0, 0, 0, 3, 3, 0, 0)
    assert [line.split(";")[0] for line in lines] == [
        "the scheduler has no workers",
        "the scheduler has 3 workers again",
        "the scheduler has no workers",
    ]


def test_a_worker_that_is_started_again_is_no_news():
    assert told(2, 1, 0, 1, 2) == []


def test_a_lost_connection_and_a_quiet_run_say_nothing():
    assert told(1, 0, None) == []
    assert told(0, 0, 0, quiet=True) == []

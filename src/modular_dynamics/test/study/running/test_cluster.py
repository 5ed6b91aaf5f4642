"""Workers that end while they start, and a scheduler that is lost."""

import logging

import pytest

from modular_dynamics.exceptions import StudyError
from modular_dynamics.study.running import cluster


class Distributed:
    """In place of the package: the first starts fail, as where a worker is killed while it starts."""

    def __init__(self, failures):
        self.failures, self.starts = failures, 0

    def LocalCluster(self, **settings):
        self.starts += 1
        if self.starts <= self.failures:
            raise RuntimeError("Nanny failed to start.")
        return settings["n_workers"]


def test_workers_that_end_while_they_start_are_started_again():
    distributed = Distributed(cluster.STARTS - 1)
    assert cluster._local_cluster(distributed, 2) == 2
    assert distributed.starts == cluster.STARTS


def test_where_they_always_end_one_line_says_so():
    with pytest.raises(StudyError, match=r"workers ended 3 times while they started: Nanny failed"):
        cluster._local_cluster(Distributed(cluster.STARTS), 2)


def test_a_scheduler_that_is_lost_is_named_and_the_packages_say_nothing():
    distributed = pytest.importorskip("distributed")

    class Lost:
        def result(self):
            raise distributed.client.FutureCancelledError("key", "lost")

    with pytest.raises(StudyError, match="connection to the Dask scheduler was lost; the same command"):
        cluster.result_of(Lost())
    logging.getLogger("distributed.client").setLevel(logging.WARNING)  # as Dask does when it is imported
    cluster._quiet()
    assert not logging.getLogger("distributed.client").isEnabledFor(logging.ERROR)

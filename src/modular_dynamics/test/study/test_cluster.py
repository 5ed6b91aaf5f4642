"""Workers that end while they start, and a scheduler that is lost."""

import logging

import pytest

from modular_dynamics.exceptions import StudyError
from modular_dynamics.study import cluster


def test_where_workers_end_while_they_start_one_line_says_so():
    class Distributed:
        def LocalCluster(self, **_settings):
            raise RuntimeError("Nanny failed to start.")

    with pytest.raises(StudyError, match=r"a worker ended while it started: Nanny failed"):
        cluster._local_cluster(Distributed(), 2)


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

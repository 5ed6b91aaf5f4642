"""A scheduler that is lost."""

import logging

import pytest

from modular_dynamics.exceptions import StudyError
from modular_dynamics.study import cluster


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

"""Modules dock and leave while joint states come: no state is lost, none is answered by another body."""

import pytest
from hypothesis import settings

from benchmark.studies.live_docking import study
from helpers.random_examples.examples import DAILY

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
CHANGES = 100  # by day; at night ten times as many


def test_every_answer_is_of_the_body_in_force_at_its_stamp():
    changes = CHANGES * settings.default.max_examples // DAILY
    figures = study(changes)
    assert figures.changes == changes + 1
    assert figures.refused > 0  # and left the assembly as it was
    assert figures.sent > changes  # states between the changes
    assert (figures.lost, figures.wrong) == (0, 0)
    assert (figures.same_text, figures.same_bits) == (True, True)
    for was, now in figures.memory.values():
        assert now - was < 10.0  # [MB] half of it in the first hundred changes: allocators keep pages

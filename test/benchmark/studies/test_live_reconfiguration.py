"""A gripper and loads come and go at 500 Hz: no state is lost, and each is answered by the robot in force."""

import pytest
from hypothesis import settings

from benchmark.studies.live_reconfiguration import study
from helpers.paths import ROBOTS
from helpers.random_examples.examples import DAILY

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
TIMES = 30  # by day; at night ten times as many


def test_every_answer_is_of_the_robot_in_force_at_its_stamp():
    times = TIMES * settings.default.max_examples // DAILY
    figures = study(times, ROBOTS / "charmie.urdf")
    assert (figures.attached, figures.loads, figures.detached) == (times,) * 3
    assert figures.sent > 3 * times  # states between the changes
    assert (figures.lost, figures.wrong) == (0, 0)
    was, now = figures.memory
    assert now - was < 10.0  # [MB] allocators keep pages

import pytest

from modular_dynamics.motions import AccelerationProfile
from modular_dynamics_ros.player.motion import Schedule

MOTION = AccelerationProfile({"a": 2.0}, [(1.0, 1.0)])


def test_first_at_zero_last_at_exactly_the_duration():
    schedule = Schedule(MOTION, 200.0, loop=False)
    assert len(schedule) == 201
    assert (schedule.offset(0), schedule.offset(100), schedule.offset(200)) == (0, 500_000_000, 1_000_000_000)
    assert schedule.sample(200)[0].tolist() == [1.0]
    assert schedule.exists(200)
    assert not schedule.exists(201)


def test_a_rate_that_does_not_divide_the_duration_still_ends_there():
    schedule = Schedule(MOTION, 3.3, loop=False)
    assert [schedule.offset(k) for k in range(len(schedule))] == pytest.approx(
        [0, 303030303, 606060606, 909090909, 1_000_000_000], abs=1
    )


def test_a_loop_goes_on_one_period_after_its_end():
    schedule = Schedule(MOTION, 10.0, loop=True)
    assert schedule.exists(10**6)
    assert schedule.offset(11) == schedule.offset(10) + 100_000_000
    assert schedule.sample(11)[0].tolist() == [0.0]


def test_windows_hold_the_samples_within_their_length():
    schedule = Schedule(MOTION, 10.0, loop=False)
    assert schedule.window(0, 0.35) == range(4)
    assert schedule.window(8, 1.5) == range(8, 11)

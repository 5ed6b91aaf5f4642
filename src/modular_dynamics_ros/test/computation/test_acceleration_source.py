import numpy as np

from modular_dynamics_ros.computation.acceleration_source import KEPT, ReferenceSampler, ReferenceTrajectory
from modular_dynamics_ros.computation.values import Coverage

NOW = 1_700_000_000_000_000_000
MS = 1_000_000


def trajectory(start: int, values: list[float], step: int = 10 * MS) -> ReferenceTrajectory:
    instants = start + step * np.arange(len(values), dtype=np.int64)
    return ReferenceTrajectory(instants, np.array(values)[:, np.newaxis])


def sample(sampler: ReferenceSampler, instant: int) -> tuple[float, Coverage]:
    out = np.full(1, np.nan)
    coverage = sampler.sample(instant, out)
    return float(out[0]), coverage


def test_exact_at_the_points_and_linear_between():
    sampler = ReferenceSampler(hold=0.1)
    values = [0.1, 0.3, -0.7]
    sampler.add(trajectory(NOW, values))
    for k, value in enumerate(values):
        assert sample(sampler, NOW + 10 * k * MS) == (value, Coverage.COVERED)  # equal, not nearly
    between, coverage = sample(sampler, NOW + 12 * MS + MS // 2)
    assert abs(between - (0.3 - 0.25)) < 1e-15
    assert coverage is Coverage.COVERED


def test_the_last_value_holds_for_a_while_then_nothing_does():
    sampler = ReferenceSampler(hold=0.1)
    sampler.add(trajectory(NOW, [1.0, 2.0]))
    assert sample(sampler, NOW + 110 * MS) == (2.0, Coverage.HELD)
    out = np.array([42.0])
    assert sampler.sample(NOW + 111 * MS, out) is Coverage.NONE
    assert out[0] == 42.0
    assert sampler.sample(NOW - 1, out) is Coverage.NONE


def test_the_newest_window_that_covers_the_instant_wins():
    sampler = ReferenceSampler(hold=0.1)
    sampler.add(trajectory(NOW, [1.0] * 11))
    sampler.add(trajectory(NOW + 50 * MS, [2.0] * 11))
    assert sample(sampler, NOW + 40 * MS) == (1.0, Coverage.COVERED)
    assert sample(sampler, NOW + 60 * MS) == (2.0, Coverage.COVERED)


def test_older_windows_answer_for_what_lies_before_the_next_one_and_leave_in_the_end():
    sampler = ReferenceSampler(hold=0.1)
    for k in range(KEPT):
        sampler.add(trajectory(NOW + 50 * k * MS, [float(k)] * 11))
    assert sample(sampler, NOW + 40 * MS) == (0.0, Coverage.COVERED)  # a node that lags behind asks this
    assert sample(sampler, NOW + 60 * MS) == (1.0, Coverage.COVERED)
    sampler.add(trajectory(NOW + 50 * KEPT * MS, [9.0] * 11))
    assert sample(sampler, NOW + 40 * MS)[1] is Coverage.NONE
    sampler.clear()
    sampler.add(trajectory(NOW, [1.0] * 101))  # a second, taken back by ...
    for _ in range(2):
        sampler.add(trajectory(NOW, [2.0, 2.0]))
    assert sample(sampler, NOW + 500 * MS)[1] is Coverage.NONE


def test_a_covering_older_window_beats_a_newer_one_that_is_over():
    sampler = ReferenceSampler(hold=0.1)
    sampler.add(trajectory(NOW, [1.0] * 11))
    sampler.add(trajectory(NOW, [2.0, 2.0]))
    assert sample(sampler, NOW + 50 * MS) == (1.0, Coverage.COVERED)


def test_one_point_is_a_trajectory():
    sampler = ReferenceSampler(hold=0.1)
    sampler.add(trajectory(NOW, [5.0]))
    assert sample(sampler, NOW) == (5.0, Coverage.COVERED)
    sampler.clear()
    assert sample(sampler, NOW)[1] is Coverage.NONE

"""References: accelerations between the points of one, and which of several is active."""

import numpy as np
import pytest
from scipy.interpolate import BPoly, CubicHermiteSpline

from helpers.random_examples.examples import some
from modular_dynamics_ros.computation.accelerations.reference_trajectory import (
    KEPT,
    MOST_NUMBERS,
    ReferenceSampler,
    ReferenceTrajectory,
)
from modular_dynamics_ros.computation.values import Coverage, joint_indices
from modular_dynamics_ros.exceptions import BadMessage

START = 1_700_000_000_000_000_000
STEPS = np.array([0, 130_000_000, 200_000_001, 900_000_000, 1_700_000_000])
INSTANTS = START + STEPS
T = 1e-9 * STEPS


def values(seed):
    return np.random.default_rng(seed).normal(size=(len(T), 3))


def sampled(trajectory, instant):
    out = np.full(trajectory.powers.shape[2], np.nan)
    trajectory.sample(int(instant), out)
    return out


def check_against(trajectory, acceleration, scale):
    """At instants inside, `acceleration`(t [s]); the rounding grows with the coefficients."""
    for offset in np.random.default_rng(7).integers(0, STEPS[-1], 200):
        assert sampled(trajectory, START + offset) == pytest.approx(acceleration(1e-9 * offset), abs=scale)


def test_positions_velocities_and_accelerations_are_joined_by_quintics():
    q, v, a = values(1), values(2), values(3)
    trajectory = ReferenceTrajectory.through(INSTANTS, q, v, a)
    spline = BPoly.from_derivatives(T, np.stack([q, v, a], axis=1)).derivative(2)
    check_against(trajectory, spline, 1e-13 * np.abs(trajectory.powers).max())
    for instant, given in zip(INSTANTS, a, strict=True):
        assert sampled(trajectory, instant).tolist() == given.tolist()  # to the bit


def test_positions_and_velocities_are_joined_by_cubics():
    q, v = values(1), values(2)
    trajectory = ReferenceTrajectory.through(INSTANTS, q, v)
    spline = CubicHermiteSpline(T, q, v).derivative(2)
    check_against(trajectory, spline, 1e-13 * np.abs(trajectory.powers).max())
    assert sampled(trajectory, INSTANTS[-1]) == pytest.approx(spline(T[-1]), rel=1e-9)


def test_positions_alone_are_joined_by_lines():
    trajectory = ReferenceTrajectory.through(INSTANTS, values(1))
    check_against(trajectory, lambda t: np.zeros(3), 0.0)


def test_accelerations_alone_are_exact_at_the_points_and_linear_between():
    a = values(3)
    for trajectory in (
        ReferenceTrajectory.through(INSTANTS, None, None, a),
        ReferenceTrajectory.through(INSTANTS, values(1), None, a),
    ):
        line = [lambda t, k=k: np.interp(t, T, a[:, k]) for k in range(3)]
        check_against(trajectory, lambda t, line=line: [of(t) for of in line], 1e-14)
        for instant, given in zip(INSTANTS, a, strict=True):
            assert sampled(trajectory, instant).tolist() == given.tolist()


@pytest.mark.parametrize("given", [(1, None, None), (1, 2, None), (None, None, 3), (1, 2, 3)])
def test_one_point_is_a_trajectory(given):
    one = [None if seed is None else values(seed)[:1] for seed in given]
    trajectory = ReferenceTrajectory.through(INSTANTS[:1], *one)
    assert (trajectory.start, trajectory.end) == (START, START)
    assert sampled(trajectory, START).tolist() == (np.zeros(3) if one[2] is None else one[2][0]).tolist()


def test_it_ends_at_rest_where_its_velocities_or_accelerations_do():
    moving, resting = np.ones((2, 1)), np.array([[1.0], [0.0]])
    through = ReferenceTrajectory.through
    two = INSTANTS[:2]
    assert through(two, moving).at_rest  # then joint_trajectory_controller holds the position
    assert through(two, moving, resting).at_rest
    assert not through(two, moving, moving).at_rest
    assert through(two, moving, resting, moving).at_rest
    assert through(two, None, None, resting).at_rest
    assert not through(two, None, None, moving).at_rest


def test_points_that_are_too_close_are_not_finite():
    q, v = np.array([[0.0], [1e300]]), np.zeros((2, 1))
    for more in ((), (v,)):
        trajectory = ReferenceTrajectory.through(START + np.array([0, 1]), q, v, *more)
        assert not np.isfinite(trajectory.powers).all()


NOW = 1_700_000_000_000_000_000
MS = 1_000_000


def trajectory(start: int, values: list[float], step: int = 10 * MS) -> ReferenceTrajectory:
    instants = start + step * np.arange(len(values), dtype=np.int64)
    return ReferenceTrajectory.through(instants, accelerations=np.array(values)[:, np.newaxis])


def sample(sampler: ReferenceSampler, instant: int) -> tuple[float, Coverage]:
    out = np.full(1, np.nan)
    coverage = sampler.sample(instant, out)
    return float(out[0]), coverage


def coverage(sampler: ReferenceSampler, instant: int) -> Coverage:
    return sample(sampler, instant)[1]


def test_after_the_end_in_motion_the_last_acceleration_holds_for_a_while_if_it_is_to():
    sampler = ReferenceSampler()
    sampler.add(trajectory(NOW, [1.0, 2.0]), NOW)
    assert coverage(sampler, NOW + 10 * MS + 1) is Coverage.NONE
    sampler.hold = 0.1
    assert sample(sampler, NOW + 110 * MS) == (2.0, Coverage.HELD)
    out = np.array([42.0])
    assert sampler.sample(NOW + 111 * MS, out) is Coverage.NONE
    assert out[0] == 42.0
    assert sampler.sample(NOW - 1, out) is Coverage.NONE
    sampler.add(trajectory(NOW, [1.0, 0.0]), NOW)  # it ends at rest: there is nothing to hold
    assert coverage(sampler, NOW + 11 * MS) is Coverage.OVER
    sampler.clear()
    assert coverage(sampler, NOW) is Coverage.NONE


@pytest.mark.parametrize("seed", some(range(20)))
def test_it_agrees_with_the_definition(seed):
    """In force is, of the trajectories that have started, the one that was received last."""
    rng = np.random.default_rng(seed)
    sampler, received = ReferenceSampler(hold=0.05), []
    for number in range(60):
        start, points = NOW + MS * int(rng.integers(0, 1000)), int(rng.integers(0, 12))
        end = start + 10 * MS * (points - 1)
        resting = points == 0 or rng.random() < 0.3
        values = [number + 1.0] * points
        if points and resting:
            values[-1] = 0.0
        sampler.add(trajectory(start, values) if points else ReferenceTrajectory.none(start), NOW + 500 * MS)
        received.append((start, end, resting, values))
        for instant in NOW + MS * rng.integers(-50, 1200, 20):
            started = [one for one in received if one[0] <= instant]
            expected = Coverage.NONE
            if started:
                start, end, resting, values = started[-1]
                expected = Coverage.OVER if resting else Coverage.NONE
                if instant <= end:
                    expected = Coverage.COVERED
                elif not resting and instant - end <= 50 * MS:
                    expected = Coverage.HELD
            value, found = sample(sampler, int(instant))
            assert found is expected
            if found is Coverage.COVERED:
                assert value == pytest.approx(
                    np.interp(instant - start, 10 * MS * np.arange(len(values)), values)
                )
            elif found is Coverage.HELD:
                assert value == values[-1]


def test_what_it_keeps_is_bounded():
    sampler = ReferenceSampler()
    for k in range(KEPT + 1):
        sampler.add(trajectory(NOW + k * MS, [1.0]), NOW + k * MS)
    assert coverage(sampler, NOW) is Coverage.NONE  # the earliest one is dropped
    assert coverage(sampler, NOW + MS) is Coverage.COVERED
    sampler.clear()
    for k in range(3):
        sampler.add(huge(NOW + k), NOW + k)
    assert sampler.active_at(NOW) is None
    assert [sampler.active_at(NOW + k).start for k in (1, 2)] == [NOW + 1, NOW + 2]


def huge(start):
    """Two of them are more than is kept, besides the newest."""
    return ReferenceTrajectory(start, np.array([start]), np.zeros((1, 1, MOST_NUMBERS // 2 + 1)))


def test_those_that_have_not_started_never_drop_the_one_in_force():
    """Many short moves are sent in advance while a long one runs."""
    sampler, now = ReferenceSampler(), NOW + 5 * MS
    sampler.add(trajectory(NOW - MS, [7.0]), now)
    sampler.add(trajectory(NOW, [1.0] * 101), now)
    for k in range(1, KEPT + 1):
        sampler.add(trajectory(NOW + 1000 * k * MS, [float(k)]), now)
    with pytest.raises(BadMessage, match=f"too many references wait: {KEPT} start before it"):
        sampler.add(trajectory(NOW + 1000 * (KEPT + 1) * MS, [0.0]), now)
    assert sample(sampler, NOW + 990 * MS) == (1.0, Coverage.COVERED)
    for k in (1, KEPT):
        assert sample(sampler, NOW + 1000 * k * MS) == (float(k), Coverage.COVERED)
    later = NOW + 1000 * MS  # the first of them is in force: there is room for one
    sampler.add(trajectory(NOW + 1000 * (KEPT + 1) * MS, [2.0]), later)
    with pytest.raises(BadMessage, match=f"{KEPT} start before it"):
        sampler.add(trajectory(NOW + 1000 * (KEPT + 2) * MS, [0.0]), later)
    assert sample(sampler, NOW + 990 * MS) == (1.0, Coverage.COVERED)  # a state that is on its way
    sampler.add(ReferenceTrajectory.none(later), later)  # to cancel is always possible
    assert coverage(sampler, NOW + 1000 * KEPT * MS) is Coverage.OVER


@pytest.mark.parametrize("names", ["abcd", "abc", "d", "dcba", "abcde"])
def test_a_changed_robot_gets_the_accelerations_of_its_joints(names):
    """Also one that has only the first joints of the one before."""
    before, after = ReferenceSampler(), ReferenceSampler()
    instants = NOW + 10 * MS * np.arange(2, dtype=np.int64)
    accelerations = np.array([[1.0, 2.0, 3.0, 4.0]] * 2)
    before.add(ReferenceTrajectory.through(instants, accelerations=accelerations), NOW)
    after.continue_from(before, joint_indices(names, "abcd"), names)
    out = np.zeros(len(names))
    assert after.sample(NOW + 5 * MS, out) is Coverage.COVERED
    assert out.tolist() == [dict(zip("abcd", [1.0, 2.0, 3.0, 4.0], strict=True)).get(n, 0.0) for n in names]

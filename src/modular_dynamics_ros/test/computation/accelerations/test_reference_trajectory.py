import numpy as np
import pytest
from scipy.interpolate import BPoly, CubicHermiteSpline

from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory

START = 1_700_000_000_000_000_000
STEPS = np.array([0, 130_000_000, 200_000_001, 900_000_000, 1_700_000_000])
INSTANTS = START + STEPS
T = 1e-9 * STEPS


def values(seed):
    return np.random.default_rng(seed).normal(size=(len(T), 3))


def sample(trajectory, instant):
    out = np.full(trajectory.powers.shape[2], np.nan)
    trajectory.sample(int(instant), out)
    return out


def check_against(trajectory, acceleration, scale):
    """At instants inside, `acceleration`(t [s]); the rounding grows with the coefficients."""
    for offset in np.random.default_rng(7).integers(0, STEPS[-1], 200):
        assert sample(trajectory, START + offset) == pytest.approx(acceleration(1e-9 * offset), abs=scale)


def test_positions_velocities_and_accelerations_are_joined_by_quintics():
    q, v, a = values(1), values(2), values(3)
    trajectory = ReferenceTrajectory.through(INSTANTS, q, v, a)
    spline = BPoly.from_derivatives(T, np.stack([q, v, a], axis=1)).derivative(2)
    check_against(trajectory, spline, 1e-13 * np.abs(trajectory.powers).max())
    for instant, given in zip(INSTANTS, a, strict=True):
        assert sample(trajectory, instant).tolist() == given.tolist()  # to the bit


def test_positions_and_velocities_are_joined_by_cubics():
    q, v = values(1), values(2)
    trajectory = ReferenceTrajectory.through(INSTANTS, q, v)
    spline = CubicHermiteSpline(T, q, v).derivative(2)
    check_against(trajectory, spline, 1e-13 * np.abs(trajectory.powers).max())
    assert sample(trajectory, INSTANTS[-1]) == pytest.approx(spline(T[-1]), rel=1e-9)


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
            assert sample(trajectory, instant).tolist() == given.tolist()


@pytest.mark.parametrize("given", [(1, None, None), (1, 2, None), (None, None, 3), (1, 2, 3)])
def test_one_point_is_a_trajectory(given):
    one = [None if seed is None else values(seed)[:1] for seed in given]
    trajectory = ReferenceTrajectory.through(INSTANTS[:1], *one)
    assert (trajectory.start, trajectory.end) == (START, START)
    assert sample(trajectory, START).tolist() == (np.zeros(3) if one[2] is None else one[2][0]).tolist()


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

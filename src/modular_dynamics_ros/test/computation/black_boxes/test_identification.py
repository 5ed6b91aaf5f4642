"""Payloads from noisy wrenches; the truth is Pinocchio's."""

import numpy as np
import pytest

from helpers.simulated_sensor import SimulatedSensor, identify_many, sensor_at
from modular_dynamics.algebra.matrix_forms import homogeneous
from modular_dynamics_ros.computation.black_boxes.identification import (
    LEAST_POSES,
    RestPose,
    UnfitPosesError,
    identify_payload,
)

HERE = sensor_at(np.eye(4))
OFFSET = np.array([3.0, -7.0, 2.0, 0.1, 0.3, -0.2])


@pytest.fixture
def sensor():
    one = SimulatedSensor()
    one.carry(1.3, np.array([0.04, -0.02, 0.09]))
    return one


@pytest.fixture
def poses(sensor):
    rng = np.random.default_rng(3)
    return [sensor.at_rest(sensor.random_pose(rng)) for _ in range(8)]


@pytest.fixture(scope="module")
def runs():
    return identify_many(600, seed=11)


def test_mass_and_centre_are_close_and_the_confidence_holds(runs):
    assert runs.mass.max() < 0.01
    assert runs.com.max() < 0.002
    assert min(runs.p_values) > 0.01  # by a binomial test 95 % is the coverage: 93 to 97 % of 600 runs


@pytest.mark.parametrize("reverse", [False, True])
def test_the_sensors_frame_sign_and_offset(sensor, poses, reverse):
    """The sensor stands elsewhere, turned, and reports with either sign."""
    c, s = np.cos(0.7), np.sin(0.7)
    R, p = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), np.array([0.02, -0.05, 0.03])
    placement = sensor_at(homogeneous(R, p), reverse=reverse)
    moved = []
    for pose in poses:
        force, moment = pose.wrench[:3], pose.wrench[3:]  # by hand: about the sensor's origin, in its axes
        there = np.append(R.T @ force, R.T @ (moment - np.cross(p, force)))
        moved.append(RestPose(R.T @ pose.gravity, (-there if reverse else there) + OFFSET))
    found = identify_payload(moved, placement)
    mass, com = sensor.truth
    assert found.mass == pytest.approx(mass, rel=1e-12)
    assert found.com == pytest.approx(com, abs=1e-12)
    assert found.offset == pytest.approx(OFFSET, abs=1e-11)
    assert found.residual < 1e-12


def test_without_noise_the_intervals_have_no_width():
    rng = np.random.default_rng(0)
    axes = 8.0 * np.vstack((np.eye(3), -np.eye(3)))
    com = np.array([0.0, 0.0, 0.5])
    for _ in range(40):
        poses = [RestPose(g, np.append(-g, np.cross(com, -g))) for g in rng.permutation(axes)]
        with np.errstate(divide="raise", invalid="raise"):
            found = identify_payload(poses, HERE)
        assert found.com == pytest.approx(com, abs=1e-15)
        assert found.mass_interval < 1e-14
        assert found.com_interval.max() < 1e-14  # NaN is not


def test_a_confidence_without_bounds_is_refused_as_such(poses):
    with pytest.raises(UnfitPosesError, match=r"confidence is 0\.9{16}: too close to 1"):
        identify_payload(poses, HERE, 1.0 - 1e-16)
    assert np.isfinite(identify_payload(poses, HERE, 1.0 - 1e-15).mass_interval)


def test_too_few_poses_are_refused(poses):
    with pytest.raises(UnfitPosesError, match="3 poses are collected; at least 4 are needed"):
        identify_payload(poses[: LEAST_POSES - 1], HERE)


def test_similar_poses_are_refused_with_their_spread(poses):
    with pytest.raises(UnfitPosesError, match=r"too similar.*turn the sensor about two axes"):
        identify_payload([poses[0]] * 8, HERE)


def test_gravity_on_a_line_is_refused():
    gravity = [np.array([0.0, 0.0, z]) for z in (-9.81, 9.81, -9.81, 9.81)]
    poses = [RestPose(g, np.append(-2.0 * g, [0.0, 0.0, 0.0])) for g in gravity]
    with pytest.raises(UnfitPosesError, match=r"0\.0 deg along the next"):
        identify_payload(poses, HERE)


def test_no_payload_has_no_centre(poses):
    noise = np.random.default_rng(2).normal(0.0, 0.1, (8, 6))
    empty = [RestPose(one.gravity, more) for one, more in zip(poses, noise, strict=True)]
    with pytest.raises(UnfitPosesError, match="nothing hangs beyond the sensor"):
        identify_payload(empty, HERE)


def test_the_opposite_sign_is_noticed(poses):
    with pytest.raises(UnfitPosesError, match="reversed_black_boxes"):
        identify_payload([RestPose(one.gravity, -one.wrench) for one in poses], HERE)

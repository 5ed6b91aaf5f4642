"""Numbers, axes and poses: exactly those that are read back, also where roll and yaw turn about one axis."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.random_examples.dual_quaternions import poses
from modular_dynamics.algebra import from_xyz_rpy, pose, rotation_about
from modular_dynamics.text.numbers import decimals
from modular_dynamics.urdf.writing import axis, number, origin

#: A few roundings of numbers of size 1; rotations are products of three.
ROUNDING = 1e-15
finite = st.floats(allow_nan=False, allow_infinity=False)
RIGHT = np.pi / 2


def read(element):
    """The pose that a reader of an <origin> takes."""
    return from_xyz_rpy(decimals(element.get("xyz")), decimals(element.get("rpy")))


def assert_read_back(x, rounding=ROUNDING):
    other = read(origin(x)).vec8()
    other *= np.copysign(1.0, other[:4] @ x.vec8()[:4])  # r and -r are the same rotation
    np.testing.assert_allclose(other, x.vec8(), rtol=0, atol=rounding * max(1.0, np.abs(x.vec8()).max()))


@given(finite)
def test_numbers_are_read_back_to_the_bit(value):
    assert decimals(number(value)) == [value]
    assert decimals(number(np.float64(value))) == [value]
    assert number(-0.0) == "0.0"


@given(poses)
def test_poses(x):
    assert_read_back(x, 4e-15)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("off", [0.0, 5e-324, 1e-17, 1e-16, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3])
def test_rotations_at_the_gimbal_position_and_near_it(sign, off):
    """Pitch of a right angle: only the sum or difference of roll and yaw is known, but the rotation is."""
    for roll, yaw, side in itertools.product((0.0, 0.3, -2.0, np.pi), (0.0, 1.1, -3.0), (-1.0, 1.0)):
        assert_read_back(from_xyz_rpy([0.1, 0.2, 0.3], [roll, sign * RIGHT + side * off, yaw]))


def test_all_turns_of_a_cube_and_half_turns():
    quarter = [rotation_about(np.eye(3)[k], RIGHT) for k in range(3)]
    for a, b, c in itertools.product([md.Quaternion(1.0), *quarter], repeat=3):
        assert_read_back(pose(a * b * c, [1.0, 2.0, 3.0]))
    rng = np.random.default_rng(0)
    for way in rng.normal(size=(200, 3)):
        assert_read_back(pose(rotation_about(way / np.linalg.norm(way), np.pi), way))


def test_poses_do_not_drift_when_they_are_written_again_and_again():
    x = first = from_xyz_rpy([0.1, -0.7, 1.3], [0.5, 1.57, -2.2])
    for _ in range(100):
        x = read(origin(x))
    assert x.is_close(first, 1e-14)


@pytest.mark.parametrize("given", [(1, 1, 0), (1, 1, 1), (0, 0, -1), (3, 4, 0), (1, -2, 5)])
def test_axes_are_read_back_to_the_bit(given):
    unit = np.array(given, float) / np.linalg.norm(given)
    candidate = axis(unit)
    np.testing.assert_array_equal(candidate / np.linalg.norm(candidate), unit)


def test_random_axes_differ_by_rounding_at_most():
    for way in np.random.default_rng(0).normal(size=(300, 3)):
        unit = way / np.linalg.norm(way)
        candidate = axis(unit)
        np.testing.assert_allclose(candidate / np.linalg.norm(candidate), unit, rtol=0, atol=3e-16)

"""Rotations and motions of many states: against Pinocchio's exponential, and scipy."""

import numpy as np
import pinocchio
import pytest
from scipy.spatial.transform import Rotation

from modular_dynamics.algebra import (
    motion_after,
    motion_between,
    quaternion_after,
    quaternion_between,
    quaternion_product,
    rotated,
)

ANGLES = [0.0, 1e-9, 1e-4, 0.05, 0.0999999, 0.1000001, 1.0, 3.0, np.pi - 1e-7, np.pi]


def random_poses(count, seed=0):
    rng = np.random.default_rng(seed)
    r = rng.normal(size=(count, 4))
    return rng.normal(size=(count, 3)), r / np.linalg.norm(r, axis=1, keepdims=True)


@pytest.mark.parametrize("angle", ANGLES)
def test_motions_are_pinocchios(angle):
    (p,), (r,) = random_poses(1)
    rng = np.random.default_rng(1)
    linear, axis = rng.normal(size=3), rng.normal(size=3)
    turn = angle * axis / np.linalg.norm(axis)
    start = pinocchio.SE3(Rotation.from_quat(np.roll(r, -1)).as_matrix(), p)
    end = start * pinocchio.exp6(pinocchio.Motion(linear, turn))
    p_end, r_end = motion_after(p, r, linear, turn)
    assert p_end == pytest.approx(end.translation, abs=1e-14)
    assert Rotation.from_quat(np.roll(r_end, -1)).as_matrix() == pytest.approx(end.rotation, abs=2e-15)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_motion_between_is_the_inverse(angle, sign):
    (p, r), rng = random_poses(20), np.random.default_rng(2)
    linear, axis = rng.normal(size=(2, 20, 3))
    turn = angle * axis / np.linalg.norm(axis, axis=1, keepdims=True)
    p_end, r_end = motion_after(p, 1.7 * r, linear, turn)
    found_linear, found_turn = motion_between(p, 1.7 * r, p_end, sign * r_end)
    again = motion_after(p, r, found_linear, found_turn)
    assert again[0] == pytest.approx(p_end, abs=1e-14)
    assert rotated(again[1], p) == pytest.approx(rotated(r_end, p), abs=1e-14)
    if angle < np.pi - 1e-3:  # at half a turn the opposite one is as short
        assert found_turn == pytest.approx(turn, abs=1e-14)
        assert found_linear == pytest.approx(linear, abs=1e-13)
    assert (np.linalg.norm(found_turn, axis=1) <= np.pi + 1e-12).all()


def test_products_and_turns_are_scipys():
    (a, first), (_, second) = random_poses(50, 3), random_poses(50, 4)
    one, two = (Rotation.from_quat(np.roll(r, -1, axis=1)) for r in (first, second))
    assert rotated(first, a) == pytest.approx(one.apply(a), abs=1e-14)
    product = quaternion_product(first, second)
    assert rotated(product, a) == pytest.approx((one * two).apply(a), abs=1e-14)
    turn = quaternion_between(first, second)
    assert turn == pytest.approx((one.inv() * two).as_rotvec(), abs=1e-13)
    assert rotated(quaternion_after(first, turn), a) == pytest.approx(two.apply(a), abs=1e-14)

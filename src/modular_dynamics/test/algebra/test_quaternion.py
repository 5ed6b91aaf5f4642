"""Quaternions: Hamilton's units."""

from modular_dynamics.algebra import DualQuaternion, Quaternion


def test_units_multiply_as_hamilton_said():
    i, j, k = Quaternion(0, 1), Quaternion(0, 0, 1), Quaternion(0, 0, 0, 1)
    minus_one = Quaternion(-1.0)
    assert i * i == j * j == k * k == i * j * k == minus_one
    eps = DualQuaternion(Quaternion(), Quaternion(1.0))
    assert eps * eps == DualQuaternion.zero

"""Joints of a changing assembly: those that stay are not disturbed, new ones join smoothly."""

import numpy as np
import pytest

from modular_dynamics_ros.assembly.node import MovingJoints

pytestmark = pytest.mark.ros


class Sine:
    """q = sin(t + k) of three joints."""

    joint_names = ("a", "b", "c")

    def at(self, t):
        phases = t + np.arange(3.0)
        return np.sin(phases), np.cos(phases), -np.sin(phases)


@pytest.fixture
def joints():
    made = MovingJoints(Sine(), 0.5)
    made.take(["b", "fixed", "a"], 0.0)
    return made


def test_the_first_joints_follow_the_gait_in_the_assemblys_order(joints):
    q, v = joints.at(0.3)
    assert q.tolist() == [np.sin(1.3), 0.0, np.sin(0.3)]
    assert v.tolist() == [np.cos(1.3), 0.0, np.cos(0.3)]


def test_a_joint_that_comes_later_begins_at_rest_and_ends_in_the_gait(joints):
    joints.take(["c", "b"], 2.0)
    q, v = joints.at(2.0)
    assert (q[0], v[0]) == (0.0, 0.0)
    assert (q[1], v[1]) == (np.sin(3.0), np.cos(3.0))
    q, v = joints.at(2.5)
    assert (q[0], v[0]) == (np.sin(4.5), np.cos(4.5))


@pytest.mark.parametrize("t", [2.1, 2.25, 2.49, 2.6])
def test_velocities_are_the_derivatives_of_the_positions(joints, t):
    joints.take(["a", "c"], 2.0)
    step = 1e-5  # [s]; errors of the central difference: step^2 |q'''| / 6, and 1e-16 / step
    difference = (joints.at(t + step)[0] - joints.at(t - step)[0]) / (2.0 * step)
    np.testing.assert_allclose(joints.at(t)[1], difference, rtol=0.0, atol=1e-7)

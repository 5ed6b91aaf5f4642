"""Answers to requests as messages."""

import numpy as np
import pytest
from builtin_interfaces.msg import Time

from modular_dynamics_ros.computation.queries.equation_of_motion import EquationTerms
from modular_dynamics_ros.computation.queries.limits import EFFORT, Excess
from modular_dynamics_ros.computation.queries.trajectory import Motion, Torques
from modular_dynamics_ros.computation.torque_terms import TorqueTerms
from modular_dynamics_ros.messages.queries.answers import (
    accel_message,
    equation_message,
    excess_messages,
    matrix_pose_message,
    torque_terms_message,
    torques_message,
    twist_message,
)

pytestmark = pytest.mark.ros

STAMP = Time(sec=3, nanosec=4)


def test_torque_terms():
    names = ("total", "inertia", "coriolis", "gravity", "springs", "friction", "external")
    terms = TorqueTerms(**{name: np.array([float(k), 0.5]) for k, name in enumerate(names)})
    message = torque_terms_message(STAMP, ("a", "b"), terms)
    assert (message.header.stamp, message.joint_names) == (STAMP, ["a", "b"])
    for k, name in enumerate(names):
        assert getattr(message, name).tolist() == [float(k), 0.5]


def test_an_equation_has_its_matrix_row_by_row():
    terms = EquationTerms(["a", "b"], np.array([[1.0, 2.0], [3.0, 4.0]]), *np.arange(5.0, 11.0).reshape(3, 2))
    message = equation_message(STAMP, terms)
    assert message.mass_matrix.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert (message.nonlinear_effects.tolist(), message.gravity.tolist()) == ([5.0, 6.0], [7.0, 8.0])
    assert message.springs.tolist() == [9.0, 10.0]
    assert (message.header.stamp, message.coordinates) == (STAMP, ["a", "b"])


def test_poses_and_rates():
    H = np.eye(4)
    H[:2, :2], H[:3, 3] = [[0.0, -1.0], [1.0, 0.0]], [1.0, 2.0, 3.0]
    pose = matrix_pose_message(H)
    assert (pose.position.x, pose.position.y, pose.position.z) == (1.0, 2.0, 3.0)
    assert (pose.orientation.z, pose.orientation.w) == pytest.approx((np.sqrt(0.5), np.sqrt(0.5)))
    for make in (twist_message, accel_message):
        rates = make(np.arange(6.0))
        assert (rates.linear.x, rates.linear.z, rates.angular.x, rates.angular.z) == (0.0, 2.0, 3.0, 5.0)


def test_a_trajectory_and_its_excesses():
    instants, two = np.array([5, 1_500_000_000]), np.array([[1.0], [2.0]])
    motion = Motion(["a"], instants, two, 2 * two, 3 * two)
    excess = Excess("a", EFFORT, 1, 2_250_000_000, 8.0, 7.0)
    message = torques_message(0, Torques(motion, 4 * two, [excess]))
    point = message.points[1]
    values = point.positions, point.velocities, point.accelerations, point.effort
    assert [one.tolist() for one in values] == [[2.0], [4.0], [6.0], [8.0]]
    assert (point.time_from_start.sec, point.time_from_start.nanosec) == (1, 500_000_000)
    (found,) = excess_messages([excess])
    assert (found.joint_name, found.quantity, found.point, found.value, found.limit) == ("a", 2, 1, 8.0, 7.0)
    assert found.quantity == found.EFFORT
    assert (found.time.sec, found.time.nanosec) == (2, 250_000_000)

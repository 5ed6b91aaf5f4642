"""States of joint_trajectory_controller as references, also where control_msgs is not installed."""

from types import SimpleNamespace

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectoryPoint

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.controller_states import (
    ControllerStateReader,
    JointTrajectoryControllerState,
)

pytestmark = pytest.mark.ros
STAMP, VALIDITY = 100 * 10**9, 200_000_000
FIELDS = ("header", "joint_names", "reference")  # of every distribution


def controller_state(accelerations, names=("a", "b"), scaling=1.0):
    """As jazzy's; where control_msgs is not installed with the fields that are read."""
    make = JointTrajectoryControllerState or SimpleNamespace
    point = JointTrajectoryPoint(
        positions=[0.5] * len(names), velocities=[0.25] * len(names), accelerations=accelerations
    )
    header = Header(stamp=Time(sec=100))
    return make(header=header, joint_names=list(names), reference=point, speed_scaling_factor=scaling)


def trajectory(*args, joints=("b", "c", "a"), **options):
    return ControllerStateReader().read(controller_state(*args, **options), joints, 0, VALIDITY)


def at(reference, instant):
    out = np.full(3, np.nan)
    reference.sample(instant, out[: reference.powers.shape[2]])
    return out.tolist()


def test_the_set_points_accelerations_hold_for_their_validity_by_name():
    reference = trajectory([1.0, -2.0])
    assert (reference.start, reference.end) == (STAMP, STAMP + VALIDITY)
    for instant in (STAMP, STAMP + 1, STAMP + VALIDITY // 3, STAMP + VALIDITY):
        assert at(reference, instant) == [-2.0, 0.0, 1.0]
    assert reference.missing == ("c",)
    assert not reference.at_rest  # that they have ended is then a problem
    assert trajectory([0.0, 0.0]).at_rest


def test_slowed_motion_accelerates_with_the_square_of_the_factor():
    """d2/dt2 q(s t) = s^2 q''(s t), here of the controller's set points by finite differences."""
    speed, h = 0.3, 1e-4
    q = np.sin(3.0 * speed * (np.array([-h, 0.0, h]) + 0.4))
    a = -9.0 * np.sin(3.0 * speed * 0.4)  # of q, as the controller reports it
    measured = (q[0] - 2.0 * q[1] + q[2]) / h**2
    assert at(trajectory([a, 0.0], scaling=speed), STAMP)[2] == pytest.approx(measured, rel=1e-6)
    assert at(trajectory([a, 0.0], scaling=0.0), STAMP) == [0.0] * 3


def test_a_distribution_without_scaling_has_none():
    message = SimpleNamespace(**{n: getattr(controller_state([1.0, -2.0]), n) for n in FIELDS})
    assert at(ControllerStateReader().read(message, ("b", "c", "a"), 0, VALIDITY), STAMP)[0] == -2.0


def test_a_factor_of_zero_while_the_set_point_moves_is_not_filled_in():
    """As of joint_trajectory_controller before 4.39."""
    reader, read = ControllerStateReader(), []
    for position in (0.1, 0.2, 0.3, 0.3):
        message = controller_state([1.0, -2.0], scaling=0.0)
        message.reference.positions[1] = position
        read.append((at(reader.read(message, ("b",), 0, VALIDITY), STAMP)[0], reader.unfilled))
    assert read == [(0.0, False), (-2.0, True), (-2.0, True), (0.0, False)]


def test_a_controller_that_is_scaled_to_zero_stands_still():
    reader = ControllerStateReader()
    for position, scaling in ((0.1, 0.5), (0.2, 0.0), (0.2, 0.0)):
        message = controller_state([1.0, -2.0], scaling=scaling)
        message.reference.positions[1] = position
        reference = reader.read(message, ("b",), 0, VALIDITY)
        assert (at(reference, STAMP)[0], reader.unfilled) == (-2.0 * scaling**2, False)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (([],), "field reference has no accelerations; interpolation_method 'splines'"),
        (([1.0],), "point 0 has 1 accelerations for 2 joint names"),
        (([1.0, float("nan")],), "point 0: the acceleration of 'b' is not finite"),
        (([1.0, 2.0], ("x", "y")), "it names no joint of the robot, which has 'b'"),
        (([1.0, 2.0], ("a", "a")), "'a' named more than once"),
        (([1.0, 2.0], ("a", "b"), float("nan")), "speed_scaling_factor is nan; 0 or more is needed"),
        (([1.0, 2.0], ("a", "b"), -0.5), "speed_scaling_factor is -0.5; 0 or more is needed"),
    ],
)
def test_a_bad_state_is_refused_with_the_reason(state, words):
    keys = ("accelerations", "names", "scaling")
    with pytest.raises(BadMessage, match=words) as caught:
        trajectory(**dict(zip(keys, state, strict=False)))
    assert caught.value.cause == "reference"

import numpy as np
import pytest

from helpers.wrenches import NOW, arrival, feed
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics.crosscheck import PinocchioCheck
from modular_dynamics_ros.exceptions import BadMessage, RobotError

pytestmark = pytest.mark.ros

Q, REST = np.array([0.3, -0.5, 0.7]), np.zeros(3)


@pytest.mark.parametrize("name", ["four_link", "exoskeleton"])
def test_gravity_is_turned_between_two_states(root, name):
    """Torques, and those that hold, are a robot's that was loaded with it; the cross-check follows."""
    path, turned = str(root / f"urdf/{name}.urdf"), (4.0, -3.0, -8.0)
    one = Computation(load_robot(path), ComputationSettings())
    other = Computation(load_robot(path, gravity=turned), ComputationSettings())
    check = PinocchioCheck.of(one.robot)
    q = np.full(len(one.robot.state_names), 0.1)
    before = one.compute(one.observe(NOW, q, q), NOW, None)
    one.set_gravity(turned)
    other.observe(NOW, q, q)
    assert one.hold(before).effort.tolist() == other.hold(before).effort.tolist()
    after, expected = (c.compute(c.observe(NOW + 10**8, q, q), NOW, before) for c in (one, other))
    assert after.effort.tolist() == expected.effort.tolist()
    assert abs(after.effort - before.effort).max() > 0.1
    assert [check(given).relative < 1e-11 for given in (before, after, before)] == [True] * 3


def test_the_cross_check_follows_gravity_where_black_boxes_are_left_out(four_link, boxed_branch):
    one = Computation(load_robot(four_link, boxed_branch), ComputationSettings())
    check, q = PinocchioCheck.of(one.robot), np.full(3, 0.1)
    for gravity in ((0.0, 0.0, -9.81), (1.0, 2.0, 3.0)):
        one.set_gravity(gravity)
        feed(one, "right_branch", np.ones(6), NOW)
        assert check(one.compute(one.observe(NOW, q, q), NOW, None)).relative < 1e-12


@pytest.fixture
def make(four_link, boxed_branch):
    robot = load_robot(four_link, boxed_branch)

    def computation(**settings):
        return Computation(robot, ComputationSettings(**settings))

    return computation


def effort(one, q=Q, now=NOW):
    return one.compute(one.observe(now, q, REST), now).effort[:3]


def test_a_black_box_whose_wrench_stops_follows_the_parameter(make):
    later, wrench = NOW + 1_000_000_000, np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    for on_stale, expected in (("hold", wrench), ("zero", np.zeros(6))):
        one, reference = make(on_stale_black_box=on_stale), make()
        with pytest.raises(BadMessage, match="has come yet"):  # not even zeros before the first one
            effort(one)
        feed(one, "right_branch", wrench)
        feed(reference, "right_branch", expected, later)
        assert effort(one, 2.0 * Q, later).tolist() == effort(reference, 2.0 * Q, later).tolist()
    one = make()
    feed(one, "right_branch", wrench)
    with pytest.raises(BadMessage, match=r"no wrench of black box 'right_branch' in the last 0\.2 s"):
        effort(one, now=later)
    feed(one, "right_branch", wrench, later)
    assert effort(one, now=later) == pytest.approx(effort(one, now=later))


def test_an_external_wrench_that_stops_follows_the_parameter(make):
    later, push = NOW + 1_000_000_000, np.array([0.0, 10.0, 0.0, 0.0, 0.0, 0.0])

    def after(on_stale, wrench):
        one = make(on_stale_external_wrench=on_stale, on_stale_black_box="hold")
        feed(one, "right_branch", np.zeros(6))
        free = effort(one)
        one.wrenches.take_external("left_branch", wrench, arrival())
        pushed = effort(one)
        assert (np.abs(pushed - free).max() > 0.1) == wrench.any()
        return free.tolist(), pushed.tolist(), lambda: effort(one, now=later).tolist()

    free, _, stopped = after("zero", push)
    assert stopped() == free
    _, pushed, stopped = after("hold", push)
    assert stopped() == pushed
    *_, stopped = after("stop", push)
    with pytest.raises(BadMessage, match="no external wrench in frame 'left_branch'"):
        stopped()
    free, _, ended = after("stop", np.zeros(6))  # an explicit zero is a clean end
    assert ended() == free


def test_reversed_sensors_are_turned_by_a_parameter_alone(make):
    wrench = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    turned, plain = make(reversed_black_boxes=("right_branch",)), make()
    feed(turned, "right_branch", -wrench)
    feed(plain, "right_branch", wrench)
    assert effort(turned).tolist() == effort(plain).tolist()
    with pytest.raises(
        RobotError, match="names 'left_branch', but the black boxes of 'four_link' are right_"
    ):
        make(reversed_black_boxes=("left_branch",))

import numpy as np
import pytest

from modular_dynamics_ros.computation.computation import Computation, TimedWrenches
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.dynamics.crosscheck import PinocchioCheck

S = 1_000_000_000


def test_wrenches_expire_one_by_one_and_the_newest_counts():
    wrenches = TimedWrenches()
    assert wrenches.valid(0, 1.0) is None
    wrenches.set("tool", np.ones(6), 0)
    wrenches.set("tool", 2 * np.ones(6), S)
    wrenches.set("elbow", np.zeros(6), 0)
    assert list(wrenches.valid(S, 1.0)) == ["tool", "elbow"]
    late = wrenches.valid(S + S // 2, 1.0)
    assert list(late) == ["tool"]
    assert late["tool"].tolist() == [2.0] * 6
    assert wrenches.valid(3 * S, 1.0) is None
    wrenches.clear()
    assert wrenches.valid(S, 1.0) is None


@pytest.mark.ros
@pytest.mark.parametrize("name", ["four_link", "exoskeleton"])
def test_gravity_is_turned_between_two_states(root, name):
    """Torques, and those that hold, are a robot's that was loaded with it; the cross-check follows."""
    path, turned = str(root / f"urdf/{name}.urdf"), (4.0, -3.0, -8.0)
    one = Computation(load_robot(path), ComputationSettings())
    other = Computation(load_robot(path, gravity=turned), ComputationSettings())
    check = PinocchioCheck.of(one.robot)
    q = np.full(len(one.robot.state_names), 0.1)
    before = one.compute(one.observe(S, q, q), S, None)
    one.set_gravity(turned)
    other.observe(S, q, q)
    assert one.hold(before).effort.tolist() == other.hold(before).effort.tolist()
    after, expected = (c.compute(c.observe(2 * S, q, q), S, before) for c in (one, other))
    assert after.effort.tolist() == expected.effort.tolist()
    assert abs(after.effort - before.effort).max() > 0.1
    assert [check(given).relative < 1e-11 for given in (before, after, before)] == [True] * 3


def test_the_cross_check_follows_gravity_where_black_boxes_are_left_out(four_link, boxed_branch):
    one = Computation(load_robot(four_link, boxed_branch), ComputationSettings())
    check, q = PinocchioCheck.of(one.robot), np.full(3, 0.1)
    for gravity in ((0.0, 0.0, -9.81), (1.0, 2.0, 3.0)):
        one.set_gravity(gravity)
        one.black_box.set("right_branch", np.ones(6), S)
        assert check(one.compute(one.observe(S, q, q), S, None)).relative < 1e-12

"""Loads that are turned, shifted and added up, against Pinocchio's."""

import numpy as np
import pinocchio
import pytest

from modular_dynamics_ros.exceptions import NumbersError
from modular_dynamics_ros.moveit.load import Load, sum_of


def test_moved_and_added_up_as_pinocchio_does():
    rng, ours, theirs = np.random.default_rng(0), [], pinocchio.Inertia.Zero()
    for _ in range(3):
        arms = rng.normal(size=(3, 3))
        moments = np.trace(arms @ arms.T) * np.eye(3) - arms @ arms.T
        load, pose = Load(rng.uniform(0.1, 2.0), rng.normal(size=3), moments), pinocchio.SE3.Random()
        ours.append(load.moved(pose.rotation, pose.translation))
        theirs += pose.act(pinocchio.Inertia(load.mass, load.com, load.inertia))
    assert sum_of(ours).is_close(Load(theirs.mass, theirs.lever, theirs.inertia))


@pytest.mark.parametrize(
    ("mass", "com", "moments"),
    [
        (np.nan, [0, 0, 0], [1, 1, 1]),
        (1e6, [0, 0, 0], [1, 1, 1]),
        (1.0, [1e9, 0, 0], [1, 1, 1]),
        (1.0, [0, 0, 0], [1, 1, 3]),
        (1.0, [0, 0, 0], [-1, 1, 1]),
    ],
)
def test_what_no_robot_carries_is_refused(mass, com, moments):
    Load(1.0, np.zeros(3), np.diag([1.0, 1.0, 2.0])).raise_if_impossible()
    with pytest.raises(NumbersError):
        Load(mass, np.array(com, float), np.diag(np.array(moments, float))).raise_if_impossible()


def test_another_mass_and_what_is_close():
    load = Load(2.0, np.ones(3), np.eye(3))
    assert load.scaled(4.0).is_close(Load(4.0, np.ones(3), 2.0 * np.eye(3)))
    assert not load.is_close(Load(2.0, np.array([1.0, 1.0, 1.000001]), np.eye(3)))

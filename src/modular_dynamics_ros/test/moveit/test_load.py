"""Loads that are turned, shifted and added up, against Pinocchio's."""

import numpy as np
import pinocchio

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


def test_another_mass_and_what_is_close():
    load = Load(2.0, np.ones(3), np.eye(3))
    assert load.scaled(4.0).is_close(Load(4.0, np.ones(3), 2.0 * np.eye(3)))
    assert not load.is_close(Load(2.0, np.array([1.0, 1.0, 1.000001]), np.eye(3)))

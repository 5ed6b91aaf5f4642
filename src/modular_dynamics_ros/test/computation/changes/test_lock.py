import pytest

import modular_dynamics as md
from helpers.query_subjects import hand
from modular_dynamics_ros.computation.changes.application import applied
from modular_dynamics_ros.computation.changes.attachment import Attachment
from modular_dynamics_ros.computation.changes.lock import Lock, locked_positions, locked_with_mimics
from modular_dynamics_ros.computation.changes.payload import Payload
from modular_dynamics_ros.computation.changes.removal import Removal

pytestmark = pytest.mark.ros


def test_it_is_what_all_locks_hold():
    load = Payload("hand", 1.0, (0.0, 0.0, 0.0), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    changes = Lock({"pan": 0.5}), load, Lock({"tilt": -0.25, "lift": 0.1})
    assert locked_positions(changes) == {"pan": 0.5, "tilt": -0.25, "lift": 0.1}
    assert locked_positions(()) == {}


def test_joints_that_mimic_a_locked_one_are_locked_with_it(described):
    """q4 = -0.5 q3 + 0.1; also of a robot that is attached with a prefix."""
    attached = Attachment.of("hand", hand(), "left_branch", prefix="h/")
    for robot, changes, prefix in ((md.load_urdf(hand()), (), ""), (described, (attached,), "h/")):
        held = {f"{prefix}j1": 0.25, f"{prefix}j3": 0.5}
        graph = applied(robot, (*changes, Lock(held))).graph
        assert locked_with_mimics(robot, (*changes, Lock(held)), graph) == held | {f"{prefix}j4": -0.15}
        assert locked_with_mimics(robot, (*changes, Lock({"j1": 0.25})), graph) == {"j1": 0.25}


def test_a_mimic_joint_that_was_removed_is_not_locked():
    robot, changes = md.load_urdf(hand()), (Removal("j4"), Lock({"j3": 0.5}))
    graph = applied(robot, changes).graph
    assert locked_with_mimics(robot, changes, graph) == {"j3": 0.5}

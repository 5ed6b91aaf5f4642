"""Subsystems that are taken off, with the black boxes that they carry."""

from pathlib import Path

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics_ros.computation.changes.edits import detached, reattached

#: As the comment in vendor_arm_partition.yaml says: the gripper's base is fixed to the last link of the arm.
BOXED = {
    "version": 1,
    "subsystems": [
        {"name": "arm", "root_link": "tv7_link_1", "end_links": ["tv7_link_7"]},
        {"name": "gripper", "root_link": "tv7_gripper_base", "black_box": True},
    ],
}


def test_what_carries_a_black_box_with_joints_takes_it_along():
    graph = md.load_urdf(Path(ROBOTS / "vendor_arm.urdf"), BOXED)
    changes = detached(graph, (), "gripper")
    (change,) = changes
    assert [one.name for one in change.apply(graph).subsystems] == ["arm"]
    (change,) = detached(graph, (), "arm")
    left = change.apply(graph)
    assert (left.subsystems, left.joints) == ((), ())
    assert "tv7_gripper_base" not in left.links
    assert reattached(graph, (change,), "arm") == ()

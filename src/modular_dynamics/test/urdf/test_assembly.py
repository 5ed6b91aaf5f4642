"""Subsystems from tags, from a partition file and without either."""

import yaml

import modular_dynamics as md
from helpers.paths import ROBOTS


def names(graph):
    return {subsystem.name: [joint.name for joint in subsystem.joints] for subsystem in graph.subsystems}


def arm(*subsystems):
    """The vendor's arm, partitioned by some subsystems or by none."""
    partition = {"version": 1, "subsystems": list(subsystems)} if subsystems else None
    return md.load_urdf(ROBOTS / "vendor_arm.urdf", partition)


def test_without_tags_every_unbranched_chain_is_a_subsystem():
    graph = arm()
    assert names(graph) == {
        "tv7_joint_1": [f"tv7_joint_{k}" for k in range(1, 8)],
        "tv7_left_finger_joint": ["tv7_left_finger_joint"],
        "tv7_right_finger_joint": ["tv7_right_finger_joint"],
    }
    assert not graph.notes


def test_joints_outside_every_tag_are_partitioned_too_with_a_note():
    graph = arm({"name": "wrist", "joints": ["tv7_joint_6", "tv7_joint_7"]})
    assert names(graph)["tv7_joint_1"] == [f"tv7_joint_{k}" for k in range(1, 6)]
    assert "joints outside every subsystem tag" in graph.notes[0]
    assert "tv7_left_finger_joint" in graph.notes[0]


def test_an_automatic_name_that_is_taken_gets_another():
    graph = arm({"name": "tv7_joint_1", "joints": ["tv7_joint_7"]})
    assert {"tv7_joint_1", "tv7_joint_1_chain"} <= set(names(graph))


def test_root_link_takes_all_below_that_no_other_claims():
    gripper = {"name": "gripper", "root_link": "tv7_gripper_base"}
    graph = arm({"name": "arm", "root_link": "tv7_link_1"}, gripper)
    assert len(names(graph)["arm"]) == 7
    assert len(names(graph)["gripper"]) == 2
    assert graph.subsystem("gripper").connection.link == "tv7_gripper_base"


def test_end_links_end_a_subsystem():
    graph = arm({"name": "shoulder", "root_link": "tv7_link_1", "end_links": ["tv7_link_3"]})
    assert names(graph)["shoulder"] == ["tv7_joint_1", "tv7_joint_2", "tv7_joint_3"]


def test_the_file_wins_over_the_tags(load_robot, tmp_path):
    path = tmp_path / "one subsystem.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "subsystems": [{"name": "all", "root_link": "body_1"}]}))
    graph = md.load_urdf(ROBOTS / "charmie.urdf", path)
    assert [s.name for s in graph.subsystems] == ["all"]
    assert set(graph.joint_names) == set(load_robot("charmie").joint_names)

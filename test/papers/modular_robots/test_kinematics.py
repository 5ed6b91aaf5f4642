"""Products of exponentials against the library's poses of links."""

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import joint_trees
from helpers.robots.small_robots import small_robot
from helpers.tree_dynamics import assert_close
from papers.modular_robots.kinematics import body_poses, path_poses, paths

TYPES = ("revolute", "continuous", "prismatic")


@given(joint_trees(40, TYPES))
@examples(20)
def test_local_and_global_form_are_the_library_s_poses(robot):
    graph = robot.graph
    q, *_ = robot.state(graph)
    expected = dict(zip(graph.links, md.frame_poses(graph, q), strict=True))
    for form in ("local", "global"):
        for name, H in body_poses(graph, q, form).items():
            assert_close(H, expected[name])


def test_paths_end_at_pendant_links():
    graph = small_robot("fork")
    assert paths(graph) == (("l1", "l2"), ("l1", "l3", "l4"))
    q = np.array([0.1, 0.2, 0.3, 0.4])
    ends = path_poses(graph, q)
    assert list(ends) == ["l2", "l4"]
    assert_close(ends["l4"], body_poses(graph, q, "global")["l4"])


def test_another_form_is_refused():
    with pytest.raises(md.StateError, match=r"'local'.*'global'"):
        path_poses(small_robot("chain"), np.zeros(3), "spatial")

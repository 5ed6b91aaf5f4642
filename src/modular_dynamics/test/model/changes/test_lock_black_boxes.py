"""Locked joints of robots with black boxes: as joints fixed in the URDF."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.changed_robots import assert_same_connections, edited, fix_joint
from helpers.random_examples.black_boxes import boxed_trees
from helpers.random_examples.examples import examples
from helpers.read_back import assert_same, read_back

AT = 0.3  # [rad or m]


@pytest.mark.filterwarnings("ignore:.*beyond its limits")
@examples(60)
@given(tree=boxed_trees(), data=st.data())
def test_is_a_joint_fixed_in_the_urdf(tree, data):
    graph = tree.load()
    names = [joint.name for joint in graph.joints if joint.type.nv == 1 and joint.mimic is None]
    assume(names)
    positions = dict.fromkeys(data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True)), AT)
    mimics = [joint for joint in graph.joints if joint.mimic is not None and joint.mimic.joint in positions]
    following = {joint.name: joint.mimic.multiplier * AT + joint.mimic.offset for joint in mimics}
    if any(in_or_on_a_box(graph, graph.joint(name)) for name in positions | following):
        with pytest.raises(md.UnsupportedModelError, match="cannot be locked: it is part of the black box"):
            graph.lock(positions)
        return
    locked = graph.lock(positions)

    def fix(root):
        for name, at in (positions | following).items():
            fix_joint(root, graph, name, at)

    assert_same_connections(locked)
    assert_same(locked, tree.load(edited(tree.urdf, fix)))
    assert_same(read_back(locked), locked)


def in_or_on_a_box(graph, joint):
    """Whether a joint is in a black box, or on a link at which one begins."""
    boxes = [box for box in graph.subsystems if box.black_box]
    return any(joint in box.joints or joint.parent_link in box.fixed_links for box in boxes)

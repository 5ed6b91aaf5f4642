"""Origins of joints of robots with black boxes: as in a URDF with other numbers."""

from hypothesis import given
from hypothesis import strategies as st

from helpers.changed_robots import assert_same_connections, edited, joint_element
from helpers.random_examples.black_boxes import boxed_trees
from helpers.random_examples.examples import examples
from helpers.read_back import assert_same, read_back


@examples(40)
@given(tree=boxed_trees(), data=st.data())
def test_a_moved_joint_takes_what_it_carries_along(tree, data):
    """Fixed joints, too, and black boxes on them."""
    graph = tree.load()
    places = [name for name in graph.parameters if name.rpartition(" ")[0].endswith(" origin")]
    name = data.draw(st.sampled_from([name for name in places if name[-1] in "xyz"]))
    moved = graph.with_parameters({name: 0.77})

    def move(root):
        _, joint, _, axis = name.split(" ")
        origin = joint_element(root, joint).find("origin")
        numbers = origin.get("xyz").split()
        numbers["xyz".index(axis)] = "0.77"
        origin.set("xyz", " ".join(numbers))

    assert_same_connections(moved)
    assert_same(moved, tree.load(edited(tree.urdf, move)))
    assert_same(read_back(moved), moved)

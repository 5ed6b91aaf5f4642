"""The stamp of a description: written, read, refused; it says nothing about the robot."""

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.urdf import description_header, stamp_text, stamped

BARE = "<robot name='r'><link name='a'/></robot>"
STAMP = 1_763_848_677_000_000_009


@pytest.mark.parametrize("stamp", [0, 1, STAMP])
def test_a_stamp_is_read_as_it_was_written(stamp):
    assert description_header(BARE).stamp is None
    assert description_header(stamped(BARE, stamp)).stamp == stamp
    assert description_header(stamped(stamped(BARE, 7), stamp)).stamp == stamp
    assert stamp_text(STAMP) == "1763848677.000000009"


@pytest.mark.parametrize("name", ["four_link", "exoskeleton"])  # without and with tags
def test_the_robot_is_the_same_with_a_stamp(root, name):
    text = (root / f"urdf/{name}.urdf").read_text()
    plain, with_stamp = md.load_urdf(text), md.load_urdf(stamped(text, STAMP))
    assert [s.name for s in with_stamp.subsystems] == [s.name for s in plain.subsystems]
    q = plain.neutral() + 0.3
    np.testing.assert_array_equal(*(md.mass_matrix(graph.tree, q) for graph in (plain, with_stamp)))
    names = [[loop.name for loop in graph.loop_joints] for graph in (plain, with_stamp)]
    assert names[0] == names[1]


@pytest.mark.parametrize("text", ["", "12", "1.5", "-1.000000000", "1.0000000000", "now", "1.00000000x"])
def test_what_is_no_stamp_is_refused_with_its_line(text):
    urdf = f"<robot name='r'><link name='a'/>\n<modular_dynamics version='1' stamp='{text}'/></robot>"
    for read in (description_header, md.load_urdf):
        with pytest.raises(md.UrdfError, match=r"line 2: stamp '.*' of <modular_dynamics>"):
            read(urdf)

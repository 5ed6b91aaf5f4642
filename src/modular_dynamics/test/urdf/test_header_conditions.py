"""Gravity and floating base as attributes of <modular_dynamics>; arguments of load_urdf come first."""

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS

TEXT = (ROBOTS / "four_link.urdf").read_text()


def tagged(attributes):
    """The robot with these attributes of its tags."""
    assert TEXT.count('<modular_dynamics version="1">') == 1
    return TEXT.replace('<modular_dynamics version="1">', f'<modular_dynamics version="1" {attributes}>')


def test_gravity_is_that_of_the_tags_unless_another_one_is_given():
    lunar = tagged('gravity="0 0 -1.62"')
    assert md.load_urdf(lunar).gravity.tolist() == [0.0, 0.0, -1.62]
    assert md.load_urdf(lunar, gravity=(0, 0, -9.81)).gravity.tolist() == [0.0, 0.0, -9.81]
    assert md.load_urdf(TEXT).gravity.tolist() == [0.0, 0.0, -9.81]
    assert not md.load_urdf(lunar).gravity.flags.writeable


@pytest.mark.parametrize(("word", "floats"), [("true", True), ("1", True), ("false", False)])
def test_the_base_floats_as_the_tags_say_unless_it_is_given(word, floats):
    text = tagged(f'floating_base="{word}"')
    graph = md.load_urdf(text)
    assert graph.floating_base == floats
    assert graph.nv == md.load_urdf(TEXT, floating_base=floats).nv
    assert md.load_urdf(text, floating_base=False).nv == 4
    assert md.load_urdf(text, floating_base=True).nv == 10


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('gravity="1 2"', "line [0-9]+: <modular_dynamics>: gravity='1 2' has 2 numbers; needed: 3"),
        ('gravity="0 0 nan"', "not finite"),
        ('floating_base="perhaps"', "<modular_dynamics>: floating_base='perhaps' is neither true nor false"),
    ],
)
def test_other_words_are_refused(attributes, message):
    with pytest.raises(md.UrdfError, match=message):
        md.load_urdf(tagged(attributes))


@pytest.mark.parametrize("section", [{"gravity": [0, 0, -1.62]}, {"floating_base": True}])
def test_a_partition_file_does_not_say_it(section):
    with pytest.raises(md.PartitionError, match="unknown key"):
        md.load_urdf(TEXT, {"version": 1, **section})


def test_what_the_file_states_and_an_argument_replaces_is_a_note():
    text = tagged('gravity="0 0 -1.62" floating_base="true"')
    assert not any("of the file" in note for note in md.load_urdf(text).notes)
    assert not any("of the file" in note for note in md.load_urdf(TEXT, gravity=(0.0, 0.0, -1.0)).notes)
    notes = md.load_urdf(text, gravity=(0.0, 0.0, -9.81), floating_base=False).notes
    assert [note for note in notes if "of the file" in note] == [
        "gravity of the file, [0.0, 0.0, -1.62], is not used: [0.0, 0.0, -9.81] was given",
        "floating_base of the file, True, is not used: False was given",
    ]

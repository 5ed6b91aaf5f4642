import numpy as np
import pytest

from modular_dynamics.algebra.matrix_forms import homogeneous
from modular_dynamics_ros.computation.subsystem.rendezvous import Rendezvous
from modular_dynamics_ros.computation.subsystem.structure import SubsystemStructure, contradiction

TREE = {"body": None, "arm": "body", "hand": "arm", "head": "body"}
OWNERS = {"torso": "body", "elbow": "arm", "grip": "hand", "neck": "head"}
TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def at(x, link="a", R=None):
    return link, homogeneous(np.eye(3) if R is None else R, np.array([x, 0.0, 0.0]))


def structure(tree=None, owners=None, **points):
    tree = TREE if tree is None else tree
    return SubsystemStructure(tree, owners or OWNERS, {name: at(0.3) for name in tree} | points)


def without(name):
    return {one: before for one, before in TREE.items() if one != name}


@pytest.mark.parametrize("other", ["arm", "hand", "head"])
def test_what_is_the_same_or_differs_by_rounding_is_no_contradiction(other):
    assert (
        contradiction("body", structure(), other, structure(arm=at(0.3 + 1e-7), hand=at(0.3 - 1e-7))) is None
    )


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (
            structure(TREE | {"hand": "body"}),
            "by that of 'body', 'hand' is on 'arm'; by that of 'arm', on 'body'",
        ),
        (structure(TREE | {"arm": None}), "'arm' is on 'body'; by that of 'arm', on the ground"),
        (structure(without("hand")), "that of 'arm' has no subsystem 'hand'"),
        (structure(without("body")), "that of 'arm' has no subsystem 'body'"),
        (
            structure(owners=OWNERS | {"elbow": "hand"}),
            "joint 'elbow' belongs to 'arm'; by that of 'arm', to 'hand'",
        ),
        (
            structure(arm=at(0.9)),
            "'arm' is connected at [0.3, 0, 0] m in the frame of 'a'; by that of 'arm', at [0.9, 0, 0] m",
        ),
        (structure(arm=at(0.3, "b")), "by that of 'arm', at [0.3, 0, 0] m in the frame of 'b'"),
        (
            structure(arm=at(0.3, R=TURN)),
            "by both, 'arm' is connected at [0.3, 0, 0] m in the frame of 'a', but with different axes",
        ),
    ],
)
def test_a_successor_with_another_layout_is_named(other, words):
    assert words in contradiction("body", structure(), "arm", other)


def test_both_neighbours_see_another_connection_point():
    own, other = structure(), structure(hand=at(0.7))
    assert "'hand' is connected at [0.3, 0, 0]" in contradiction("arm", own, "hand", other)
    assert "'hand' is connected at [0.7, 0, 0]" in contradiction("hand", other, "arm", own)
    assert contradiction("body", own, "arm", other) is None  # neither of them uses that point


def test_the_ground_of_one_is_the_neighbour_of_the_other():
    """The one on the ground does not call the other a neighbour, and needs nothing of it."""
    alone = structure(TREE | {"arm": None})
    assert "'arm' is on the ground; by that of 'body', on 'body'" in contradiction(
        "arm", alone, "body", structure()
    )


def test_a_node_sees_itself_what_its_own_description_lacks():
    said = contradiction("arm", structure(without("hand")), "body", structure())
    assert said == "that of 'arm' has no subsystem 'hand', which it has to carry"


def test_subsystems_that_one_need_not_carry_may_be_unknown_to_it():
    assert contradiction("arm", structure(), "body", structure(without("head"))) is None
    assert contradiction("body", structure(without("hand")), "arm", structure()) is None
    assert (
        contradiction("hand", structure(), "head", structure(TREE | {"arm": None})) is None
    )  # no neighbours


S = 10**9


@pytest.fixture
def rendezvous():
    return Rendezvous(("torso", "hand"), 0.2)


def test_parts_and_item_meet_in_any_order(rendezvous):
    assert rendezvous.add_part(5, "hand", "wrench", 0).item is None
    meeting = rendezvous.add_item(5, "state", 1)
    assert rendezvous.missing(meeting) == ["torso"]
    assert rendezvous.add_part(5, "torso", "motion", 2) is meeting
    assert (rendezvous.missing(meeting), meeting.parts) == ([], {"hand": "wrench", "torso": "motion"})
    assert rendezvous.missing(rendezvous.add_item(6, "next", 3)) == ["torso", "hand"]


def test_the_first_of_a_stamp_counts(rendezvous):
    meeting = rendezvous.add_item(5, "state", 0)
    rendezvous.add_part(5, "hand", "first", 0)
    assert rendezvous.add_item(5, "again", 1) is None
    assert rendezvous.add_part(5, "hand", "again", 1) is None
    assert (meeting.item, meeting.parts) == ("state", {"hand": "first"})
    meeting.done = True
    assert rendezvous.add_part(5, "torso", "motion", 2) is None


def test_what_waits_in_vain_is_given_up_and_what_was_processed_is_forgotten(rendezvous):
    rendezvous.add_part(4, "hand", "of no state", 0)
    waits, processed = rendezvous.add_item(5, "state", 0), rendezvous.add_item(6, "state", 0)
    processed.done = True
    young = rendezvous.add_item(7, "state", S // 10)
    assert rendezvous.overdue(S // 5) == []
    assert rendezvous.overdue(S // 5 + 1) == [waits]
    assert rendezvous.overdue(S // 5 + 1) == []
    assert rendezvous.overdue(S) == [young]


def test_it_does_not_grow_without_bounds(rendezvous):
    for stamp in range(3000):
        rendezvous.add_part(stamp, "hand", "wrench", 0)
        rendezvous.add_item(stamp, "state", 0)
    assert len(rendezvous.overdue(0)) == 2000


def test_one_that_waits_is_not_given_up_for_those_that_were_processed(rendezvous):
    waits = rendezvous.add_item(0, "state", 0)
    for stamp in range(1, 3000):
        rendezvous.add_item(stamp, "state", 0).done = True
    assert rendezvous.overdue(0) == []
    assert rendezvous.add_item(2999, "again", 0) is None
    assert rendezvous.add_part(0, "hand", "wrench", 0) is waits


def test_after_the_clock_was_set_back_nothing_of_before_counts(rendezvous):
    rendezvous.add_part(5, "hand", "of the last round", 0)
    rendezvous.add_item(5 + S, "state", 0)
    assert rendezvous.add_item(5 + S - S // 10, "of another publisher", 0) is not None
    meeting = rendezvous.add_item(5, "state", 0)
    assert rendezvous.missing(meeting) == ["torso", "hand"]

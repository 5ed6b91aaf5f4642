import pytest

from modular_dynamics_ros.computation.subsystem.rendezvous import Rendezvous

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


def test_what_waits_in_vain_is_given_up_and_what_was_answered_is_forgotten(rendezvous):
    rendezvous.add_part(4, "hand", "of no state", 0)
    waits, answered = rendezvous.add_item(5, "state", 0), rendezvous.add_item(6, "state", 0)
    answered.done = True
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


def test_after_the_clock_was_set_back_nothing_of_before_counts(rendezvous):
    rendezvous.add_part(5, "hand", "of the last round", 0)
    rendezvous.add_item(5 + S, "state", 0)
    assert rendezvous.add_item(5 + S - S // 10, "of another publisher", 0) is not None
    meeting = rendezvous.add_item(5, "state", 0)
    assert rendezvous.missing(meeting) == ["torso", "hand"]

"""Summaries of findings: one line for each kind."""

from modular_dynamics import Finding
from modular_dynamics.model import refusals_by_kind, summaries_by_kind


def test_what_was_assumed_is_not_said_of_what_is_refused():
    finding = Finding("odd", "link", "a", "link 'a' is odd", 3, "; it is ignored", "; is 'b' meant?")
    assert summaries_by_kind([finding]) == ["line 3: link 'a' is odd; it is ignored; is 'b' meant?"]
    assert refusals_by_kind([finding]) == ["line 3: link 'a' is odd; is 'b' meant?"]


def test_one_of_a_kind_is_shown_as_it_is():
    assert summaries_by_kind([Finding("odd", "link", "a", "link 'a' is odd", 3)]) == [
        "line 3: link 'a' is odd"
    ]
    assert summaries_by_kind([Finding("odd", "link", "a", "link 'a' is odd")]) == ["link 'a' is odd"]


def test_many_are_counted_and_the_first_named():
    links = [Finding("odd", "link", f"l{k}", f"l{k} is odd", k) for k in range(9)]
    joints = [Finding("odd", "joint", f"j{k}", f"j{k} is odd", k) for k in (4, 5)]
    assert summaries_by_kind([links[0], joints[0], *links[1:], joints[1]]) == [
        "odd: 9 links, 'l0', 'l1', 'l2', 'l3' and 5 more. The first: line 0: l0 is odd",
        "odd: 2 joints, 'j4', 'j5'. The first: line 4: j4 is odd",
    ]


def test_several_findings_at_one_element():
    joint = [Finding("odd limit", "joint", "j", text, 4) for text in ("j has one", "j has another")]
    assert summaries_by_kind(joint) == ["odd limit: line 4: j has one; line 4: j has another"]
    other = Finding("odd limit", "joint", "k", "k has one", 5)
    assert summaries_by_kind([*joint, other]) == [
        "odd limit: 2 joints, 'j', 'k'. The first: line 4: j has one"
    ]

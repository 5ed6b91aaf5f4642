"""Summaries of findings: one line for each kind."""

from modular_dynamics import Finding
from modular_dynamics.model import refusals_by_kind, summaries_by_kind


def test_what_was_assumed_is_not_said_of_what_is_refused():
    finding = Finding("odd", "link", "a", "link 'a' is odd", 3, "; it is ignored", "; is 'b' meant?")
    assert summaries_by_kind([finding]) == ["line 3: link 'a' is odd; it is ignored; is 'b' meant?"]
    assert refusals_by_kind([finding]) == ["line 3: link 'a' is odd; is 'b' meant?"]


def test_a_kind_is_summed_up_in_a_line():
    links = [Finding("odd", "link", f"l{k}", f"l{k} is odd", k) for k in range(9)]
    joints = [Finding("odd", "joint", f"j{k}", f"j{k} is odd", k) for k in (4, 5)]
    several = [Finding("odd limit", "joint", "j", text) for text in ("j has one", "j has another")]
    assert summaries_by_kind([links[0], joints[0], *links[1:], joints[1], *several]) == [
        "odd: 9 links, 'l0', 'l1', 'l2', 'l3' and 5 more. The first: line 0: l0 is odd",
        "odd: 2 joints, 'j4', 'j5'. The first: line 4: j4 is odd",
        "odd limit: j has one; j has another",
    ]

"""Names inside C."""

import re

from hypothesis import given
from hypothesis import strategies as st

from modular_dynamics.codegen.c99 import comment_text, identifier, unique_identifiers


@given(st.lists(st.text(), unique=True))
def test_identifiers_are_different_and_valid(texts):
    names = unique_identifiers(texts)
    assert len(set(names)) == len(texts)
    assert all(re.fullmatch("[A-Z0-9][A-Z0-9_]*", name) for name in names)


def test_identifiers_are_readable():
    assert identifier("left arm/joint-1") == "left_arm_joint_1"
    assert unique_identifiers(["a b", "a.b", "é", "a_b_2"]) == ["A_B", "A_B_2", "UNNAMED", "A_B_2_2"]


@given(st.text())
def test_comments_cannot_end_or_continue(text):
    safe = comment_text(text)
    assert safe.isascii()
    assert not any(c in safe for c in "*\\?\n\r")
    decoded = re.sub("<U[+]([0-9A-F]+)>", lambda match: chr(int(match[1], 16)), safe)
    assert decoded == text or "<U+" in text

"""Texts from which links were read: their prefixes, and when they are let go."""

from modular_dynamics.model import SourceText
from modular_dynamics.model.structure import renamed_sources, sources_of

ONE, TWO = SourceText("<a/>", "", frozenset({"x", "y"})), SourceText("<b/>", "p_", frozenset({"x"}))


def test_a_prefix_is_put_before_the_earlier_one():
    assert [source.prefix for source in renamed_sources((ONE, TWO), "q_")] == ["q_", "q_p_"]


def test_a_text_stays_as_long_as_one_of_its_links():
    assert sources_of((ONE, TWO), {"x", "y", "p_x", "z"}) == (ONE, TWO)
    (left,) = sources_of((ONE, TWO), {"y"})
    assert (left.text, left.links) == ("<a/>", {"y"})
    assert sources_of((ONE, TWO), {"z"}) == ()


def test_texts_are_not_printed():
    assert "<a/>" not in repr(ONE)

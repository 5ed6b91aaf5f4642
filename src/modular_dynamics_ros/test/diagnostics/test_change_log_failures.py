"""Texts with names that somebody else has chosen."""

from modular_dynamics_ros.diagnostics.change_log import one_line


def test_a_text_stays_on_one_line_and_bounded():
    assert one_line("no link 'hand'") == "no link 'hand'"
    assert one_line("no link 'a\n[INFO] all is well\x1b[2J'") == "no link 'a [INFO] all is well\\x1b[2J'"
    long = one_line(f"no link '{'x' * 100_000}'")
    assert len(long) < 1100
    assert long.endswith("x... (100010 characters)")

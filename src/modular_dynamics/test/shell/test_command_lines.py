"""Files without end, which a table would fill the memory with."""

from pathlib import Path

import pytest

from modular_dynamics.shell import command as lines


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device without end is needed")
@pytest.mark.parametrize("words", [("plot", "/dev/zero", "-o", "x.png"), ("id", "ROBOT", "/dev/zero")])
def test_a_device_without_end_is_refused(error, four_link, words):
    assert "this is no table" in error(*(four_link if word == "ROBOT" else word for word in words))


def test_a_long_line_is_named_and_shorter_ones_are_read(error, shell, tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST", 30)
    path = tmp_path / "t.csv"
    path.write_text("time,tau_a\n0,1\n", "utf-8")
    assert shell("plot", path).code == 0
    path.write_text(f"time,tau_a\n0,{'1' * 40}\n", "utf-8")
    assert "line 2 has more than 30 characters" in error("plot", path)

"""Tables over time: from a pipe, and what is refused by its place."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from modular_dynamics.shell.command import UsageError
from modular_dynamics.shell.plot import read_columns


def read(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    return read_columns(str(path), ("tau_",))


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_does_not_hide_the_time(monkeypatch, tmp_path, mark):
    content = mark + b"time,tau_a\n5,1\n7,2\n"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    (tmp_path / "t.csv").write_bytes(content)
    for source in ("-", str(tmp_path / "t.csv")):
        found = read_columns(source, ("tau_",))
        assert found.times.tolist() == [5.0, 7.0]
        assert found.values["tau_a"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time,tau_a,tau_a\n0,1,2\n", "has the column 'tau_a' twice"),
        ("time,tau_a\n0,1_0\n", "line 2, column tau_a: '1_0' is no number"),
        ("time,tau_a\n0,\uff11\n", "line 2, column tau_a: '\uff11' is no number"),
        ("time,tau_a,time\n0,1,2\n", "has the column 'time' twice"),
        (
            "time,tau_a\n0,1\n1,inf\n",
            "line 3, column tau_a: 'inf' cannot be drawn; a number of at most 1e+300",
        ),
        ("time,tau_a\n0,-1e308\n", "line 2, column tau_a: '-1e308' cannot be drawn"),
        ("time,tau_a\n-inf,1\n", "line 2, column time: '-inf' cannot be drawn"),
        ("time,tau_a\n,1\n1,2\n", "line 2, column time: '' is no number; every row needs its time [s]"),
        ("time,tau_a\n0,1\nnan,2\n", "line 3, column time: 'nan' is no number"),
    ],
)
def test_what_cannot_be_drawn_is_named_by_line_and_column(tmp_path, text, words):
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text)
    assert words in str(caught.value)


def test_columns_that_are_not_drawn_may_hold_anything(tmp_path):
    found = read(tmp_path, "time,tau_a,x,x\n0,,inf,text\n")
    assert list(found.values) == ["tau_a"]
    assert np.isnan(found.values["tau_a"]).all()

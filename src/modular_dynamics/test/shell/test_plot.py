import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from modular_dynamics.pictures import time_plot
from modular_dynamics.shell.command import UsageError
from modular_dynamics.shell.plot import read_columns


@pytest.fixture
def panels(monkeypatch):
    """What is drawn: times and panels of each picture."""
    drawn, draw = [], time_plot.draw_over_time

    def note(title, times, parts, path):
        drawn.append((times, parts))
        return draw(title, times, parts, path)

    monkeypatch.setattr(time_plot, "draw_over_time", note)
    return drawn


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "torques.csv"
    path.write_text(
        "time,tau_lift,tau_finger,residual_lift,residual_finger,fx_arm,mz_arm\n"
        "1700000000.5,100,0.1,1,,5,6\n1700000001.0,-200,0.2,2,,7,8\n",
        "utf-8",
    )
    return path


def test_torques_over_measured_efforts_where_there_are_some(shell, table, panels):
    found = shell("plot", table)
    picture = table.with_suffix(".png")
    assert (found.code, found.out) == (0, f"{picture}\n")
    assert picture.read_bytes().startswith(b"\x89PNG")
    times, parts = panels[0]
    np.testing.assert_allclose(times, [0.0, 0.5])
    assert [list(part.lines) for part in parts] == [["lift"], ["finger"]]
    np.testing.assert_array_equal(parts[0].measured["lift"], [101.0, -198.0])
    assert "finger" not in parts[1].measured


def test_without_measurements_joints_of_one_size_share_a_panel(shell, tmp_path, panels):
    path = tmp_path / "t.csv"
    path.write_text("tau_a,tau_b,tau_c,tau_d\n100,0.5,-40,0\n-3,0.2,1,0\n", "utf-8")
    assert shell("plot", path).code == 0
    assert [list(part.lines) for part in panels[0][1]] == [["a", "c"], ["b"], ["d"]]
    np.testing.assert_array_equal(panels[0][0], [0.0, 1.0])  # rows are counted


def test_residuals_wrenches_and_a_choice(shell, table, panels, tmp_path):
    assert shell("plot", table, "--what", "residual", "-o", tmp_path / "r.svg").code == 0
    assert [list(part.lines) for part in panels[0][1]] == [["lift"]]
    assert shell("plot", table, "--what", "wrench", "-o", tmp_path / "w.pdf").code == 0
    (part,) = panels[1][1]
    assert {name: values.tolist() for name, values in part.lines.items()} == {
        "fx": [5.0, 7.0],
        "mz": [6.0, 8.0],
    }
    assert shell("plot", table, "--only", "finger").code == 0
    assert [list(part.lines) for part in panels[2][1]] == [["finger"]]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("time,tau_a\n0,1\n", ("--what", "wrench"), "has no value in columns fx_NAME"),
        ("time,tau_a\n", (), "has no value in columns tau_NAME"),
        ("", (), "has no value in columns tau_NAME"),
        ("time,tau_a\n0,1\n", ("--only", "a,b"), "--only a,b: names with values are needed: a"),
        ("time,tau_a\n0,1\n", ("--only", ","), "--only ,: names with values are needed: a"),
        ("time,tau_a,tau_b\n0,1,\n", ("--only", "b"), "--only b: names with values are needed: a"),
        ("time,tau_a\n0,x\n", (), "line 2, column tau_a: 'x' is no number"),
        ("time,tau_a\n0\n", (), "line 2: 1 cells for 2 columns"),
        ("time,tau_a,residual_a\n0,1,\n", ("--what", "residual"), "no value in columns residual_NAME"),
        (
            "time,tau_a\n0,1\n",
            ("-o", "t.jpg"),
            "--output t.jpg: a name that ends in .png, .svg, .pdf is needed",
        ),
    ],
)
def test_what_cannot_be_drawn(error, tmp_path, text, options, words):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    assert words in error("plot", path, *options)


def test_a_name_that_is_a_formula_is_drawn_as_it_is(shell, tmp_path):
    path = tmp_path / "a$x^{$.csv"
    path.write_text("tau_b$^{$,tau_c\n1,1\n2,2\n", "utf-8")
    for title in ((), ("--title", "a $x^{ $ b")):
        found = shell("plot", path, *title)
        assert (found.code, found.err) == (0, "")


def test_peaks_of_any_size_have_panels(shell, tmp_path, panels):
    path = tmp_path / "t.csv"
    path.write_text("tau_a,tau_b,tau_c\n1e300,1e-300,1e-323\n-1e300,0,0\n", "utf-8")
    found = shell("plot", path)
    assert (found.code, found.err) == (0, "")
    assert [list(part.lines) for part in panels[0][1]] == [["a"], ["b", "c"]]


@pytest.mark.parametrize("name", ["run.v1", "run.v1.csv"])
def test_the_picture_has_the_whole_name(shell, tmp_path, name):
    (tmp_path / name).write_text("tau_a\n1\n2\n", "utf-8")
    assert shell("plot", tmp_path / name).out == f"{tmp_path / 'run.v1.png'}\n"


def test_standard_input_needs_a_name_for_the_picture(error):
    assert "--output is needed" in error("plot", "-")


def test_a_missing_file_and_a_bag(error, tmp_path):
    assert "No such file" in error("plot", "missing.csv")
    assert "is a bag: `modular-dynamics bag" in error("plot", tmp_path)


# Tables over time: from a pipe, and what is refused by its place.


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
        (
            "time,tau_a\n0,1\n1,inf\n",
            "line 3, column tau_a: 'inf' cannot be drawn; a number of at most 1e+300",
        ),
        ("time,tau_a\n-inf,1\n", "line 2, column time: '-inf' cannot be drawn"),
        ("time,tau_a\n,1\n1,2\n", "line 2, column time: '' is no number; every row needs its time [s]"),
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

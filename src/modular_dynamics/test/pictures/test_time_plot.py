import numpy as np
from matplotlib.figure import Figure

from modular_dynamics.pictures.time_plot import Panel, draw_over_time

TIMES = np.linspace(0.0, 1.0, 5)


def drawn(monkeypatch, tmp_path, panels):
    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    draw_over_time("title", TIMES, panels, tmp_path / "plot.png")
    return figures[0]


def test_lines_stand_over_time_with_the_measured_ones_behind(monkeypatch, tmp_path):
    lines = {"a": TIMES**2, "b": -TIMES}
    figure = drawn(monkeypatch, tmp_path, [Panel("both", "torque [N m]", lines, {"b": TIMES, "c": TIMES})])
    (axis,) = figure.axes
    np.testing.assert_array_equal([line.get_ydata() for line in axis.lines], [TIMES**2, TIMES, -TIMES])
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["a", "b"]
    assert axis.get_ylabel() == "torque [N m]"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["model", "measured"]


def test_an_odd_number_of_panels_leaves_one_place_empty_and_every_column_has_its_axis(monkeypatch, tmp_path):
    panels = [Panel(name, "q", {name: TIMES}, {}) for name in "abc"]
    figure = drawn(monkeypatch, tmp_path, panels)
    assert [axis.get_visible() for axis in figure.axes] == [True, True, True, False]
    assert [axis.get_xlabel() for axis in figure.axes] == ["", "time [s]", "time [s]", ""]
    assert [axis.get_legend() for axis in figure.axes] == [None] * 4  # the title says which line it is
    assert not figure.legends

"""Names that would be formulas, in every picture that has names."""

from matplotlib.figure import Figure

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.pictures.graph_picture import draw_graph

NO_FORMULA = "a$x^{$"  # with an open brace: matplotlib raises where it reads it as one


def test_the_graph_keeps_its_own_formulas(tmp_path, monkeypatch):
    description = (ROBOTS / "four_link.urdf").read_text("utf-8")
    for name in ("four_link", "left_branch"):
        description = description.replace(f'"{name}"', f'"{NO_FORMULA}"')
    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    draw_graph(md.load_urdf(description), tmp_path / "g.png")
    figures[0].draw_without_rendering()
    axis = figures[0].axes[0]
    assert not axis.title.get_parse_math()
    formulas = {text.get_text() for text in axis.texts if text.get_parse_math()}
    assert r"$\Xi_{1,2}$" in formulas
    assert not any(NO_FORMULA in text for text in formulas)
    assert any(NO_FORMULA in text.get_text() for text in axis.texts)

"""Pictures of a study: what stands in them can be seen and told apart."""

import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from helpers.studies import study_file
from modular_dynamics.study import Evaluator, evaluated_rows, load_study
from modular_dynamics.study.findings import findings_of
from modular_dynamics.study.report import draw_front
from modular_dynamics.study.store import Store, parquet_bytes


@pytest.fixture
def figures(monkeypatch):
    """The figures that are written, in place of files."""
    written = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *_, **__: written.append(self))
    return written


@pytest.fixture
def findings(tmp_path):
    study = load_study(study_file(tmp_path))
    store = Store(tmp_path / "out", study)
    store.open()
    store.write_chunk(0, parquet_bytes(evaluated_rows(Evaluator(study), 0, study.count)))
    store.finish()
    return findings_of(study, store)


def legend(figure):
    """By label, what stands beside it."""
    own = figure.axes[0].get_legend() or figure.legends[0]
    return {text.get_text(): handle for text, handle in zip(own.get_texts(), own.legend_handles, strict=True)}


def test_the_mark_of_designs_is_seen_in_the_legend(findings, tmp_path, figures):
    draw_front(findings, tmp_path / "front.png")
    marks = legend(figures[0])
    mark = next(mark for label, mark in marks.items() if label.endswith("designs that keep everything"))
    assert mark.get_markersize() >= 5
    assert mark.get_alpha() in (None, 1.0)
    assert max(to_rgb(mark.get_color())) < 0.7  # on white
    assert {"Pareto front", "published"} <= set(marks)
    assert any(label.startswith("best: design") for label in marks)

"""The table of generation times: its rows, a wrong result, wrong arguments."""

import pytest

import modular_dynamics as md
from benchmark.studies import modular_closed_form

pytest.importorskip("sympy")


def test_chains_and_trees_have_a_row_each(capsys):
    assert modular_closed_form.main(["--modules", "3"]) == 0
    printed = capsys.readouterr().out
    assert [printed.count(f"{shape}  {k} ") for shape in ("chain", "tree") for k in (1, 2, 3, 4)] == [
        1,
        1,
        1,
        0,
    ] * 2


def test_a_wrong_result_fails(capsys, monkeypatch):
    monkeypatch.setattr(md, "mass_matrix", lambda graph, q: 1.001 * md.dynamics.mass_matrix(graph, q))
    assert modular_closed_form.main(["--modules", "1"]) == 1
    assert "1e-03" in capsys.readouterr().out


def test_a_wrong_number_of_modules_is_refused(capsys):
    with pytest.raises(SystemExit):
        modular_closed_form.main(["--modules", "0"])
    assert "1 or more" in capsys.readouterr().err

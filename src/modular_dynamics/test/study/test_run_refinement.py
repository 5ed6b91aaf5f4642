"""Refinement without workers: what it does where a task fails."""

import pytest

from helpers.studies import study_file
from modular_dynamics.exceptions import StudyError
from modular_dynamics.study import Evaluator, evaluated_rows, load_study
from modular_dynamics.study import run as refinement
from modular_dynamics.study.store import Store, parquet_bytes


class Client:
    """Computes tasks itself, and none any more after some."""

    def __init__(self, study, tasks):
        self.study, self.tasks = study, tasks

    def submit(self, function, _shared, *arguments, pure):
        assert pure is False
        self.tasks -= 1
        return (lambda: function(self.study, *arguments)) if self.tasks >= 0 else None


def result_of(future):
    if future is None:
        raise StudyError("the connection was lost")
    return future()


def test_a_connection_that_is_lost_is_said_as_such(tmp_path, monkeypatch):
    """Not as SciPy says it, which takes every ValueError for a wrong function."""
    study = load_study(study_file(tmp_path, refine={"generations": 3, "population": 6}))
    store = Store(tmp_path / "out", study)
    store.open()
    store.decide(study.count)
    store.write_chunk(0, parquet_bytes(evaluated_rows(Evaluator(study), 0, study.count)))
    store.finish()
    monkeypatch.setattr(refinement, "result_of", result_of)
    with pytest.raises(StudyError, match="the connection was lost"):
        refinement.refine(study, store, Client(study, 2), None)
    assert not store.refined.exists()
    assert refinement.refine(study, store, Client(study, 10**6), None)["generations"] <= 3

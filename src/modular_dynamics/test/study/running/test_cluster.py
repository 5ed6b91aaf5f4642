import pytest

from helpers.processes import run_python
from helpers.studies import study_file
from modular_dynamics.exceptions import MissingDependencyError, StudyError
from modular_dynamics.study import load_study
from modular_dynamics.study.running import cluster, run_study


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1:x"])
def test_a_scheduler_that_is_not_there_is_named(tmp_path, monkeypatch, address):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with pytest.raises(StudyError, match=f"no Dask scheduler answers at '{address}' within 1 s"):
        run_study(load_study(study_file(tmp_path)), tmp_path / "out", scheduler=address)


def test_a_scheduler_that_is_not_there_takes_one_line(tmp_path):
    """In a process of its own: the failed client is removed, and would complain, only when that ends."""
    words = ("study", "run", study_file(tmp_path), "-o", tmp_path / "out", "--scheduler", "foo")
    done = run_python("-m", "modular_dynamics", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "modular-dynamics study: no Dask scheduler answers at 'foo' within 5 s\n"


def test_a_missing_package_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(MissingDependencyError, match=r"distributed.*modular_dynamics\[study\]"):
        run_study(load_study(study_file(tmp_path)), tmp_path / "out")

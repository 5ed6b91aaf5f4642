"""Lines of progress; a worker that is killed, and schedulers that cannot be used."""

import os
import signal

import pytest

from helpers.studies import study_file
from modular_dynamics.exceptions import StudyError
from modular_dynamics.study import load_study, run
from modular_dynamics.study.run import run_line, run_study


@pytest.mark.parametrize(
    ("done", "seconds", "line"),
    [
        (2_000, 1.0, "2,000 of 10,000 designs, 0 designs/s"),
        (3_000, 2.0, "3,000 of 10,000 designs, 500 designs/s, 14 s left"),
        (2_100, 10.0, "2,100 of 10,000 designs, 10 designs/s, 13 min left"),
        (2_010, 10.0, "2,010 of 10,000 designs, 1 designs/s, 2.2 h left"),
    ],
)
def test_the_line_says_speed_and_time_left_of_this_run(done, seconds, line):
    assert run_line(10_000, done, 2_000, seconds) == line


def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_killed_is_said_and_the_same_command_goes_on(tmp_path, monkeypatch):
    study = load_study(study_file(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(run, "computed_chunk", killed)
        with pytest.raises(StudyError, match=r"a worker ended abruptly.* the same command goes on"):
            run_study(study, tmp_path / "out", workers=1)
    assert run_study(study, tmp_path / "out", workers=1).computed == study.count


def test_a_cluster_without_workers_or_that_is_lost_is_named(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(run, "PATIENCE", 1)
    study = load_study(study_file(tmp_path))
    with distributed.LocalCluster(
        n_workers=0, processes=False, dashboard_address=None, protocol="tcp"
    ) as cluster:
        with pytest.raises(StudyError, match="has no workers; start some"):
            run_study(study, tmp_path / "out", scheduler=cluster.scheduler_address)
        cluster.scale(1)
        lost = pytest.raises(StudyError, match="connection to the Dask scheduler was lost; the same command")
        with lost, run._cluster(cluster.scheduler_address):
            raise distributed.client.FutureCancelledError("key", "lost")

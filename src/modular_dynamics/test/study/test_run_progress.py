import pytest

from modular_dynamics.study import run
from modular_dynamics.study.run import Progress, duration, run_line


def test_the_line_says_speed_and_time_left_of_this_run():
    assert run_line(10_000, 2_000, 2_000, 1.0) == "2,000 of 10,000 designs, 0 designs/s"
    assert run_line(10_000, 3_000, 2_000, 2.0) == "3,000 of 10,000 designs, 500 designs/s, 14 s left"


@pytest.mark.parametrize("quiet", [False, True])
def test_progress_is_a_line_on_stderr(monkeypatch, capsys, quiet):
    monkeypatch.setattr(run, "PAUSE", 0.0)
    Progress(lambda _: "5 of 10", quiet=quiet).passed()
    assert capsys.readouterr().err == ("" if quiet else "5 of 10\n")


@pytest.mark.parametrize("quiet", [False, True])
def test_a_scheduler_without_workers_is_said(quiet, capsys):
    distributed = pytest.importorskip("distributed")

    class Client:
        def wait_for_workers(self, count, timeout):
            raise distributed.TimeoutError(f"{count} in {timeout} s")

    run._wait_for_workers(Client(), quiet)
    assert ("the scheduler has no workers; waiting for one" in capsys.readouterr().err) != quiet


def test_durations():
    assert [duration(s) for s in (3.2, 89.0, 600.0, 9000.0)] == ["3 s", "89 s", "10 min", "2.5 h"]

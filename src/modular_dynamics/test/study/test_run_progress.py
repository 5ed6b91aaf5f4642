import io

import pytest

from modular_dynamics.study import run
from modular_dynamics.study.run import Progress, duration, run_line


def test_the_line_says_speed_and_time_left_of_this_run():
    assert run_line(10_000, 2_000, 2_000, 1.0) == "2,000 of 10,000 designs, 0 designs/s"
    assert run_line(10_000, 3_000, 2_000, 2.0) == "3,000 of 10,000 designs, 500 designs/s, 14 s left"


def test_lines_elsewhere_and_one_line_that_changes_on_a_terminal(monkeypatch):
    monkeypatch.setattr(run, "_ELSEWHERE", 0.0)
    monkeypatch.setattr(run, "_ON_TERMINAL", 0.0)

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, expected in ((io.StringIO(), "5 of 10\n"), (Terminal(), "\r\x1b[K5 of 10\r\x1b[K")):
        one = Progress(lambda _: "5 of 10", quiet=False, stream=stream)
        one.passed()
        one.end()
        assert stream.getvalue() == expected
    silent = io.StringIO()
    Progress(lambda _: "5 of 10", quiet=True, stream=silent).passed()
    assert silent.getvalue() == ""


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

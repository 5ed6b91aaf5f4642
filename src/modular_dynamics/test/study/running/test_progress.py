import io

from modular_dynamics.study.running import progress
from modular_dynamics.study.running.progress import Progress, RefinementProgress, duration


def test_the_line_says_speed_and_time_left_of_this_run():
    one = Progress(10_000, 2_000, quiet=True, stream=io.StringIO())
    assert one.line(1.0) == "2,000 of 10,000 designs, 0 designs/s"
    one.add(1_000)
    assert one.line(2.0) == "3,000 of 10,000 designs, 500 designs/s, 14 s left"


def test_lines_elsewhere_and_one_line_that_changes_on_a_terminal(monkeypatch):
    monkeypatch.setattr(progress, "_ELSEWHERE", 0.0)
    monkeypatch.setattr(progress, "_ON_TERMINAL", 0.0)

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, begin, end in (
        (io.StringIO(), "5 of 10", "left\n"),
        (Terminal(), "\r\x1b[K5 of 10", "\r\x1b[K"),
    ):
        one = Progress(10, 0, quiet=False, stream=stream)
        one.add(5)
        one.end()
        assert stream.getvalue().startswith(begin)
        assert stream.getvalue().endswith(end)
    silent = io.StringIO()
    Progress(10, 0, quiet=True, stream=silent).add(5)
    assert silent.getvalue() == ""


def test_a_refinement_says_generation_best_score_and_time_left_at_most():
    one = RefinementProgress(30, 0.25, quiet=True, stream=io.StringIO())
    one.add(64, 0.75)
    assert one.line(2.0) == (
        "refining: generation 0 of at most 30, best score 0.25 (before: 0.25), "
        "32 designs/s, at most 60 s left"
    )
    one.add(64, 0.125)
    assert one.line(3.0) == (
        "refining: generation 1 of at most 30, best score 0.125 (before: 0.25), "
        "43 designs/s, at most 44 s left"
    )
    for _ in range(29):
        one.add(64, 0.5)
    assert one.line(60.0).endswith("best score 0.125 (before: 0.25), 33 designs/s, at most 0 s left")


def test_durations():
    assert [duration(s) for s in (3.2, 89.0, 600.0, 9000.0)] == ["3 s", "89 s", "10 min", "2.5 h"]

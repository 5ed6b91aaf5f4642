from functools import partial

import pytest

from modular_dynamics_ros.diagnostics.change_log import MOST_TEXTS, QUIET, ChangeLog, one_line


class Recording:
    """Logger and clock."""

    def __init__(self):
        self.lines, self.time = [], 0.0
        for level in ("info", "warning", "error"):
            setattr(self, level, partial(self._log, level))

    def _log(self, level, text):
        self.lines.append((level, text))

    def clock(self):
        return self.time


@pytest.fixture
def seen():
    return Recording()


@pytest.fixture
def log(seen):
    return ChangeLog(seen, seen.clock)


def test_a_problem_is_logged_once_and_its_end_once(seen, log):
    for k in range(100):
        seen.time = 0.01 * k
        log.problem("joint_states", "not finite", "'a' is NaN")
        log.log_resolved()
    assert seen.lines == [("warning", "joint_states: 'a' is NaN")]
    assert log.current() == ["joint_states: 'a' is NaN"]
    assert log.texts("joint_states") == ["'a' is NaN"]
    assert log.texts("closure") == []
    seen.time += QUIET + 0.01
    log.log_resolved()
    log.log_resolved()
    assert seen.lines[1:] == [("info", "joint_states: resolved; it was: 'a' is NaN")]
    assert log.current() == []


def test_each_offender_is_named_once_however_they_alternate(seen, log):
    for k in range(100):
        log.problem("joint_states", "not finite", ("'a' is NaN", "'b' is NaN", "'a' is NaN")[k % 3])
    assert [text for _, text in seen.lines] == ["joint_states: 'a' is NaN", "joint_states: 'b' is NaN"]
    seen.time = QUIET + 0.01
    log.log_resolved()
    log.problem("joint_states", "not finite", "'a' is NaN")
    assert len(seen.lines) == 4  # resolved, and there again


def test_texts_that_always_change_do_not_flood(seen, log):
    for k in range(1000):
        log.problem("joint_states", "odd", f"message {k}")
    assert len(seen.lines) == MOST_TEXTS
    assert seen.lines[-1][1].endswith("(more of this kind is not logged)")
    assert log.current() == ["joint_states: message 999"]


def test_a_text_in_which_only_figures_change_is_logged_once(seen, log):
    """As an age; names with digits are others, and the latest figure is kept for /diagnostics."""
    for text in ("-0.208 s older", "0.219 s older", "1e-05 s older", "3.1e+02 s older"):
        log.problem("odometry", "no odometry", text)
    assert [text for _, text in seen.lines] == ["odometry: -0.208 s older"]
    assert log.texts("odometry") == ["3.1e+02 s older"]
    for text in ("joint 'a_1.5'", "joint 'a_2.5'", "joint '1.5'", "joint '2.5'", "state 1", "state 2"):
        log.problem("joint_states", "x", text)
    assert len(seen.lines) == 7


def test_events_differ_by_their_figures(seen, log):
    for mass in (-1.5, -2.5):
        log.event("robot_description", "refused", f"the mass is {mass} kg")
    assert len(seen.lines) == 2


def test_a_problem_that_lasts_is_neither_logged_again_nor_resolved(seen, log):
    log.problem("stale input", "stale", "no joint state")
    log.lasts("neighbours", "head")  # never reported
    for _ in range(10):
        seen.time += 0.9 * QUIET
        log.lasts("stale input", "stale")
        log.log_resolved()
    assert len(seen.lines) == 1
    seen.time += 1.1 * QUIET
    log.log_resolved()
    assert seen.lines[1:] == [("info", "stale input: resolved; it was: no joint state")]


def test_each_cause_has_its_own_line_and_severe_ones_are_errors(seen, log):
    log.problem("reference", "a", "first")
    log.problem("reference", "b", "second")
    log.problem("cross-check", "disagrees", "third", severe=True)
    assert [level for level, _ in seen.lines] == ["warning", "warning", "error"]
    assert log.current("cross-check") == ["reference: first", "reference: second"]
    log.clear()
    assert log.current() == []


def test_what_happens_once_is_not_said_to_be_resolved(seen, log):
    log.event("robot_description", "refused", "no link")
    assert log.current() == ["robot_description: no link"]
    seen.time = 2.0 * QUIET
    log.log_resolved()
    assert log.current() == []
    assert seen.lines == [("warning", "robot_description: no link")]


def test_what_a_callback_raised_is_named_with_its_type(seen, log):
    log.skipped("joint_states", KeyError("x"))
    assert seen.lines == [("error", "joint_states: skipped, unexpectedly: KeyError: 'x'")]


def test_a_text_stays_on_one_line_and_bounded():
    assert one_line("no link 'hand'") == "no link 'hand'"
    assert one_line("no link 'a\n[INFO] all is well\x1b[2J'") == "no link 'a [INFO] all is well\\x1b[2J'"
    long = one_line(f"no link '{'x' * 100_000}'")
    assert len(long) < 1100
    assert long.endswith("x... (100010 characters)")

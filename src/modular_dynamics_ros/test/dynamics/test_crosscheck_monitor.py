"""When comparisons are due, what they show, and when torques are held back."""

import pytest

from modular_dynamics_ros.dynamics.crosscheck import AGREEMENTS, CrossCheckMonitor, crosscheck_status
from modular_dynamics_ros.messages.status import ERROR, OK, WARN


def test_every_tenth_of_200_hz_at_20_hz():
    monitor = CrossCheckMonitor(rate=20.0, threshold=1e-9)
    due = [k for k in range(201) if monitor.due(k * 0.005 + 1e-7 * k)]
    assert len(due) == pytest.approx(21, abs=1)
    assert due[:2] == [0, 10]


def test_a_pause_is_not_made_up_for():
    monitor = CrossCheckMonitor(rate=10.0, threshold=1e-9)
    assert [monitor.due(t) for t in (0.0, 5.0, 5.01, 5.05, 5.2)] == [True, True, False, False, True]


def test_a_failure_is_counted_and_over_with_the_next_comparison():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9)
    monitor.add_failure("IndexError: 7")
    assert (monitor.failed, monitor.failure, monitor.count) == (1, "IndexError: 7", 0)
    monitor.add({"arm": 1e-12}, {})
    assert (monitor.failed, monitor.failure, monitor.count) == (1, "", 1)


def test_rate_zero_is_off():
    assert not CrossCheckMonitor(rate=0.0, threshold=1e-9).due(1.0)


def test_it_keeps_the_worst_and_judges_the_last():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9)
    assert not monitor.disagrees
    monitor.add({"arm": 1e-3, "base": 0.0}, {"arm": 0.5, "base": 0.1})
    assert monitor.disagrees
    monitor.add({"arm": 1e-12}, {"arm": 0.1, "base": 0.2})
    assert not monitor.disagrees
    assert (monitor.worst_relative, monitor.worst) == (1e-3, {"arm": 0.5, "base": 0.2})
    monitor.add({"arm": float("nan"), "base": 1.0}, {})
    assert monitor.where == "arm"
    assert monitor.disagrees


def test_crosscheck_levels():
    monitor = CrossCheckMonitor(rate=0.0, threshold=1e-9)
    assert (crosscheck_status(monitor, "").level, crosscheck_status(monitor, "").message) == (OK, "off")
    monitor.rate = 1.0
    assert crosscheck_status(monitor, "Pinocchio cannot be imported").level == WARN
    assert crosscheck_status(monitor, "").message == "nothing was compared yet"
    monitor.add({"stem": 1e-15}, {"stem": 1e-14})
    assert crosscheck_status(monitor, "").level == OK
    assert crosscheck_status(monitor, "").message == "torques equal Pinocchio's"
    assert crosscheck_status(monitor, "").values["worst difference of stem [N m or N]"] == "1.000e-14"
    monitor.add({"stem": 1e-3}, {"stem": 1.0})
    assert crosscheck_status(monitor, "").level == ERROR
    assert "'stem' differ from Pinocchio's by 1.0e-03" in crosscheck_status(monitor, "").message


def stopped():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9)
    monitor.add({"arm": 1.1e-9}, {})
    assert monitor.stopped
    return monitor


def test_torques_return_after_ten_agreements_in_a_row_well_below_the_threshold():
    monitor = stopped()
    for relative in [*[1e-12] * (AGREEMENTS - 1), 0.6e-9]:  # below the threshold, but not by half
        monitor.add({"arm": relative}, {})
        assert monitor.stopped
    for k in range(AGREEMENTS):
        assert monitor.stopped
        assert monitor.due(k * 1e-9)  # whatever the rate is
        monitor.add({"arm": 0.4e-9}, {})
    assert not monitor.stopped


def test_a_comparison_that_fails_neither_stops_nor_releases():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9)
    monitor.add_failure("IndexError")
    assert not monitor.stopped
    monitor = stopped()
    for _ in range(2 * AGREEMENTS):
        monitor.add_failure("IndexError")
    assert monitor.stopped
    assert crosscheck_status(monitor, "").level == ERROR


@pytest.mark.parametrize(
    ("settings", "still"),
    [((1.0, 1e-9, True), True), ((0.0, 1e-9, True), False), ((1.0, 1e-9, False), False)],
)
def test_settings_that_hold_nothing_back_release_at_once(settings, still):
    monitor = stopped()
    monitor.change(*settings[:2], stops=settings[2])
    assert monitor.stopped == still


def test_with_warn_nothing_is_held_back():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9, stops=False)
    monitor.add({"arm": 1.0}, {})
    assert monitor.disagrees
    assert not monitor.stopped


def test_the_worst_is_nan_from_a_nan_on():
    monitor = CrossCheckMonitor(rate=1.0, threshold=1e-9)
    for difference in (0.5, float("nan"), 0.7):
        monitor.add({"arm": difference}, {"arm": difference})
    status = crosscheck_status(monitor, "")
    assert status.values["worst relative difference"] == "nan"
    assert status.values["worst difference of arm [N m or N]"] == "nan"

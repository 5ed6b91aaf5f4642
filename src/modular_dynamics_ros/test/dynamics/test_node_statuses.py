"""dynamics_node: what /diagnostics tells."""

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


def test_diagnostics_count_and_compare(make):
    harness = make(crosscheck_rate=1000.0, stale_after=60.0)
    harness.activate()
    for _ in range(5):
        harness.answer()
    harness.send(q=[float("nan")] * 4)
    status = harness.status("input", lambda s: s.level == b"\x01")
    assert "position of 'turn', 'bend', 'left', 'right' is NaN" in status.message
    assert status.hardware_id == "four_link"
    check = harness.status("cross-check")
    values = {entry.key: entry.value for entry in check.values}
    assert check.level == b"\x00"
    assert int(values["comparisons"]) >= 5
    assert float(values["worst relative difference"]) < 1e-12
    assert "worst difference of stem [N m or N]" in values
    output = {entry.key: entry.value for entry in harness.status("output").values}
    assert int(output["messages out"]) >= 5
    assert 0.0 < float(output["latency p50 [ms]"]) <= float(output["latency p99 [ms]"])


def test_a_disagreement_with_pinocchio_is_an_error_logged_once(make, capfd):
    harness = make(crosscheck_rate=1000.0)
    harness.activate()
    harness.node.session.crosschecks.monitor.threshold = (
        -1.0
    )  # no difference is small enough: as if the model were wrong
    capfd.readouterr()
    for _ in range(5):
        harness.answer()
    assert harness.status("cross-check").level == b"\x02"
    assert capfd.readouterr().err.count("torques differ from Pinocchio's") == 1

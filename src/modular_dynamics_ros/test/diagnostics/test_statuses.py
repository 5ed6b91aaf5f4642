import pytest

from modular_dynamics_ros.diagnostics.statuses import MessageCounts, input_status
from modular_dynamics_ros.messages.status import ERROR, OK, WARN

pytestmark = pytest.mark.ros


def test_input_levels():
    counts = MessageCounts(received=10)
    counts.rejected["not finite"] = 3
    assert input_status(counts, [], None, stale=False).level == WARN
    good = input_status(counts, [], 0.01, stale=False)
    assert good.level == OK
    assert good.values["messages in"] == "10"
    assert good.values["messages rejected"] == "3"
    assert good.values["rejected: not finite"] == "3"
    warned = input_status(counts, ["joint_states: position of 'a' is NaN"], 0.01, stale=False)
    assert (warned.level, warned.message) == (WARN, "joint_states: position of 'a' is NaN")
    stale = input_status(counts, ["x"], 2.5, stale=True)
    assert stale.level == ERROR
    assert "2.50 s ago" in stale.message

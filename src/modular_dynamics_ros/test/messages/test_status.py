"""Stamps, and messages of diagnostics."""

from builtin_interfaces.msg import Time

from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.status import WARN, Status, diagnostic_array


def test_diagnostics():
    message = diagnostic_array(Time(sec=1), [Status(WARN, "input", "words", "robot", {"key": "value"})])
    (status,) = message.status
    texts = status.name, status.message, status.hardware_id
    assert (status.level, *texts) == (b"\x01", "input", "words", "robot")
    assert [(entry.key, entry.value) for entry in status.values] == [("key", "value")]


def test_stamps_survive_the_round_trip():
    for nanoseconds in (0, 1, 999_999_999, 1_700_000_000_123_456_789):
        assert stamp_nanoseconds(stamp_message(nanoseconds)) == nanoseconds
    assert stamp_message(1_500_000_000) == Time(sec=1, nanosec=500_000_000)

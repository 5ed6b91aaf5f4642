from builtin_interfaces.msg import Time

from modular_dynamics_ros.messages.status import WARN, Status, diagnostic_array


def test_diagnostics():
    message = diagnostic_array(Time(sec=1), [Status(WARN, "input", "words", "robot", {"key": "value"})])
    (status,) = message.status
    texts = status.name, status.message, status.hardware_id
    assert (status.level, *texts) == (b"\x01", "input", "words", "robot")
    assert [(entry.key, entry.value) for entry in status.values] == [("key", "value")]

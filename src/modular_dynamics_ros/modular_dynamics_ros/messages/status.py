"""A diagnostic status without its message type, and diagnostic_msgs/DiagnosticArray."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

try:
    from builtin_interfaces.msg import Time
    from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
except ImportError:  # the command bag runs without ROS: nothing is published there
    Time = DiagnosticArray = DiagnosticStatus = KeyValue = None


OK, WARN, ERROR = range(3)  # levels of diagnostic_msgs/DiagnosticStatus


@dataclass(frozen=True)
class Status:
    """Level, text and figures of one part of a node."""

    level: int
    name: str
    message: str
    hardware_id: str = ""
    values: dict[str, str] = field(default_factory=dict)


def status_of(
    name: str, good: str, values: dict[str, str], errors: Sequence[str] = (), warnings: Sequence[str] = ()
) -> Status:
    """Return a part's status: its errors, then warnings, or the text `good` if it has neither."""
    level = ERROR if errors else WARN if warnings else OK
    return Status(level, name, "; ".join([*errors, *warnings]) or good, values=values)


def diagnostic_array(stamp: Time, statuses: Iterable[Status]) -> DiagnosticArray:
    """Return the statuses as one message."""
    message = DiagnosticArray()
    message.header.stamp = stamp
    for status in statuses:
        message.status.append(
            DiagnosticStatus(
                level=bytes([status.level]),
                name=status.name,
                message=status.message,
                hardware_id=status.hardware_id,
                values=[KeyValue(key=key, value=value) for key, value in status.values.items()],
            )
        )
    return message

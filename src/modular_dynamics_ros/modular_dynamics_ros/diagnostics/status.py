"""A diagnostic status without its message type."""

from dataclasses import dataclass, field

__all__ = ["ERROR", "OK", "STALE", "WARN", "Status"]

OK, WARN, ERROR, STALE = range(4)  # the levels of diagnostic_msgs/DiagnosticStatus


@dataclass(frozen=True)
class Status:
    """Level, plain words and figures of one part of a node."""

    level: int
    name: str
    message: str
    hardware_id: str = ""
    values: dict[str, str] = field(default_factory=dict)

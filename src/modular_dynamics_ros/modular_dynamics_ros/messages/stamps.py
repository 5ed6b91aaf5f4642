"""Stamps of messages as nanoseconds, and back."""

from builtin_interfaces.msg import Time

__all__ = ["stamp_message", "stamp_nanoseconds"]


def stamp_nanoseconds(stamp: Time) -> int:
    """A stamp as nanoseconds since the epoch of its clock; 0 for a stamp that was not filled in."""
    return int(stamp.sec * 1_000_000_000 + stamp.nanosec)


def stamp_message(nanoseconds: int) -> Time:
    """The inverse of `stamp_nanoseconds`."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return Time(sec=seconds, nanosec=rest)

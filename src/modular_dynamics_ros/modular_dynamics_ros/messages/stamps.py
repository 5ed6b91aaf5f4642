"""Stamps of messages as nanoseconds, and back; how messages name the description that they belong to."""

import hashlib
import re
from typing import Any

from modular_dynamics_ros.exceptions import BadMessage

try:
    from builtin_interfaces.msg import Time
except ImportError:  # the command bag runs without ROS: there messages are only read
    Time = None


_MARK = re.compile(r"([0-9]{1,10})\.([0-9]{9})")


def stamp_nanoseconds(stamp: Time) -> int:
    """Return a stamp as nanoseconds since the epoch of its clock; 0 for a stamp that was not filled in."""
    return int(stamp.sec * 1_000_000_000 + stamp.nanosec)


def stamp_message(nanoseconds: int) -> Time:
    """Return nanoseconds as a stamp: the inverse of `stamp_nanoseconds`."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return Time(sec=seconds, nanosec=rest)


def sending_time(info: dict[str, Any], now: int, *, simulated: bool) -> int:
    """Return the sending time [ns] of a message without a stamp, as the middleware has it; at most now.

    Args:
        info: rclpy's. simulated: whether the node's clock is /clock, which the middleware does not know.
    """
    return now if simulated else min(now, info["source_timestamp"] or info["received_timestamp"])


def message_stamp(message: Any, info: dict[str, Any], node: Any) -> int:
    """Return the stamp [ns] of a message, by the node's clock; of one without a stamp its sending time."""
    stamp = stamp_nanoseconds(message.header.stamp)
    return stamp or sending_time(info, node.now(), simulated=node.simulated)


def stamp_seconds(nanoseconds: int) -> str:
    """Return a stamp as text: seconds with nine decimals."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{seconds}.{rest:09d}"


def description_digest(text: str) -> str:
    """Return a digest of a description: other texts have other ones."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def description_frame(name: str, stamp: int) -> str:
    """Return a joint state's frame_id for the description with this stamp [ns]: "NAME@SECONDS"."""
    return f"{name}@{stamp_seconds(stamp)}"


def description_of(frame_id: str) -> tuple[str, int] | None:
    """Return robot and stamp [ns] in such a frame_id; None if it names no description.

    Raises:
        BadMessage: a frame_id that looks like such a name and is none.
    """
    if "@" not in frame_id:
        return None
    name, _, mark = frame_id.rpartition("@")
    if match := _MARK.fullmatch(mark):
        return name, int(match[1]) * 1_000_000_000 + int(match[2])
    if not mark or mark[0].isdigit() or not any(character.isalpha() for character in mark):
        text = f"frame_id '{frame_id[:60]}' does not end in the stamp of a description, such as @12.000000000"
        raise BadMessage("damaged name", text)
    return None

"""Recorded messages in the order in which they were recorded: rosbag2 folders, .mcap and .db3 files."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from modular_dynamics.optional_packages import import_failure
from modular_dynamics_ros.bag.storage import ZSTD, opened_bag, reason_of
from modular_dynamics_ros.exceptions import BagError, listed

__all__ = ["Recorded", "RecordedTopic", "Recording"]


class RecordedTopic(NamedTuple):
    """Type as pkg/msg/Name; number of its messages, None where it is not known."""

    name: str
    type: str
    messages: int | None


class Recorded(NamedTuple):
    """A message: when it was recorded [ns]; None where its bytes are damaged."""

    topic: str
    time: int
    message: Any | None


class Recording(AbstractContextManager["Recording"]):
    """A bag that is open for reading.

    Attributes:
        topics: that have messages. notice: what the user should know about the bag; empty mostly.

    Raises:
        BagError: no bag, damaged, or the package rosbags is missing.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        if not self._path.exists():
            raise BagError(f"no bag at '{path}': the folder of a rosbag2, or a .mcap or .db3 file, is needed")
        self._types = _type_store()
        self._bag, self.notice = opened_bag(self._path)
        by_topic: dict[str, list[Any]] = {}
        for connection in self._bag.connections:
            by_topic.setdefault(connection.topic, []).append(connection)
        self._connections = by_topic
        self.topics = {
            topic: RecordedTopic(topic, parts[0].msgtype, _total([part.msgcount for part in parts]))
            for topic, parts in by_topic.items()
        }

    def of_type(self, kind: str) -> list[str]:
        """Return the topics of a type such as sensor_msgs/msg/JointState."""
        return [topic.name for topic in self.topics.values() if topic.type == kind]

    def count(self, topics: Sequence[str]) -> int | None:
        """Return the number of messages on these topics; None if it is not known."""
        return _total([self.topics[topic].messages for topic in topics if topic in self.topics])

    def require(self, topic: str, kind: str) -> None:
        """Refuse a topic that is not there, or of another type.

        Raises:
            BagError: with those that are.
        """
        if topic not in self.topics:
            have = listed(sorted(self.of_type(kind)), 8) or "none"
            raise BagError(f"bag '{self._path}' has no topic '{topic}'; topics of {kind}: {have}")
        if (other := self.topics[topic].type) != kind:
            raise BagError(f"topic '{topic}' of bag '{self._path}' has the type {other}; {kind} is needed")

    def messages(self, topics: Sequence[str]) -> Iterator[Recorded]:
        """Yield the messages of these topics.

        Raises:
            BagError: the bag is damaged from here on, or fewer came than its index counts.
        """
        expected = self.count(topics)
        chosen = [part for topic in topics for part in self._connections.get(topic, ())]
        source, read = iter(self._bag.messages(chosen)) if chosen else iter(()), 0
        while True:
            try:
                connection, time, data = next(source)
            except StopIteration:
                break
            except Exception as error:  # damaged bytes raise any exception
                text = f"bag '{self._path}' is damaged after {read} messages: {reason_of(error)}"
                raise BagError(text) from error
            read += 1
            yield Recorded(connection.topic, time, self._message(data, connection.msgtype))
        if expected is not None and read < expected:
            text = f"{expected - read} of the {expected} messages that its index counts are not there"
            raise BagError(f"bag '{self._path}' is damaged: {text}")

    def _message(self, data: bytes, kind: str) -> Any | None:
        try:
            return self._types.deserialize_cdr(_expanded(data), kind)
        except Exception:  # damaged bytes; the next message may be valid
            return None

    def __exit__(self, *exception: object) -> None:
        with suppress(Exception):  # closing a damaged file may fail
            self._bag.close()


def _type_store() -> Any:
    try:
        from rosbags.typesys import Stores, get_typestore  # noqa: PLC0415  # only this command needs it
    except ImportError as error:
        failure = import_failure(error, ("rosbags",))
        raise BagError(f"bags need the Python package rosbags, which {failure}") from error
    return get_typestore(Stores.ROS2_JAZZY)


def _expanded(data: bytes) -> bytes:
    """Decompress a message that is compressed by itself; only metadata.yaml says so, not a single file."""
    if bytes(data[: len(ZSTD)]) != ZSTD:  # uncompressed CDR begins with 0
        return data
    from zstandard import ZstdDecompressor  # noqa: PLC0415  # rosbags needs it, too

    return ZstdDecompressor().decompress(data)


def _total(counts: Sequence[int | None]) -> int | None:
    return None if None in counts else sum(count or 0 for count in counts)

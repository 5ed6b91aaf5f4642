"""Recorded messages in the order in which they were recorded: rosbag2 folders, .mcap and .db3 files."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from modular_dynamics.optional_packages import import_failure
from modular_dynamics.text.files import content_kind
from modular_dynamics_ros.exceptions import BagError, listed

RECORDINGS = b"\x89MCAP0\r\n", b"SQLite format 3\0"  # how files of recordings begin
REPAIR = "`ros2 bag reindex FOLDER` makes a new metadata.yaml, `mcap recover FILE` the index of an .mcap file"


class Recorded(NamedTuple):
    """A message and the time [ns] when it was recorded; None if its bytes are damaged."""

    topic: str
    time: int
    message: Any | None


class Recording(AbstractContextManager["Recording"]):
    """A bag that is open for reading.

    Attributes:
        topics: that have messages, with their types as pkg/msg/Name.

    Raises:
        BagError: there is no bag, it is damaged, or the package rosbags is missing.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        if not self._path.exists():
            raise BagError(f"no bag at '{path}': the folder of a rosbag2, or a .mcap or .db3 file, is needed")
        if not self._path.is_dir() and not self._path.is_file():  # reading a pipe would wait for ever
            raise BagError(f"bag '{path}' cannot be read: it is a pipe or a device")
        try:
            from rosbags.rosbag2 import Reader  # noqa: PLC0415  # only this command needs it
            from rosbags.typesys import Stores, get_typestore  # noqa: PLC0415
        except ImportError as error:
            failure = import_failure(error, ("rosbags",))
            raise BagError(f"bags need the Python package rosbags, which {failure}") from error
        self._types = get_typestore(Stores.ROS2_JAZZY)
        try:
            self._bag = Reader(self._path)
            self._bag.open()
        except Exception as error:  # damaged files raise whatever the bytes lead to
            raise BagError(f"bag '{path}' cannot be read: {_why_unreadable(self._path, error)}") from error
        self._connections: dict[str, list[Any]] = {}
        for connection in self._bag.connections:
            self._connections.setdefault(connection.topic, []).append(connection)
        self.topics = {topic: parts[0].msgtype for topic, parts in self._connections.items()}

    def of_type(self, kind: str) -> list[str]:
        """Return the topics of a type such as sensor_msgs/msg/JointState."""
        return [topic for topic, own in self.topics.items() if own == kind]

    def count(self, topics: Sequence[str]) -> int:
        """Return the number of messages on these topics."""
        return sum(part.msgcount for topic in topics for part in self._connections.get(topic, ()))

    def require(self, topic: str, kind: str) -> None:
        """Raise BagError if a topic is missing or has another type, naming those that have the type."""
        if topic not in self.topics:
            have = listed(sorted(self.of_type(kind)), 8) or "none"
            raise BagError(f"bag '{self._path}' has no topic '{topic}'; topics of {kind}: {have}")
        if (other := self.topics[topic]) != kind:
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
                raise BagError(
                    f"bag '{self._path}' is damaged after {read} messages: {_reason(error)}"
                ) from error
            read += 1
            try:
                message = self._types.deserialize_cdr(data, connection.msgtype)
            except Exception:  # damaged bytes; the next message may be valid
                message = None
            yield Recorded(connection.topic, time, message)
        if read < expected:
            text = f"{expected - read} of the {expected} messages that its index counts are not there"
            raise BagError(f"bag '{self._path}' is damaged: {text}")

    def __exit__(self, *exception: object) -> None:
        with suppress(Exception):  # closing a damaged file may fail
            self._bag.close()


def _why_unreadable(path: Path, error: Exception) -> str:
    """Return why a bag cannot be opened, and what helps."""
    if path.is_file():
        with suppress(OSError):
            with open(path, "rb") as file:
                start = file.read(200)
            if not start:
                return "it is empty"
            if not start.startswith(RECORDINGS) and (kind := content_kind(start)):
                return f"it is {kind}"
    return f"{_reason(error)}; folders of rosbag2, .mcap and .db3 files are read: {REPAIR}"


def _reason(error: Exception) -> str:
    """Return the reason in an exception that damaged bytes caused."""
    if isinstance(error, MemoryError | OverflowError):
        return "a length in it is impossible"
    text = " ".join(str(error).split()).rstrip(".").removesuffix("; please report issue")  # to rosbags
    return text or type(error).__name__

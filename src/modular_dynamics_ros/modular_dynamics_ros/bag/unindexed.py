"""MCAP files without an index, as a recorder that was killed leaves them: read from their beginning."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

__all__ = ["UnindexedBag"]

MAGIC = b"\x89MCAP0\r\n"


class _Connection(NamedTuple):
    topic: str
    msgtype: str
    msgcount: int | None = None


class UnindexedBag:
    """Messages up to where the file ends or is damaged.

    Attributes:
        connections: of the whole file, which is read once for them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        kinds: dict[str, str] = {}
        counts: dict[str, int] = {}
        with suppress(Exception):  # damage: `messages` comes to it again, and raises
            for topic, kind, _, _ in self._scan():
                kinds[topic] = kind
                counts[topic] = counts.get(topic, 0) + 1
        self.connections = [_Connection(topic, kind, counts[topic]) for topic, kind in kinds.items()]

    @classmethod
    def of(cls, path: Path) -> "UnindexedBag | None":
        """Of a file, or of the only one in a folder; None where there is none, or nothing can be read."""
        files = sorted(path.glob("*.mcap")) if path.is_dir() else [path]
        if len(files) != 1 or not _is_mcap(files[0]):
            return None
        bag = cls(files[0])
        return bag if bag.connections else None

    def messages(self, connections: Sequence[_Connection]) -> Iterator[tuple[_Connection, int, bytes]]:
        """Those of these connections.

        Raises whatever damaged bytes lead to; a file that only ends too early is read without an exception.
        """
        chosen = {connection.topic: connection for connection in connections}
        for topic, _, time, data in self._scan():
            if topic in chosen:
                yield chosen[topic], time, data

    def _scan(self) -> Iterator[tuple[str, str, int, bytes]]:
        from mcap.exceptions import EndOfFile  # noqa: PLC0415  # only such bags need it
        from mcap.reader import NonSeekingReader  # noqa: PLC0415

        with open(self._path, "rb") as file, suppress(EndOfFile):
            for schema, channel, message in _messages(NonSeekingReader, file):
                yield channel.topic, schema.name if schema else "", message.log_time, message.data

    def close(self) -> None:
        """Files are open only while they are read."""


def _messages(kind: Any, file: IO[bytes]) -> Iterator[Any]:
    """With the checksums of chunks that have one."""
    return iter(kind(file, validate_crcs=True).iter_messages(log_time_order=False))


def _is_mcap(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False

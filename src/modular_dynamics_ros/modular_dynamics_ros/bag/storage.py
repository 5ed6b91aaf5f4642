"""The files of a bag: whichever of them can be read, whatever their names and their metadata.yaml.

The package rosbags opens a folder by its metadata.yaml, and files by their suffix. Both may be wrong: ROS 2
Foxy left out the storage's name, a copied folder lacks files, and a recorder that was killed writes neither
metadata.yaml nor the index of an MCAP.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, NamedTuple

from modular_dynamics.text.files import content_kind
from modular_dynamics_ros.exceptions import BagError, listed

__all__ = ["opened_bag"]

#: How files begin, and the suffix by which rosbags knows them.
RECORDINGS = (".mcap", ".db3")
BEGINNINGS = {b"\x89MCAP0\r\n": ".mcap", b"SQLite format 3\0": ".db3"}
#: How data begin that are compressed by zstd.
ZSTD = b"\x28\xb5\x2f\xfd"
CUT_OFF = "it is cut off before the end of its first chunk of messages"
NO_ROS_2 = "it is an MCAP, but no recording of ROS 2"
#: By words in what rosbags says, what a file is that begins as a recording does.
HINTS = {
    "missing tables": "it is an SQLite database without the tables of a recording",
    "Unexpected record": NO_ROS_2,
    "Profile is not ros2": NO_ROS_2,
    "ord() expected": CUT_OFF,
    "Truncated record": CUT_OFF,
    "Invalid argument": CUT_OFF,
    "end magic": CUT_OFF,
}


def opened_bag(path: Path) -> tuple[Any, str]:
    """Open a bag; return a reader with rosbags' interface, and a note for the user.

    Raises:
        BagError: nothing in it can be read.
    """
    from rosbags.rosbag2 import Reader  # noqa: PLC0415  # the caller has looked for rosbags

    if not path.is_dir():
        bag = _Files([path])
        return bag, bag.notice
    try:
        reader = Reader(path)
        reader.open()
    except Exception as error:  # damaged files raise whatever the bytes lead to
        files = sorted(
            (one for one in path.iterdir() if _suffix(one) or one.suffix.lower() in RECORDINGS), key=_natural
        )
        if not files:
            missing = "" if (path / "metadata.yaml").is_file() else "no metadata.yaml, and "
            others = listed(sorted(one.name for one in path.iterdir())) or "nothing"
            raise BagError(
                f"bag '{path}' cannot be read: {missing}no file of a recording; it holds {others}"
            ) from error
        bag, reason = _Files(files), reason_of(error)
        if isinstance(error, FileNotFoundError):
            reason = "the folder has no metadata.yaml, which `ros2 bag reindex` makes"
        elif "Storage plugin ''" in reason:
            reason = "metadata.yaml does not name the storage, as of ROS 2 Foxy"
        names = listed([one.name for one in files])
        return bag, "; ".join(
            filter(None, (f"{reason}: its files are read by themselves: {names}", bag.notice))
        )
    return reader, "; ".join(filter(None, map(_left_in_log, sorted(path.glob("*.db3")))))


class _Files:
    """A bag of several files, read one after the other.

    Attributes:
        connections: of all files. notice: which files have no index, or cannot be read.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._stack, self._parts = ExitStack(), list[Any]()
        notices, failures = list[str](), list[str]()
        for path in paths:
            try:
                part, notice = self._opened(path)
            except Exception as error:  # noqa: PERF203  # as above
                failures.append(f"'{path}' cannot be read: {_hint(path, error)}")
            else:
                self._parts.append(part)
                notices += [notice] if notice else []
        if not self._parts:
            self.close()
            raise BagError(f"bag {'; '.join(failures)}")
        self.connections = [connection for part in self._parts for connection in part.connections]
        self.notice = "; ".join([*notices, *(f"left out: {failure}" for failure in failures)])

    def _opened(self, path: Path) -> tuple[Any, str]:
        from rosbags.rosbag2 import Reader  # noqa: PLC0415

        if not path.is_file():  # reading a pipe would wait for another process
            raise OSError
        named = self._with_suffix(path)
        try:
            reader = Reader(named)
            reader.open()
        except Exception as error:
            unindexed = _Unindexed(named)
            if not unindexed.connections:
                raise
            return unindexed, (
                f"'{path.name}' has no index ({reason_of(error)}), as after a crash: it is read from its "
                "beginning as far as it goes, in the order of recording"
            )
        self._stack.callback(reader.close)
        return reader, _left_in_log(path)

    def _with_suffix(self, path: Path) -> Path:
        """Return the file, decompressed, under a name with the suffix of its content."""
        suffix = _suffix(path)
        if not suffix or path.suffix == suffix != ".zstd":
            return path
        folder = Path(self._stack.enter_context(TemporaryDirectory()))
        if suffix != ".zstd":
            (named := folder / f"bag{suffix}").symlink_to(path.absolute())
            return named
        from zstandard import ZstdDecompressor  # noqa: PLC0415  # mcap needs it, too

        expanded = folder / "bag"
        with open(path, "rb") as source, open(expanded, "wb") as target:
            ZstdDecompressor().copy_stream(source, target)
        return expanded.rename(folder / f"bag{_suffix(expanded)}")

    def messages(self, connections: Sequence[Any]) -> Iterator[tuple[Any, int, bytes]]:
        """Yield the messages of these connections, file by file."""
        for part in self._parts:
            own = [one for one in part.connections if any(one is wanted for wanted in connections)]
            if own:
                yield from part.messages(own)

    def close(self) -> None:
        """Close all files."""
        self._stack.close()


class _Connection(NamedTuple):
    topic: str
    msgtype: str
    msgcount: int | None = None


class _Unindexed:
    """The messages of an MCAP without an index, up to where it ends or is damaged.

    Attributes:
        connections: of the whole file, which is read once for them; empty if it is not an MCAP.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        kinds: dict[str, str] = {}
        counts: dict[str, int] = {}
        with suppress(Exception):  # `messages` meets the damage again and raises
            for topic, kind, _, _ in self._scan() if _suffix(path) == ".mcap" else ():
                kinds[topic] = kind
                counts[topic] = counts.get(topic, 0) + 1
        self.connections = [_Connection(topic, kind, counts[topic]) for topic, kind in kinds.items()]

    def messages(self, connections: Sequence[_Connection]) -> Iterator[tuple[_Connection, int, bytes]]:
        """Yield the messages of these connections.

        Raises any exception that damaged bytes cause; a truncated file is read without an exception.
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


def _messages(kind: Any, file: IO[bytes]) -> Iterator[Any]:
    """Yield the records of an MCAP, verifying checksums of the chunks that have one."""
    return iter(kind(file, validate_crcs=True).iter_messages(log_time_order=False))


def _beginning(path: Path) -> bytes:
    """Return the first bytes of a regular file; empty if it cannot be read."""
    with suppress(OSError):
        if path.is_file():
            with open(path, "rb") as file:
                return file.read(200)
    return b""


def _suffix(path: Path) -> str:
    """Return the suffix for a recording's content: .mcap, .db3 or .zstd; empty if it is not one."""
    start = _beginning(path)
    if start.startswith(ZSTD):
        return ".zstd"
    return next((suffix for begin, suffix in BEGINNINGS.items() if start.startswith(begin)), "")


def _natural(path: Path) -> list[tuple[bool, int, str]]:
    """Return a sort key that puts bag_10 after bag_9."""
    return [
        (not part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in re.split(r"(\d+)", path.name)
    ]


def _left_in_log(path: Path) -> str:
    """Return a note if SQLite's log may hold the last messages of a killed recorder, which are not read."""
    log = path.with_name(f"{path.name}-wal")
    with suppress(OSError):
        if log.stat().st_size:
            command = f"sqlite3 '{path}' 'PRAGMA wal_checkpoint(TRUNCATE)'"
            return f"messages in '{log.name}' are not read; {command} moves them to the .db3"
    return ""


def _hint(path: Path, error: Exception) -> str:
    """Return a hint on what a file is that cannot be read."""
    if not path.is_file():
        return "it is a pipe or a device"
    if not (start := _beginning(path)):
        return (
            "Permission denied"
            if isinstance(error, PermissionError) or path.stat().st_size
            else "it is empty"
        )
    if _suffix(path):
        reason = reason_of(error)
        return next((text for words, text in HINTS.items() if words in reason), reason)
    kind = content_kind(start)
    return (
        f"it is {kind}"
        if kind
        else "it is neither MCAP nor SQLite; folders of rosbag2, .mcap and .db3 files are read"
    )


def reason_of(error: Exception) -> str:
    """Return the reason in an exception that damaged bytes caused."""
    if isinstance(error, MemoryError | OverflowError):
        return "a length in it is impossible"
    text = " ".join(str(error).split()).rstrip(".").removesuffix("; please report issue")  # to rosbags
    return text or type(error).__name__

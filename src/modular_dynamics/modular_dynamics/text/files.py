"""Files whose paths people give: whatever stands there, reading ends, and errors are the library's."""

import errno
import os
import stat
from pathlib import Path

from ..exceptions import DescriptionError
from .sizes import MAX_BYTES, too_large

__all__ = ["content_of", "given_text", "is_file", "path_of", "text_if_there", "text_of"]

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def path_of(source: "str | os.PathLike[str]") -> Path:
    """The path, with ~ for a home; where nobody has that home, as it is."""
    path = Path(source)
    try:
        return path.expanduser()
    except (RuntimeError, ValueError):  # no such home, or a zero byte
        return path


def is_file(path: Path) -> bool:
    """Whether a regular file is there: no pipe or device, which may never end; no text is too long to ask."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long; a zero byte, or half a character
        return False


def content_of(path: Path, kind: str, most: int, error: type[DescriptionError]) -> bytes:
    """The bytes of a file.

    Args:
        kind: of file, for messages ("URDF file"). most: accepted bytes. error: what is raised.

    Raises:
        DescriptionError: no such file; a folder, a pipe (to read it would wait for another process) or a
            device (which may have no end); too large; one that cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe is opened at once
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last: no path that a file can have
        raise error(f"no {kind} at {_shown(path)}", unreadable=True) from None
    except OSError as failure:
        if failure.errno == errno.ENAMETOOLONG:  # a text that was meant to be a URDF
            raise error(f"no {kind} at {_shown(path)}", unreadable=True) from None
        raise error(f"{_shown(path)} cannot be read: {failure.strerror}", unreadable=True) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            is_what = _KINDS.get(stat.S_IFMT(status.st_mode), "no file")
            raise error(f"no {kind} at {_shown(path)}, which is {is_what}", unreadable=True)
        if status.st_size > most:
            raise error(too_large(f"'{path}'", status.st_size, most, "bytes"))
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(most + 1)
    except OSError as failure:
        raise error(f"'{path}' cannot be read: {failure.strerror}", unreadable=True) from None
    finally:
        os.close(descriptor)
    if len(content) > most:  # it grew, or its size is not known before
        raise error(too_large(f"'{path}'", len(content), most, "bytes or more"))
    return content


def text_of(path: Path, kind: str, most: int, error: type[DescriptionError] = DescriptionError) -> str:
    """What a file holds, in UTF-8; arguments and errors as of :func:`content_of`, or it is no text."""
    try:
        return content_of(path, kind, most, error).decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise error(f"'{path}' is no text in UTF-8: {failure}") from None


def text_if_there(
    path: Path, kind: str, most: int, error: type[DescriptionError] = DescriptionError
) -> str | None:
    """As :func:`text_of`; None where there is no file yet, but the folder in which it would be.

    A file that cannot be looked at raises: it may well be there.
    """
    try:
        path.lstat()
    except FileNotFoundError:
        if path.parent.is_dir():
            return None
        raise error("its folder is not there: make it, or name another file", unreadable=True) from None
    except (OSError, ValueError) as failure:
        why = getattr(failure, "strerror", None) or failure
        raise error(f"{_shown(path)} cannot be read: {why}", unreadable=True) from None
    return text_of(path, kind, most, error)


def given_text(
    source: object, kind: str, most: int = MAX_BYTES, error: type[DescriptionError] = DescriptionError
) -> tuple[str, str]:
    """How messages name a source, and its text.

    Args:
        source: the path of a file; or text of several lines, as it is. kind, most, error: as of
            :func:`content_of`.

    Raises:
        DescriptionError: neither; or as :func:`text_of`.
    """
    if isinstance(source, str) and "\n" in source:
        return "the text", source.removeprefix("\ufeff")
    if not isinstance(source, str | os.PathLike) or not str(source):
        given = f"{type(source).__name__} {source!r:.60}"
        needed = "the path of one, or text of several lines, is needed"
        raise error(f"{given} is no {kind}; {needed}", unreadable=True)
    path = path_of(source)
    return str(path), text_of(path, kind, most, error)


def _shown(path: Path) -> str:
    """A path that may be a text."""
    return f"'{str(path)[:40]}...'" if len(str(path)) > 250 else f"'{path}'"

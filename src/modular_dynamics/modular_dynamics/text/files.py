"""Files at paths that users give: reading always ends, whatever is there, and errors are the library's."""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ..exceptions import DescriptionError
from .sizes import MAX_BYTES, too_large

#: Beginnings of files that cannot be read here, and what they are.
_BEGINNINGS = {
    b"version https://git-lfs.github.com/": "a pointer of Git LFS: `git lfs pull` fetches the file",
    b"<!doctype html": "a web page, as of a link that shows a file: download the file itself",
    b"<html": "a web page, as of a link that shows a file: download the file itself",
    b"\x89mcap": "a recording (MCAP), which `modular-dynamics bag` reads",
    b"sqlite format 3\0": "an SQLite database, as a recording (.db3), which `modular-dynamics bag` reads",
    b"#rosbag ": "a bag of ROS 1: rosbags-convert of the Python package rosbags makes one of ROS 2",
    b"\x93numpy": "a NumPy array (.npy)",
    b"pk\x03\x04": "a ZIP archive, as a spreadsheet (.xlsx) or NumPy's .npz",
    b"\x1f\x8b": "compressed by gzip: gunzip expands it",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unzstd expands it",
    b"\x04\x22m\x18": "compressed by lz4: `lz4 -d` expands it",
    b"%pdf": "a PDF",
    b"\xff\xfe": "text in UTF-16: save it in UTF-8",
    b"\xfe\xff": "text in UTF-16: save it in UTF-8",
    b"\x7felf": "a program",
}
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def content_kind(start: bytes) -> str:
    """Return the kind of a binary file by its first bytes, with advice; empty if it may be text."""
    lower = start.lstrip(b" \t\r\n").lower()
    return next((kind for begin, kind in _BEGINNINGS.items() if lower.startswith(begin)), "")


def separator_of(line: str) -> str:
    """Return the separator of a table's columns by its first line: comma, else semicolon or tab."""
    return next((one for one in ",;\t" if one in line), ",")


def path_of(source: "str | os.PathLike[str]") -> Path:
    """Return the path with ~ expanded; unchanged if there is no such home."""
    path = Path(source)
    try:
        return path.expanduser()
    except (RuntimeError, ValueError):  # no such home, or a zero byte
        return path


def is_file(path: Path) -> bool:
    """Return whether a regular file is there, unlike a pipe or device, which may never end."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long; a zero byte, or half a character
        return False


def content_of(path: Path, kind: str, most: int, error: type[DescriptionError]) -> bytes:
    """Return the bytes of a file.

    Args:
        kind: of file, for messages ("URDF file"). most: accepted bytes. error: what is raised.

    Raises:
        DescriptionError: no such file; a folder, a pipe (to read it would wait for another process) or a
            device (which may have no end); too large; one that cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe is opened at once
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: text that cannot be a path
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
            if found := content_kind(os.read(descriptor, 200)):
                raise error(f"'{path}' is no {kind}, but {found}")
            raise error(too_large(f"'{path}'", status.st_size, most, "bytes"))
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(most + 1)
    except OSError as failure:
        raise error(f"'{path}' cannot be read: {failure.strerror}", unreadable=True) from None
    finally:
        os.close(descriptor)
    if len(content) > most:  # it grew, or its size is not known before
        raise error(too_large(f"'{path}'", len(content), most, "bytes or more"))
    if found := content_kind(content[:200]):
        raise error(f"'{path}' is no {kind}, but {found}")
    return content


def text_of(path: Path, kind: str, most: int, error: type[DescriptionError] = DescriptionError) -> str:
    """Return a file's text in UTF-8; arguments and errors as of :func:`content_of`, or not text."""
    try:
        return content_of(path, kind, most, error).decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise error(f"'{path}' is no text in UTF-8: {failure}") from None


def text_if_there(
    path: Path, kind: str, most: int, error: type[DescriptionError] = DescriptionError
) -> str | None:
    """Return the text as :func:`text_of`; None if only the file's folder exists.

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
    """Return the name of a source in messages, and its text.

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
    """Return a path as messages show it; it may be a text by mistake."""
    return f"'{str(path)[:40]}...'" if len(str(path)) > 250 else f"'{path}'"


# Files that are replaced atomically: a reader gets the old content or the new.


def write_beside(path: Path, content: bytes | Callable[[BinaryIO], object]) -> Path:
    """Write a hidden file beside ``path``, which ``os.replace`` puts in its place; it is on the disk by then.

    It has the mode of ``path``, if that is there: not tempfile's, which only its owner may read. A file that
    nobody may write is not replaced.

    Args:
        content: what is written, or a function that writes it into the file.

    Raises:
        OSError, ValueError: it cannot be written; nothing is left.
    """
    if path.exists() and not path.stat().st_mode & 0o222:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    beside = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        opened = open(beside, "xb")  # noqa: SIM115  # closed below
    except OSError as error:
        error.filename = str(path)  # the hidden name says nothing to users
        raise
    with opened as file:
        try:
            if path.exists():
                shutil.copymode(path, beside)
            if callable(content):
                content(file)
            else:
                file.write(content)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    return beside


def replace_file(path: Path, content: bytes | Callable[[BinaryIO], object]) -> None:
    """Write a file whole or not at all; where a link leads, also to a pipe or device, as they are.

    Args:
        content: as of :func:`write_beside`.

    Raises:
        OSError: it cannot be written; the older file is as it was.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not is_file(path):
        with open(path, "wb") as file:
            content(file) if callable(content) else file.write(content)
    else:
        beside = write_beside(path, content)
        try:
            os.replace(beside, path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise

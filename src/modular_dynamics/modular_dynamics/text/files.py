"""Files whose paths people give: whatever stands there, reading ends, and errors are the library's."""

import os
from pathlib import Path

from ..exceptions import DescriptionError
from .sizes import too_large

__all__ = ["content_of", "is_file", "path_of", "shortened"]


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


def shortened(path: Path) -> str:
    """How messages show a path at which there is no file: it may be a text."""
    if len(str(path)) > 250:
        return f"'{str(path)[:40]}...'"
    try:
        kind = "a folder" if path.is_dir() else "no file"
        return f"'{path}', which is {kind}" if path.exists() else f"'{path}'"
    except (OSError, ValueError):
        return f"'{path}'"


def content_of(path: Path, kind: str, most: int, error: type[DescriptionError]) -> bytes:
    """The bytes of a file.

    Args:
        kind: of file, for messages. most: bytes. error: what is raised.

    Raises:
        DescriptionError: no such file, a folder, a pipe or a device; too large; one that cannot be read.
    """
    if not is_file(path):
        raise error(f"no {kind} at {shortened(path)}")
    try:
        if (size := path.stat().st_size) > most:
            raise error(too_large(f"'{path}'", size, most, "bytes"))
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as failure:
        raise error(f"'{path}' cannot be read: {failure.strerror}") from None
    if len(content) > most:  # it grew, or its size is not known before
        raise error(too_large(f"'{path}'", len(content), most, "bytes or more"))
    return content

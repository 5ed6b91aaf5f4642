"""The text of a file of module types."""

from os import PathLike
from pathlib import Path

from ....exceptions import DescriptionError
from ....text.files import path_of
from ...file_text import LARGEST_FILE, text_of_file

__all__ = ["folder_of", "text_of"]


def text_of(source: object, most: int = LARGEST_FILE) -> tuple[str, str]:
    """How messages name a source, and its text.

    Args:
        source: the path of a file, or text of several lines. most: accepted bytes.

    Raises:
        DescriptionError: neither; no such file, one that is too large, cannot be read, or is no text.
    """
    if isinstance(source, str) and "\n" in source:
        return "the text", source
    if not isinstance(source, str | PathLike) or not str(source):
        needed = "the path of a file, or a mapping, is needed"
        raise DescriptionError(
            f"a source of module types is {type(source).__name__} {source!r:.60}; {needed}"
        )
    path = path_of(source)
    try:
        text = text_of_file(path, most)
    except OSError as error:
        raise DescriptionError(f"the file cannot be read: {error.strerror}", str(path)[:250]) from None
    except ValueError as error:  # bytes that are not UTF-8, or a zero byte in the path
        raise DescriptionError(f"the file is no text: {error}", str(path)[:250]) from None
    return str(path), text


def folder_of(source: object) -> Path | None:
    """The folder at a path; None if the source is no path, or no folder is there."""
    if not isinstance(source, str | PathLike) or not str(source):
        return None
    path = path_of(source)
    try:
        return path if path.is_dir() else None
    except (OSError, ValueError):  # no path that a file can have
        return None

"""Texts from files or given as they are, and texts into files."""

from os import PathLike
from pathlib import Path
from typing import NamedTuple

from ...exceptions import DescriptionError
from ...text.files import path_of
from ..file_text import text_of_file
from ..names import shown

__all__ = ["Source", "Text", "text_of", "written"]

Source = str | PathLike[str]


class Text(NamedTuple):
    """A text, and how errors name where it is from."""

    text: str
    where: str


def text_of(source: Source, form: str, most: int) -> Text:
    """The text of a file; or ``source`` itself if it has several lines.

    Args:
        form: what the text is ("CSV"), for errors. most: accepted bytes.

    Raises:
        DescriptionError: no such file, or it is not UTF-8.
    """
    if not isinstance(source, str | PathLike):
        raise DescriptionError(
            f"an object of type {type(source).__name__} is no {form}; a path or the text itself is needed"
        )
    if isinstance(source, str) and "\n" in source:
        return Text(source.removeprefix("\ufeff"), f"{form} text")
    path = path_of(source)
    try:
        return Text(text_of_file(path, most), str(path))
    except OSError as error:
        raise DescriptionError(f"{shown(str(path))} cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # not UTF-8, or a zero byte in the path
        raise DescriptionError(f"{shown(str(path))} is no {form} in UTF-8: {error}") from None


def written(text: str, path: Source | None) -> str:
    """The text, also written into a file unless ``path`` is None."""
    if path is not None:
        Path(path).expanduser().write_text(text, encoding="utf-8")
    return text

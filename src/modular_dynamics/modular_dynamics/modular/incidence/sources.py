"""Texts into files."""

from os import PathLike
from pathlib import Path

__all__ = ["Source", "written"]

Source = str | PathLike[str]


def written(text: str, path: Source | None) -> str:
    """Return the text after writing it into a file, unless ``path`` is None."""
    if path is not None:
        Path(path).expanduser().write_text(text, encoding="utf-8")
    return text

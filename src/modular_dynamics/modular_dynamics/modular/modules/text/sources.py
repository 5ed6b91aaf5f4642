"""Folders of module types."""

from os import PathLike
from pathlib import Path

from ....text.files import path_of

__all__ = ["folder_of"]


def folder_of(source: object) -> Path | None:
    """The folder at a path; None if the source is no path, or no folder is there."""
    if not isinstance(source, str | PathLike) or not str(source):
        return None
    path = path_of(source)
    try:
        return path if path.is_dir() else None
    except (OSError, ValueError):  # no path that a file can have
        return None

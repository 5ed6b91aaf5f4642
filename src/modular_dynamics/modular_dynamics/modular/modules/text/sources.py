"""Folders of module types."""

from os import PathLike
from pathlib import Path

from ....text.files import path_of

__all__ = ["folder_of"]


def folder_of(source: object) -> Path | None:
    """Return the folder at a path; None if ``source`` is not a path or no folder is there."""
    if not isinstance(source, str | PathLike) or not str(source):
        return None
    path = path_of(source)
    try:
        return path if path.is_dir() else None
    except (OSError, ValueError):  # text that cannot be a path
        return None

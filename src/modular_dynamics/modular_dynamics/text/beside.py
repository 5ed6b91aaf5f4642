"""Files that are replaced atomically: a reader gets the old content or the new."""

import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

__all__ = ["write_beside"]


def write_beside(path: Path, content: bytes | Callable[[BinaryIO], object]) -> Path:
    """Write a hidden file beside ``path``, which ``os.replace`` puts in its place; it is on the disk by then.

    It has the mode of ``path``, if that is there: not tempfile's, which only its owner may read.

    Args:
        content: what is written, or a function that writes it into the file.

    Raises:
        OSError, ValueError: it cannot be written; nothing is left.
    """
    beside = path.with_name(f".{secrets.token_hex(8)}.part")
    with open(beside, "xb") as file:
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

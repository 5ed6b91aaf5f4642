"""Files that a command writes: none of them is one that it reads, by whatever name."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from ...text.files import is_file, path_of
from ..command import UsageError
from ..robot import STDIN

__all__ = ["raise_if_read"]

#: In the names of files of a bag, which may be compressed (.mcap.zstd), and what describes them.
OF_BAGS, ABOUT_BAG = (".mcap", ".db3"), "metadata.yaml"


def raise_if_read(option: str, output: str | Path | None, inputs: Iterable[str | Path | None]) -> None:
    """Raise UsageError if a command would overwrite one of its inputs; call it before writing.

    Args:
        option: that names the output. output: None, where nothing is written. inputs: files, folders of
            bags, - for standard input; None or empty, where nothing is read.

    Raises:
        UsageError: the output is one of them, also through a link.
    """
    if not output or not is_file(Path(output)):  # a pipe or a device loses nothing
        return
    for one in inputs:
        if one and any(_is_same(output, file) for file in _files(str(one))):
            name = "standard input" if str(one) == STDIN else f"'{one}'"
            also = "" if str(one) == str(output) else f" ({name})"
            raise UsageError(
                f"{option} {output}: the command reads this file{also}; give the name of another one"
            )


def _files(given: str) -> Iterator[Path | int]:
    """Yield the file itself, those of a bag, or the descriptor of standard input."""
    path = path_of(given)
    if given == STDIN:
        yield 0
    elif os.path.isdir(path):  # also of a text that no path can be
        for file in path.iterdir():
            if file.name == ABOUT_BAG or any(part in file.name for part in OF_BAGS):
                yield file
    else:
        yield path


def _is_same(output: str | Path, file: Path | int) -> bool:
    with suppress(OSError, ValueError):  # not there, or no path that a file can have
        return os.path.samestat(os.stat(output), os.stat(file))
    return False

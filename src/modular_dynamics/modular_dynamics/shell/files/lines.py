"""Lines of text of files that people give: a device without end, or a file without line ends, is an error."""

from collections.abc import Iterator
from typing import IO

from ..command import UsageError

__all__ = ["lines_of"]

LONGEST = 10_000_000  # characters of a line: a CSV of 100,000 columns has less


def lines_of(file: IO[str], where: str) -> Iterator[str]:
    """The lines of a file, read as they are needed.

    Raises:
        UsageError: a line is too long for a table.
    """
    number = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            raise UsageError(f"{where}, line {number} has more than {LONGEST} characters: this is no table")
        yield line

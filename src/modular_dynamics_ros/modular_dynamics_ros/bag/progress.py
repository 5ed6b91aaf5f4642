"""A progress bar, and the warnings beside it, on stderr."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from modular_dynamics.shell.command import printable

__all__ = ["Warnings", "with_progress"]

Item = TypeVar("Item")
STEP = 200  # items from one look of the bar to the next


class Warnings:
    """Takes the log of a node; each line goes to stderr, above the bar.

    Args:
        quiet: whether nothing is printed.
    """

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.console = Console(stderr=True)

    def info(self, message: str) -> None:
        """Print one line."""
        if not self.quiet:
            self.console.print(printable(message), markup=False, highlight=False, soft_wrap=True)

    def warning(self, message: str) -> None:
        """Print one line."""
        self.info(f"warning: {message}")

    def error(self, message: str) -> None:
        """Print one line."""
        self.info(f"error: {message}")


def with_progress(items: Iterable[Item], total: int | None, warnings: Warnings) -> Iterator[Item]:
    """Yield the items; draw a progress bar if stderr is a terminal."""
    if warnings.quiet or not sys.stderr.isatty():
        yield from items
        return
    columns = (TextColumn("messages"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=warnings.console, transient=True) as progress:
        task, done = progress.add_task("messages", total=total), 0
        for item in items:
            yield item
            done += 1
            if done % STEP == 0:
                progress.update(task, completed=done)
        progress.update(task, completed=done)

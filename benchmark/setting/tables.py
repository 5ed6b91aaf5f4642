"""Tables at most 110 columns wide, with targets."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

__all__ = ["print_table", "verdict"]


def print_table(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], gap: int = 1
) -> None:
    """Print a table; the first column and those whose name ends in a space are aligned to the left."""
    console.print(f"[bold]{title}[/]", highlight=False)  # a table's own title is broken to its width
    table = Table(box=box.SIMPLE_HEAD, padding=(0, gap, 0, 0))
    for number, column in enumerate(columns):
        left = number == 0 or column.endswith(" ")
        table.add_column(column.strip(), justify="left" if left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def verdict(target: str, reached: bool) -> str:
    """Return a target's text and whether it is reached."""
    return f"{target} [green]yes[/]" if reached else f"{target} [bold red]no[/]"

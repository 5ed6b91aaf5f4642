"""Tables of text for terminals, and names as every terminal takes them."""

from collections.abc import Sequence

__all__ = ["number", "printable", "table"]


def printable(text: str) -> str:
    """Return the text with unprintable characters as code points: names may hold anything."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def number(value: float | None) -> str:
    """Return a number with six digits; "-" for None."""
    return "-" if value is None else f"{value:.6g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()) -> list[str]:
    """Return lines of aligned columns.

    Args:
        right: titles of the columns that are aligned at their right end.
    """
    cells = [list(head), *([printable(cell) for cell in row] for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
    lines = []
    for row in cells:
        aligned = (
            cell.rjust(width) if title in right else cell.ljust(width)
            for cell, width, title in zip(row, widths, head, strict=True)
        )
        lines.append("  " + "  ".join(aligned).rstrip())
    return lines

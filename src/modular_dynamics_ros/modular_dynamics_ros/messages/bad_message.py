"""The one exception for messages that cannot be used."""

from collections.abc import Sequence

__all__ = ["BadMessage", "listed"]


class BadMessage(ValueError):
    """A message that a node refuses; `cause` is a short name to count by, the text names the offender."""

    def __init__(self, cause: str, text: str) -> None:
        super().__init__(text)
        self.cause = cause


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names in quotes for a sentence; beyond `most` only their number."""
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"

"""Names as they are: matplotlib would read what stands between two $ as a formula."""

from collections.abc import Iterable

from matplotlib.text import Text

__all__ = ["as_literal"]


def as_literal(texts: Iterable[Text]) -> None:
    """Let texts show their characters, $ and \\ among them: names of joints and files may hold any."""
    for text in texts:
        text.set_parse_math(False)

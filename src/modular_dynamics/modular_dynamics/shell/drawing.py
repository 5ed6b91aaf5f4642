"""Pictures without Python's warnings: one line says which characters the font lacks."""

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from .tables import printable

__all__ = ["PICTURES", "drawing"]

PICTURES = (".png", ".svg", ".pdf")

#: Matplotlib's warning about a missing character, repeated whenever it measures or draws the text.
GLYPH = re.compile(r"Glyph (\d+) ")
MOST = 10  # largest number of characters that a warning names


@contextmanager
def drawing() -> Iterator[None]:
    """Collect Matplotlib's warnings while drawing; if it succeeds, name characters that the font lacks.

    Other warnings of matplotlib, about its layout, are left out: the picture shows it.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    found = (GLYPH.match(str(one.message)) for one in caught)
    missing = "".join(dict.fromkeys(chr(int(glyph[1])) for glyph in found if glyph))
    if missing:
        rest = f" and {len(missing) - MOST} more" if len(missing) > MOST else ""
        text = f"warning: the picture has boxes in place of {missing[:MOST]}{rest}, which its font lacks"
        print(printable(text), file=sys.stderr)

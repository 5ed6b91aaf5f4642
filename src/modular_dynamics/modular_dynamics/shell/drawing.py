"""Pictures without Python's warnings: one line says which characters the font lacks."""

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from .tables import printable

__all__ = ["PICTURES", "drawing"]

PICTURES = (".png", ".svg", ".pdf")

#: How matplotlib begins, for each character and each time that it measures or draws a text.
GLYPH = re.compile(r"Glyph (\d+) ")
MOST = 10  # characters that are named


@contextmanager
def drawing() -> Iterator[None]:
    """For as long as something is drawn; where that fails, nothing is said beside the error.

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

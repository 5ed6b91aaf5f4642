"""Names of a robot inside C: they are arbitrary text, newlines and ends of comments included."""

import re
from collections.abc import Iterable

__all__ = ["comment_text", "identifier", "unique_identifiers"]


def identifier(text: str) -> str:
    """Return text as part of a C identifier: ASCII letters, digits and single underscores."""
    return re.sub("_+", "_", re.sub("[^A-Za-z0-9]", "_", text)).strip("_")


def unique_identifiers(texts: Iterable[str]) -> list[str]:
    """Return upper-case identifiers, made different by numbers where they would be equal."""
    names: list[str] = []
    for text in texts:
        name = stem = identifier(text).upper() or "UNNAMED"
        count = 1
        while name in names:
            count += 1
            name = f"{stem}_{count}"
        names.append(name)
    return names


def comment_text(text: str) -> str:
    """Return text safe in a C comment: code points replace what could end or continue it.

    That concerns the star, the backslash, and the question mark, which begins trigraphs.
    """
    return "".join(c if re.fullmatch(r"[ -~]", c) and c not in "*\\?" else f"<U+{ord(c):04X}>" for c in text)

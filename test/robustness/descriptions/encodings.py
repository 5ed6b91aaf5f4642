"""Text of a description as bytes that declare one encoding and have another."""

from collections.abc import Callable
from random import Random

__all__ = ["ENCODINGS"]

_DECLARED = ("utf-8", "UTF-16", "ISO-8859-1", "latin-1", "ascii", "utf-7", "punycode", "idna", "hex", "rot13",
             "zlib", "unicode_escape", "raw_unicode_escape", "utf-8-sig", "utf-32", "cp037", "big5", "x-none",
             "undefined", "mbcs", "base64", "a" * 300)  # fmt: skip
_REAL = (
    "utf-8",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "latin-1",
    "cp1252",
    "utf-8-sig",
    "utf-7",
    "cp037",
)


def _encoded(text: str, random: Random) -> tuple[bytes, str]:
    real = random.choice(_REAL)
    return text.encode(real, "replace"), f"in {real}"


def _declared(text: str, random: Random) -> tuple[bytes, str]:
    declared, real = random.choice(_DECLARED), random.choice(_REAL)
    whole = f'<?xml version="1.0" encoding="{declared}"?>\n{text}'
    return whole.encode(real, "replace"), f"declared {declared[:20]}, in {real}"


def _bytes_changed(text: str, random: Random) -> tuple[bytes, str]:
    content = bytearray(text.encode("utf-8", "replace"))
    for _ in range(random.choice((1, 3, 30))):
        if content:
            content[random.randrange(len(content))] = random.randrange(256)
    return bytes(content), "bytes changed"


def _bytes_cut(text: str, random: Random) -> tuple[bytes, str]:
    content = text.encode(random.choice(_REAL), "replace")
    at = random.randrange(len(content) + 1)
    return content[:at], f"cut off at byte {at}"


ENCODINGS: tuple[Callable[[str, Random], tuple[bytes, str]], ...] = (
    _encoded,
    _declared,
    _bytes_changed,
    _bytes_cut,
)

"""Where a description comes from -> its text, at most 20 MB."""

import codecs
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

from lxml import etree

from ..exceptions import UrdfError
from ..text.files import content_of, is_file, path_of
from ..text.sizes import MAX_BYTES, too_large

__all__ = [
    "Description",
    "Source",
    "line_of",
    "read_source",
    "read_text",
    "text_in",
    "word",
]

#: URDF text, its bytes, the path of a file, or an open file (text or binary).
Source: TypeAlias = "str | bytes | os.PathLike[str] | IO[str] | IO[bytes]"

#: Python's, of which some take very long or give half characters.
_NO_ENCODINGS = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7")
_BEFORE_XML = "\ufeff \t\r\n"


@dataclass(frozen=True)
class Description:
    """The text of a description, and the path of its file; None where it was given as text or bytes."""

    text: str
    path: str | None = None

    @property
    def where(self) -> str:
        """How messages name it."""
        return "the description" if self.path is None else f"'{self.path}'"


def line_of(element: etree._Element) -> int | None:
    """Line of an element in its file."""
    line: Any = element.sourceline
    return None if line is None else int(line)


def text_in(element: etree._Element) -> str:
    """The text that stands in an element, beside the elements in it, without white space around it."""
    parts = [element.text, *(child.tail for child in element)]
    return " ".join(part.strip() for part in parts if part and part.strip())


def word(element: etree._Element) -> str:
    """The element's name as it is written, with its prefix: "drake:joint"."""
    tag = str(element.tag)
    return f"{element.prefix}:{etree.QName(element).localname}" if tag.startswith("{") else tag


def read_text(source: Source) -> str:
    """The description's text: see :func:`read_source`."""
    return read_source(source).text


def read_source(source: Source) -> Description:
    """``source`` itself when it is XML, what it holds when it is an open file, else the file that it names.

    Raises:
        UrdfError: no such file, not text, empty, larger than 20 MB, or nothing that holds a description.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _checked(_decoded(bytes(source), "the description"))
    if isinstance(source, str) and source.lstrip(_BEFORE_XML).startswith("<"):
        return _checked(source)
    if isinstance(source, str) and (not source.strip() or "\n" in source):
        raise UrdfError(
            f"neither URDF text (it would start with '<') nor the path of a file: '{source.strip()[:40]}'",
            unreadable=True,
        )
    if isinstance(source, (str, os.PathLike)):
        return _from_file(path_of(source))
    if hasattr(source, "read"):
        return _from_open_file(source)
    raise UrdfError(
        f"an object of type {type(source).__name__} is no source of a URDF; its text, its bytes, the path of "
        "a file or an open file is needed",
        unreadable=True,
    )


def _from_file(path: Path) -> Description:
    content = content_of(path, "URDF file", MAX_BYTES, UrdfError)
    return Description(_decoded(content, f"'{path}'"), str(path))


def _from_open_file(file: IO[str] | IO[bytes]) -> Description:
    name = getattr(file, "name", None)
    path = name if isinstance(name, str) and is_file(Path(name)) else None
    where = "the description" if path is None else f"'{path}'"
    try:
        content: Any = file.read(MAX_BYTES + 1)
    except (OSError, ValueError, TypeError) as error:  # closed, written only, not text, or no file's read
        raise UrdfError(f"{where} cannot be read: {error}", unreadable=True) from None
    if not isinstance(content, str | bytes | bytearray):
        given = type(content).__name__
        text = f"{where} cannot be read: reading it gives {given}, not text or bytes"
        raise UrdfError(text, unreadable=True)
    return _checked(content if isinstance(content, str) else _decoded(bytes(content), where), path)


def _decoded(content: bytes, where: str) -> str:
    declared = re.match(rb"""\s*<\?xml[^>]*encoding=["']([A-Za-z0-9._-]{1,40})["']""", content)
    encoding = declared.group(1).decode() if declared else "utf-8"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        if codecs.lookup(encoding).name in _NO_ENCODINGS:
            raise LookupError("XML has no such encoding")
        return content.decode(encoding).lstrip("\ufeff")
    except (ValueError, LookupError) as error:
        raise UrdfError(f"{where} is not text in encoding {encoding}: {error}") from None


def _checked(text: str, path: str | None = None) -> Description:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise UrdfError(f"the description is not text: {error}") from None
    if size > MAX_BYTES:
        raise UrdfError(too_large("the description", size, MAX_BYTES, "bytes or more"))
    if not text.lstrip(_BEFORE_XML).startswith("<"):
        raise UrdfError(f"not XML (it would start with '<'): '{text.strip()[:40]}'")
    return Description(text, path)

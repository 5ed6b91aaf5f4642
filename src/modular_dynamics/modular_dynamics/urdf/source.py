"""Robot description -> XML tree, parsed once and safely: no entities, no DTD, no network, at most 20 MB."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

from lxml import etree

from ..exceptions import UrdfError

__all__ = ["MAX_BYTES", "Description", "Source", "line_of", "parse_xml", "read_source", "read_text"]

#: URDF text, its bytes, the path of a file, or an open file (text or binary).
Source: TypeAlias = "str | bytes | os.PathLike[str] | IO[str] | IO[bytes]"

#: Size of the largest accepted description.
MAX_BYTES = 20_000_000
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
#: Before the root element only comments are allowed; a DTD is rejected before any parser sees it.
_DTD = re.compile(r"\A(?:\s|<!--.*?-->|<\?.*?\?>)*(?P<dtd><!(?:DOCTYPE|ENTITY))?", re.DOTALL)
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
            f"neither URDF text (it would start with '<') nor the path of a file: '{source.strip()[:40]}'"
        )
    if isinstance(source, (str, os.PathLike)):
        return _from_file(Path(source).expanduser())
    if hasattr(source, "read"):
        return _from_open_file(source)
    raise UrdfError(
        f"an object of type {type(source).__name__} is no source of a URDF; its text, its bytes, the path of "
        "a file or an open file is needed"
    )


def _from_file(path: Path) -> Description:
    if not path.is_file():
        raise UrdfError(f"no URDF file at '{path}'")
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise UrdfError(f"'{path}' has {size} bytes; at most {MAX_BYTES} are accepted")
    return Description(_decoded(path.read_bytes(), f"'{path}'"), str(path))


def _from_open_file(file: IO[str] | IO[bytes]) -> Description:
    name = getattr(file, "name", None)
    path = name if isinstance(name, str) and Path(name).is_file() else None
    where = "the description" if path is None else f"'{path}'"
    try:
        content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # closed, written only, or not text in its encoding
        raise UrdfError(f"{where} cannot be read: {error}") from None
    return _checked(content if isinstance(content, str) else _decoded(content, where), path)


def _decoded(content: bytes, where: str) -> str:
    declared = re.match(rb"""\s*<\?xml[^>]*encoding=["']([\w.-]+)""", content)
    encoding = declared.group(1).decode() if declared else "utf-8-sig"
    try:
        return content.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise UrdfError(f"{where} is not text in encoding {encoding}: {error}") from None


def _checked(text: str, path: str | None = None) -> Description:
    size = len(text.encode())
    if size > MAX_BYTES:
        raise UrdfError(f"the description has {size} bytes or more; at most {MAX_BYTES} are accepted")
    if not text.lstrip(_BEFORE_XML).startswith("<"):
        raise UrdfError(f"not XML (it would start with '<'): '{text.strip()[:40]}'")
    return Description(text, path)


def parse_xml(text: str) -> etree._Element:
    """The root element of a description.

    Prefixes that no xmlns attribute declares stay part of the names of their elements ("prefix:name").

    Raises:
        UrdfError: malformed XML (with the line), a DTD or entity, or a root element other than <robot>.
    """
    # the text is decoded already, so an encoding declaration must not apply; the line count is kept
    body = _DECLARATION.sub(lambda declaration: "\n" * declaration.group().count("\n"), text.lstrip("\ufeff"))
    body = body if body.startswith("\n") else body.lstrip(" \t\r")
    declared = _DTD.search(body)
    if declared and declared.group("dtd"):
        line = body.count("\n", 0, declared.start("dtd")) + 1
        raise UrdfError("a DTD (<!DOCTYPE ...>) or entity is not allowed; write the values out", line)
    parser = _parser()
    try:
        root = etree.fromstring(body.encode(), parser)
    except etree.XMLSyntaxError as error:
        if not _lacks_declared_prefixes_only(parser.error_log):
            line = error.position[0] if error.position else None
            raise UrdfError(f"malformed XML: {error.msg}", line) from None
        root = _with_undeclared_prefixes(body)
    if root.tag != "robot":
        hints = {"mujoco": " (MJCF: load it with load_mjcf)", "sdf": " (SDF is not read)"}
        hint = hints.get(str(root.tag), "")
        raise UrdfError(f"the root element is <{root.tag}>, not <robot>{hint}", line_of(root))
    return root


def _parser(recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


def _lacks_declared_prefixes_only(log: Any) -> bool:
    return len(log) > 0 and all(entry.type_name == "NS_ERR_UNDEFINED_NAMESPACE" for entry in log)


def _with_undeclared_prefixes(body: str) -> etree._Element:
    """The parser that continues after errors, allowed to continue after this one alone."""
    parser = _parser(recover=True)
    root = etree.fromstring(body.encode(), parser)
    if not _lacks_declared_prefixes_only(parser.error_log):
        raise UrdfError(f"malformed XML: {parser.error_log.last_error.message}")
    return root

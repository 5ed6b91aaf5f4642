"""Robot description -> XML tree, parsed once and safely: no entities, no DTD, no network, at most 20 MB."""

import re
from pathlib import Path
from typing import Any

from lxml import etree

from ..exceptions import UrdfError

__all__ = ["MAX_BYTES", "line_of", "parse_xml", "read_text"]

#: Size of the largest accepted description.
MAX_BYTES = 20_000_000
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
#: Before the root element only comments are allowed; a DTD is rejected before any parser sees it.
_DTD = re.compile(r"\A(?:\s|<!--.*?-->|<\?.*?\?>)*(?P<dtd><!(?:DOCTYPE|ENTITY))?", re.DOTALL)


def line_of(element: etree._Element) -> int | None:
    """Line of an element in its file."""
    line: Any = element.sourceline
    return None if line is None else int(line)


def read_text(source: str | Path) -> str:
    """The description's text: ``source`` itself when it is XML, else the content of the file it names.

    Raises:
        UrdfError: no such file, not text, empty, or larger than 20 MB.
    """
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        return _checked_size(source, len(source.encode()))
    if isinstance(source, str) and (not source.strip() or "\n" in source):
        shown = source.strip()[:40]
        raise UrdfError(f"neither URDF text (it would start with '<') nor the path of a file: '{shown}'")
    path = Path(source).expanduser()
    if not path.is_file():
        raise UrdfError(f"no URDF file at '{path}'")
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise UrdfError(f"'{path}' has {size} bytes; at most {MAX_BYTES} are accepted")
    content = path.read_bytes()
    declared = re.match(rb"""\s*<\?xml[^>]*encoding=["']([\w.-]+)""", content)
    encoding = declared.group(1).decode() if declared else "utf-8-sig"
    try:
        return _checked_size(content.decode(encoding), size)
    except (UnicodeDecodeError, LookupError) as error:
        raise UrdfError(f"'{path}' is not text in encoding {encoding}: {error}") from None


def _checked_size(text: str, size: int) -> str:
    if size > MAX_BYTES:
        raise UrdfError(f"the description has {size} bytes; at most {MAX_BYTES} are accepted")
    return text


def parse_xml(text: str) -> etree._Element:
    """The root element of a description.

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
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(body.encode(), parser)
    except etree.XMLSyntaxError as error:
        line = error.position[0] if error.position else None
        raise UrdfError(f"malformed XML: {error.msg}", line) from None
    if root.tag != "robot":
        hints = {"mujoco": " (MJCF: load it with load_mjcf)", "sdf": " (SDF is not read)"}
        hint = hints.get(str(root.tag), "")
        raise UrdfError(f"the root element is <{root.tag}>, not <robot>{hint}", line_of(root))
    return root

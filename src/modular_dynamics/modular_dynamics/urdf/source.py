"""Text, bytes or file of a description -> its text, at most 20 MB -> XML tree."""

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from lxml import etree

from ..exceptions import DescriptionError, UrdfError
from ..model import Finding
from ..text.files import content_of, path_of
from ..text.numbers import decimals
from ..text.sizes import MAX_ATTRIBUTES, MAX_BYTES, shown, too_large

#: URDF text, its bytes, or the path of a file.
Source: TypeAlias = "str | bytes | os.PathLike[str]"

#: Encodings of Python that are rejected: some take very long, or give unpaired surrogates.
_NO_ENCODINGS = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7")
_BEFORE_XML = "\ufeff \t\r\n"


@dataclass(frozen=True)
class Description:
    """The text of a description, and the path of its file; None if it was given as text or bytes."""

    text: str
    path: str | None = None

    @property
    def where(self) -> str:
        """Name of the description in messages."""
        return "the description" if self.path is None else f"'{self.path}'"


def line_of(element: etree._Element) -> int | None:
    """Return the line of an element in its file; None if not known."""
    line: Any = element.sourceline
    return None if line is None else int(line)


def text_in(element: etree._Element) -> str:
    """Return the text directly in an element, without that of its children and without outer white space."""
    parts = [element.text, *(child.tail for child in element)]
    return " ".join(part.strip() for part in parts if part and part.strip())


def numbers_in(text: str) -> list[float]:
    """Return the numbers in a text, separated by white space; an empty list if any part is not a number."""
    try:
        return decimals(text)
    except ValueError:
        return []


def word(element: etree._Element) -> str:
    """Return an element's name as written, with its prefix: "drake:joint"."""
    tag = str(element.tag)
    return f"{element.prefix}:{etree.QName(element).localname}" if tag.startswith("{") else tag


def children(element: etree._Element, *words: str) -> Iterator[etree._Element]:
    """Yield the child elements with one of these names; all if no name is given."""
    # lxml looks for names much faster than Python; a prefix that is not declared is a part of the name
    names = [name for one in words for name in (one, f"{{*}}{one.rpartition(':')[2]}")]
    if not words:
        yield from element.iterchildren(etree.Element)
    else:
        yield from (child for child in element.iterchildren(*names) if word(child) in words)


def content(element: etree._Element | None, key: str = "value") -> str:
    """Return the value of an element: the attribute ``key``, or else its text; empty for None."""
    if element is None:
        return ""
    return (element.get(key) or element.text or "").strip()


def read_source(source: Source, kind: str = "URDF", error: type[DescriptionError] = UrdfError) -> Description:
    """Return the description in ``source``: XML text or bytes, or the path of a file.

    Args:
        kind: of description, for messages. error: what is raised.

    Raises:
        DescriptionError: no such file, not text, empty, larger than 20 MB, or an object of another type.
    """
    if isinstance(source, str) and not source.lstrip(_BEFORE_XML).startswith("<"):
        if not source.strip() or "\n" in source:
            text = f"neither {kind} text (it would start with '<') nor the path of a file: "
            raise error(f"{text}'{source.strip()[:40]}'", unreadable=True)
        source = Path(source)
    content: Any = source
    path = None
    if isinstance(source, os.PathLike):
        path = str(path_of(source))
        content = content_of(Path(path), f"{kind} file", MAX_BYTES, error)
    elif not isinstance(content, str | bytes | bytearray | memoryview):
        given = f"an object of type {type(source).__name__} is no source of {kind}"
        raise error(f"{given}; its text, its bytes or the path of a file is needed", unreadable=True)
    where = Description("", path).where
    text = content if isinstance(content, str) else _decoded(bytes(content), where, error)
    try:
        size = len(text.encode())
    except UnicodeEncodeError as failure:
        raise error(f"the description is not text: {failure}") from None
    if size > MAX_BYTES:
        raise error(too_large("the description", size, MAX_BYTES, "bytes or more"))
    if not text.lstrip(_BEFORE_XML).startswith("<"):
        in_file = "" if path is None else f"{where}: "
        raise error(f"{in_file}not XML (it would start with '<'): '{text.strip()[:40]}'")
    return Description(text, path)


def _decoded(content: bytes, where: str, error: type[DescriptionError]) -> str:
    """Return bytes as text, in the encoding of the byte order mark or the XML declaration, else UTF-8."""
    declared = re.match(rb"""\s*<\?xml[^>]*encoding=["']([A-Za-z0-9._-]{1,40})["']""", content)
    encoding = declared.group(1).decode() if declared else "utf-8"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        if codecs.lookup(encoding).name in _NO_ENCODINGS:
            raise LookupError("XML has no such encoding")
        return content.decode(encoding).lstrip("\ufeff")
    except (ValueError, LookupError) as failure:
        raise error(f"{where} is not text in encoding {encoding}: {failure}") from None


# Text of a description -> XML tree, parsed safely: no entities, no DTD, no network.
#
# Two violations of XML that other readers of URDF accept are accepted with a finding: undeclared prefixes,
# and "--" in comments.

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
#: Beginnings and ends of comments, and of sections in which the marks of comments are plain text.
_ENDS = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"}
_START = re.compile(r"<!--|<\?|<!\[CDATA\[")
#: White space, comments and processing instructions, which may precede the root element.
_PROLOG = re.compile(r"\s+|<!--.*?-->|<\?.*?\?>", re.DOTALL)
#: Line and column at the end of the parser's messages; our errors have a line of their own.
_POSITION = re.compile(r",? line \d+, column \d+$")
#: Limits of libxml2, for messages.
_LIMITS = (
    "elements may be 256 deep in each other, and a text, comment, attribute or white space 10,000,000 "
    "characters long"
)
#: Errors of libxml2 that are accepted.
_UNDECLARED, _HYPHENS = "NS_ERR_UNDEFINED_NAMESPACE", "ERR_HYPHEN_IN_COMMENT"


def parse_xml(text: str) -> tuple[etree._Element, tuple[Finding, ...]]:
    """Return the root element of a description, and findings on accepted errors of its XML.

    Prefixes that no xmlns attribute declares stay part of the element's name ("prefix:name"). A default
    namespace (xmlns without a prefix) is removed: names without a prefix are URDF's.

    Raises:
        UrdfError: malformed XML (with the line), a DTD or entity, an element with more attributes than are
            accepted, or a root element other than <robot>.
    """
    # the text is decoded already, so an encoding declaration must not apply; the line count is kept
    body = _DECLARATION.sub(lambda declaration: "\n" * declaration.group().count("\n"), text.lstrip("\ufeff"))
    body = body if body.startswith("\n") else body.lstrip(" \t\r")
    at = 0
    while found := _PROLOG.match(body, at):
        at = found.end()
    if body.startswith(("<!DOCTYPE", "<!ENTITY"), at):  # rejected before any parser sees it
        line = body.count("\n", 0, at) + 1
        raise UrdfError("a DTD (<!DOCTYPE ...>) or entity is not allowed; write the values out", line)
    root, findings = _parsed(body)
    for element in root.iter(etree.Element):
        if (count := len(element.attrib)) > MAX_ATTRIBUTES:
            what = f"the element {shown(element.tag)}"
            raise UrdfError(too_large(what, count, MAX_ATTRIBUTES, "attributes"), line_of(element))
        if not element.prefix and str(element.tag).startswith("{"):
            element.tag = etree.QName(element).localname
    if root.tag != "robot":
        hints = {"mujoco": " (MJCF: load it with load_mjcf)", "sdf": " (SDF is not read)"}
        hint = hints.get(str(root.tag), "")
        raise UrdfError(f"the root element is <{root.tag}>, not <robot>{hint}", line_of(root))
    return root, findings


def _parsed(body: str) -> tuple[etree._Element, tuple[Finding, ...]]:
    """Return root element and findings. Raises UrdfError: an error of XML that is not accepted."""
    parser = _parser()
    try:
        return etree.fromstring(body.encode(), parser), ()
    except etree.XMLSyntaxError as error:
        kinds = {entry.type_name for entry in parser.error_log}
        without, findings = _without_hyphens(body) if _HYPHENS in kinds else (body, [])
        if findings:
            return _parsed(without)[0], tuple(findings)
        if kinds != {_UNDECLARED}:
            raise _malformed(parser.error_log, error) from None
    # this parser continues after any error; only undeclared prefixes are accepted
    parser = _parser(recover=True)
    root = etree.fromstring(body.encode(), parser)
    if {entry.type_name for entry in parser.error_log} != {_UNDECLARED}:
        raise _malformed(parser.error_log, parser.error_log.last_error)
    return root, ()


def _without_hyphens(body: str) -> tuple[str, list[Finding]]:
    """Return the text without comments that contain "--", line numbers unchanged; and a finding for each."""
    kept, findings, at, line = list[str](), list[Finding](), 0, 1
    while start := _START.search(body, at):
        close = _ENDS[start.group()]
        if (end := body.find(close, start.end())) < 0:
            break
        text, after = body[start.end() : end], end + len(close)
        line += body.count("\n", at, start.start())
        kept += [body[at : start.start()], body[start.start() : after]]
        if start.group() == "<!--" and ("--" in text or text.endswith("-")):
            kept[-1] = "\n" * text.count("\n")
            what = "a comment has '--' in it, which XML forbids"
            assumed = "; it is left out, as all comments are"
            findings.append(Finding("hyphens in a comment", "comment", f"line {line}", what, line, assumed))
        line, at = line + text.count("\n"), after
    return "".join([*kept, body[at:]]), findings


def _parser(recover: bool = False) -> etree.XMLParser:
    """Return an XML parser that loads no entities, DTDs or network files, within libxml2's limits."""
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


def _malformed(log: Iterable[Any], error: Any) -> UrdfError:
    """Return the error to raise: the first one of the log that is not an undeclared prefix."""
    first = next((entry for entry in log if entry.type_name != _UNDECLARED), None)
    if first is None:
        return UrdfError(f"malformed XML: {error}")
    if "XML_PARSE_HUGE" in first.message:  # libxml2's option, which is not used: it lifts these limits
        return UrdfError(f"too large: {_LIMITS}", first.line)
    return UrdfError(f"malformed XML: {_POSITION.sub('', ' '.join(first.message.split()))}", first.line)

"""Descriptions in xacro -> plain URDF, by the package xacro. Xacro that is left unexpanded is an error."""

from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any, NamedTuple

from lxml import etree

from ..exceptions import UrdfError, XacroError
from ..model import Finding
from ..optional_packages import needed
from ..text.element import nearest
from .source import Description, Source, line_of, parse_xml, read_source

#: Values for the <xacro:arg> elements of a xacro file, by name.
Mappings = Mapping[str, object] | None

_NAMESPACES = ("http://www.ros.org/wiki/xacro", "http://ros.org/wiki/xacro", "http://wiki.ros.org/xacro")
#: Elements of xacro without a prefix, as before ROS Jade; today's xacro does not expand them.
_OLD_ELEMENTS = ("include", "macro", "property")
_EXPRESSIONS = ("${", "$(")
_lock = Lock()  # xacro keeps its state in its module


class PlainUrdf(NamedTuple):
    """Text and root element of a plain URDF.

    Attributes:
        where: beginning of messages about it, which names the file; empty for text.
        expanded: whether the text is xacro's output, so that its lines are not those of the file.
        findings: on its XML, such as comments with hyphens; and on unused xacro arguments.
    """

    text: str
    root: etree._Element
    where: str = ""
    expanded: bool = False
    findings: tuple[Finding, ...] = ()


class _Arguments(dict[str, str]):
    """Arguments of a xacro file, as text; ``asked`` collects the names that xacro looks up."""

    def __init__(self, mappings: Mapping[str, object]) -> None:
        super().__init__({name: str(value) for name, value in mappings.items()})
        self.asked: set[object] = set()

    def __contains__(self, name: object) -> bool:
        self.asked.add(name)
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return super().__getitem__(name)


def plain_urdf(source: Source, mappings: Mappings = None) -> str:
    """Return a description as plain URDF text, xacro expanded. Arguments and errors as of ``load_urdf``."""
    return read_plain(source, mappings).text


def read_plain(source: Source, mappings: Mappings = None) -> PlainUrdf:
    """Return a description as plain URDF, expanded if it is a xacro file.

    Text is expanded only with ``mappings``: expanding reads other files and evaluates expressions, which must
    not happen to a text that came over a network.

    Raises:
        UrdfError: not a description, or mappings without xacro.
        XacroError: xacro in a text without mappings, or that cannot be expanded.
        MissingDependencyError: the xacro package cannot be imported.
    """
    named = isinstance(mappings, Mapping) and all(isinstance(name, str) for name in mappings)
    if mappings is not None and not named:
        raise UrdfError(f"mappings are {mappings!r}; a mapping is needed: {{'argument': value}}")
    description = read_source(source)
    where = "" if description.path is None else f"{description.where}: "
    root, findings = _parsed(description.text, where)
    found = next(_xacro_in(root), None)
    if found is None:
        if mappings:
            given = ", ".join(mappings)
            text = f"xacro arguments are given ({given}), but {description.where} has no xacro elements"
            raise UrdfError(text, unreadable=True)
        return PlainUrdf(description.text, root, where, findings=findings)
    what, line = found
    if description.path is None and mappings is None:
        advice = "Give the path of the file, or the text that the xacro program makes of it"
        raise XacroError(f"{what} is xacro, not URDF. {advice}", line)
    first = what if line is None else f"{what} in line {line}"
    arguments = _Arguments(mappings or {})
    text = read_source(_expanded(description, arguments, first)).text
    where = f"in the URDF that xacro made of {description.where}: "
    expanded, findings = _parsed(text, where)
    if expanded.find("link") is None:
        raise XacroError(f"{description.where} has no links: load the xacro file that uses its macros")
    for left, line in _xacro_in(expanded):
        raise XacroError(f"{left} is left after xacro has expanded {description.where}", line)
    findings += tuple(_unused(mappings or {}, arguments.asked))
    return PlainUrdf(text, expanded, where, True, findings)


def _parsed(text: str, where: str) -> tuple[etree._Element, tuple[Finding, ...]]:
    """Return root element and findings as :func:`.parse_xml`, whose errors then begin with ``where``."""
    try:
        return parse_xml(text)
    except UrdfError as error:
        raise error.located(where, error.line) from None


def _unused(mappings: Mapping[str, object], asked: set[object]) -> Iterator[Finding]:
    """Yield a finding for each argument that neither the file nor an included one declares or uses."""
    known = sorted(str(name) for name in asked if name not in mappings)
    for name in mappings:
        if name not in asked:
            text = f"the xacro file does not ask for the argument '{name}'"
            yield Finding(
                "unused argument", "argument", name, text, None, "; it is ignored", nearest(name, known)
            )


def _xacro_in(root: etree._Element) -> Iterator[tuple[str, int | None]]:
    """Yield name and line of unexpanded xacro: elements anywhere, expressions in elements that are read."""
    for element in root.iter(etree.Element):
        namespace, _, name = str(element.tag).lstrip("{").rpartition("}")
        if namespace in _NAMESPACES:
            yield f"<xacro:{name}>", line_of(element)
        elif name.startswith("xacro:"):  # the prefix is not declared
            yield f"<{name}>", line_of(element)
        elif name in _OLD_ELEMENTS and element.getparent() is root:
            yield f"<{name}> without the prefix, <xacro:{name}>,", line_of(element)
    for element in _elements_read(root):
        for key, value in element.attrib.items():
            if any(mark in str(value) for mark in _EXPRESSIONS):
                yield f"{key!s}='{value!s}' of <{element.tag}>", line_of(element)


def _elements_read(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements that the library reads.

    Others, such as plugin parameters and mesh file names, may contain expressions for other tools.
    """
    yield root
    for link in root.findall("link"):
        yield link
        for inertial in link.findall("inertial"):
            yield from inertial.iter(etree.Element)
    for tag in ("joint", "modular_dynamics"):
        for element in root.findall(tag):
            yield from element.iter(etree.Element)


def _expanded(description: Description, arguments: _Arguments, first: str) -> str:
    """Return xacro's output. Raises XacroError: xacro fails; names ``first``, the first xacro of the file."""
    with needed(f"expanding the xacro of {description.where}", "the package xacro", "xacro"):
        import xacro  # noqa: PLC0415 - an optional package
    with _lock:
        try:
            xacro.init_stacks(description.path)
            document = xacro.parse(description.text.lstrip("\ufeff \t\r\n"), description.path)
            xacro.process_doc(document, mappings=arguments)
        except Exception as error:  # of xacro, of the XML parser, or of an expression in the file
            where = _failed_file(xacro, description)
            reason = " ".join(str(error).split()) or type(error).__name__
            raise XacroError(f"xacro cannot expand {where}: {reason} (its first xacro: {first})") from error
        text: str = document.toprettyxml(indent="  ")
    return text


def _failed_file(xacro: Any, description: Description) -> str:
    """Return the file in which xacro stopped, for messages."""
    files = [file for file in xacro.filestack or [] if file]
    included = f" (in '{files[-1]}')" if files and files[-1] != description.path else ""
    return f"{description.where}{included}"

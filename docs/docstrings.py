"""Docstrings as autodoc and napoleon read them: an entry per line, links, only what users read."""

import contextlib
import inspect
import re
from collections.abc import Iterator

from sphinx.application import Sphinx

import modular_dynamics

#: Names that are links between double backticks, which a docstring has for its reader.
LINKED = {*modular_dynamics.__all__}
SHAPE = re.compile(r"^( +(?:\w+|\w+(?:, \w+)+)) (\((?:\w+(?: \w+)?, ?)*[^()]*\)): ")
ENTRY = re.compile(r"[.;:] (\w+(?:, \w+)*)(?= ?(?:\([^()]*\))?: )")


def as_google_style(
    _app: object, what: str, _name: str, obj: object, _options: object, lines: list[str]
) -> None:
    """Write sections of a docstring as napoleon reads them: an entry per line, shapes after the colon.

    Names of the library between double backticks and pages become links, and | is no markup.
    """
    known = {*getattr(obj, "__annotations__", {}), *dir(obj)} | set(LINKED)
    if callable(obj):
        with contextlib.suppress(TypeError, ValueError):
            known |= {*inspect.signature(obj).parameters}
    if what in ("attribute", "data", "property"):  # napoleon takes what is before a colon as the type
        lines[0] = lines[0].replace(": ", " – ", 1)
    made: list[str] = []
    indent, is_attributes = None, False  # of the entries of a section
    for line in lines:
        margin = len(line) - len(line.lstrip())
        if re.match(r" *(Args|Attributes|Raises):$", line):
            indent, is_attributes = margin + 4, "Attributes" in line
            made.append(line)
        elif indent is None or (line.strip() and margin < indent):
            indent = None
            made.append(line)
        else:
            made += (_as_entry(one, is_attributes) for one in _entries(line, indent, known))
    lines[:] = map(_with_links, made)


def _entries(line: str, indent: int, known: set[str]) -> Iterator[str]:
    """Yield what a line of a section has of each entry."""
    while found := next((one for one in ENTRY.finditer(line) if {*one[1].split(", ")} <= known), None):
        yield line[: found.start() + 1]
        line = indent * " " + line[found.start() + 2 :]
    yield line


def _as_entry(line: str, is_attribute: bool) -> str:
    """Return an entry with its shape after the colon; napoleon would take the last name as a type."""
    line = SHAPE.sub(r"\1: \2 ", line)
    names = re.match(r" +\w+(, \w+)+:", line) if is_attribute else None
    return names[0].replace(", ", ",\u200b") + line[names.end() :] if names else line


def _with_links(line: str) -> str:
    line = re.sub(r"``(\w+)``", lambda found: f"`{found[1]}`" if found[1] in LINKED else found[0], line)
    line = re.sub(r"\bdocs/([\w/]+)\.md", r":doc:`/\1`", line)
    return re.sub(r"(?<!\\)\|", r"\\|", line)


def without_signature(
    _app: object, what: str, _name: str, _obj: object, _options: object, signature: str, _returns: object
) -> tuple[str, str] | None:
    """Leave out the signature of what a page names as Class(): users read such objects and make none."""
    return ("", "") if what in ("class", "exception") and signature == "()" else None


def skips_fields(
    _app: object, _what: str, _name: str, obj: object, skip: bool, _options: object
) -> bool | None:
    """Leave out fields of tuples and slots, which the class docstring describes."""
    return True if type(obj).__name__ in ("member_descriptor", "_tuplegetter") else None


def connect(app: Sphinx) -> None:
    """Let autodoc call the functions above."""
    app.connect("autodoc-process-docstring", as_google_style, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", skips_fields)
    app.connect("autodoc-process-signature", without_signature)

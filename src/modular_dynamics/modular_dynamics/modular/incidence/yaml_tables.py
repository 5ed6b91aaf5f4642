"""Incidence matrices as YAML: modules with their kinds, and docks with the faces of two modules."""

import re
from collections.abc import Iterable

import numpy as np
import yaml

from ...exceptions import AssemblyError
from .table import Table

__all__ = ["table_of_yaml", "yaml_of"]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: What YAML reads as text without quotes: not numbers, and none of the words below.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")

_Entries = dict[str, yaml.Node]


def yaml_of(table: Table) -> str:
    """The matrix with one line for each module and one for each docking."""
    matrix = np.asarray(table.matrix)
    modules = [_quoted(name) for name in table.modules]
    lines = [f"base: {_quoted(table.base)}", "modules:  # name: kind"]
    lines += [f"  {name}: {_quoted(kind)}" for name, kind in zip(modules, table.kinds, strict=True)]
    lines.append(
        "docks:  # faces of two modules; type: of the dyad; turn: quarter turns"
        if table.docks
        else "docks: {}"
    )
    for k, dock in enumerate(table.docks):
        rows = matrix[:, k].nonzero()[0]
        entries = [f"faces: {{{', '.join(f'{modules[row]}: {matrix[row, k]}' for row in rows)}}}"]
        if table.docking_types is not None:
            entries.append(f"type: {_quoted(table.docking_types[k])}")
        if table.turns[k]:
            entries.append(f"turn: {table.turns[k]}")
        lines.append(f"  {_quoted(dock)}: {{{', '.join(entries)}}}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """The text, in quotes where YAML would not read it as text."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    quoted: str = yaml.safe_dump(text, default_style='"', width=1 << 30)
    return quoted.strip()


def table_of_yaml(text: str) -> Table:
    """The table in a text. Raises AssemblyError: names the line."""
    try:
        root = yaml.compose(text, _LOADER)
    except (yaml.YAMLError, RecursionError) as error:
        raise AssemblyError(f"this is no YAML: {error}") from None
    if root is None:
        raise AssemblyError("the file is empty; base, modules and docks are needed")
    entries = _mapping(root, "the file", ("base", "modules", "docks"))
    if "modules" not in entries:
        raise AssemblyError("the file has no modules; names with their kinds are needed")
    modules = _mapping(entries["modules"], "modules")
    docks = _mapping(entries["docks"], "docks") if "docks" in entries else {}
    row = {name: k for k, name in enumerate(modules)}
    matrix = np.zeros((len(modules), len(docks)), np.int64)
    types: list[str] = []
    turns: list[int] = []
    for column, (dock, node) in enumerate(docks.items()):
        own = _mapping(node, f"dock '{dock}'", ("faces", "type", "turn"))
        if "faces" not in own:
            raise AssemblyError(f"{_line(node)}: dock '{dock}' has no faces; those of two modules are needed")
        for module, face in _mapping(own["faces"], f"the faces of dock '{dock}'").items():
            if module not in row:
                raise AssemblyError(
                    f"{_line(face)}: dock '{dock}' names module '{module}'; the modules: {', '.join(row)}"
                )
            matrix[row[module], column] = _whole(face, f"the face of module '{module}' at dock '{dock}'")
        if "type" in own:
            types.append(_text(own["type"], f"the type of dock '{dock}'"))
        if len(types) not in (0, column + 1):
            raise AssemblyError(f"{_line(node)}: docks with and without a type; all or none are needed")
        turns.append(_whole(own["turn"], f"the turn of dock '{dock}'") if "turn" in own else 0)
    kinds = [_text(kind, f"the kind of module '{name}'") for name, kind in modules.items()]
    base = _text(entries["base"], "the base") if "base" in entries else ""
    return Table(matrix, kinds, list(modules), types or None, tuple(turns), list(docks), base)


def _line(node: yaml.Node) -> str:
    return f"line {node.start_mark.line + 1}"


def _mapping(node: yaml.Node, what: str, keys: Iterable[str] = ()) -> _Entries:
    """The values by key; every key is text, comes once, and is one of ``keys`` if there are some."""
    if not isinstance(node, yaml.MappingNode):
        raise AssemblyError(f"{_line(node)}: {what} is no mapping")
    entries: _Entries = {}
    for key, value in node.value:
        name = _text(key, f"a name in {what}")
        if name in entries:
            raise AssemblyError(f"{_line(key)}: '{name}' comes twice in {what}")
        if keys and name not in keys:
            raise AssemblyError(f"{_line(key)}: '{name}' in {what} is unknown; known: {', '.join(keys)}")
        entries[name] = value
    return entries


def _text(node: yaml.Node, what: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise AssemblyError(f"{_line(node)}: {what} is no text")
    if node.tag != "tag:yaml.org,2002:str":
        raise AssemblyError(f"{_line(node)}: {what} is {node.value}, which is no text; write it in quotes")
    return str(node.value)


def _whole(node: yaml.Node, what: str) -> int:
    is_int = isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:int"
    if not is_int or not _WHOLE.fullmatch(node.value):
        shown = repr(node.value) if isinstance(node, yaml.ScalarNode) else "a list or mapping"
        raise AssemblyError(f"{_line(node)}: {what} is {shown}; a whole number is needed")
    return int(node.value)

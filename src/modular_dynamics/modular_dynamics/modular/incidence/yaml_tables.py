"""Incidence matrices as YAML: modules with their kinds, and docks with the faces of two modules."""

import re
from collections.abc import Iterable, Mapping

import numpy as np
import yaml

from ...exceptions import DescriptionError
from ..names import listed, shown
from .checks import require_size
from .table import Table

__all__ = ["table_of_yaml", "yaml_of"]

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
    """The table in a text. Raises DescriptionError: names the line."""
    entries = _mapping(_root(text), "the file", ("base", "modules", "docks"))
    if "modules" not in entries:
        raise DescriptionError("the file has no modules; names with their kinds are needed")
    modules = _mapping(entries["modules"], "modules")
    docks = _mapping(entries["docks"], "docks") if "docks" in entries else {}
    require_size(len(modules), len(docks))
    row = {name: k for k, name in enumerate(modules)}
    matrix = np.zeros((len(modules), len(docks)), np.int64)
    types: list[str] = []
    turns: list[int] = []
    for column, (dock, node) in enumerate(docks.items()):
        own = _mapping(node, f"dock '{dock}'", ("faces", "type", "turn"))
        for module, face in _faces(dock, node, own, row).items():
            matrix[row[module], column] = face
        if "type" in own:
            types.append(_text(own["type"], f"the type of dock '{dock}'"))
        if len(types) not in (0, column + 1):
            raise DescriptionError("docks with and without a type; all or none are needed", _line(node))
        turns.append(_whole(own["turn"], f"the turn of dock '{dock}'") if "turn" in own else 0)
    kinds = [_text(kind, f"the kind of module '{name}'") for name, kind in modules.items()]
    base = _text(entries["base"], "the base") if "base" in entries else ""
    return Table(matrix, kinds, list(modules), types or None, tuple(turns), list(docks), base)


def _root(text: str) -> yaml.Node:
    try:
        root = yaml.compose(text, yaml.SafeLoader)  # the loader in C crashes where lists are nested deeply
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        raise DescriptionError(f"this is no YAML: {error.problem}", line) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise DescriptionError(f"this is no YAML: {error}") from None
    if root is None:
        raise DescriptionError("the file is empty; base, modules and docks are needed")
    return root


def _faces(dock: str, node: yaml.Node, own: _Entries, row: Mapping[str, int]) -> dict[str, int]:
    """Face numbers by module; whether there are two is checked with the matrix."""
    if "faces" not in own:
        raise DescriptionError(f"dock '{dock}' has no faces; those of two modules are needed", _line(node))
    faces = _mapping(own["faces"], f"the faces of dock '{dock}'")
    for module, face in faces.items():
        if module not in row:
            raise DescriptionError(
                f"dock '{dock}' names module {shown(module)}; the modules: {listed(row)}", _line(face)
            )
    return {
        module: _whole(face, f"the face of module '{module}' at dock '{dock}'")
        for module, face in faces.items()
    }


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _mapping(node: yaml.Node, what: str, keys: Iterable[str] = ()) -> _Entries:
    """The values by key; every key is text, comes once, and is one of ``keys`` if there are some."""
    if not isinstance(node, yaml.MappingNode):
        raise DescriptionError(f"{what} is no mapping", _line(node))
    entries: _Entries = {}
    for key, value in node.value:
        name = _text(key, f"a name in {what}")
        if name in entries:
            raise DescriptionError(f"{shown(name)} comes twice in {what}", _line(key))
        if keys and name not in keys:
            raise DescriptionError(
                f"{shown(name)} in {what} is unknown; known: {', '.join(keys)}", _line(key)
            )
        entries[name] = value
    return entries


def _text(node: yaml.Node, what: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise DescriptionError(f"{what} is no text", _line(node))
    if node.tag != "tag:yaml.org,2002:str":
        raise DescriptionError(
            f"{what} is {node.value:.80}, which is no text; write it in quotes", _line(node)
        )
    return str(node.value)


def _whole(node: yaml.Node, what: str) -> int:
    is_int = isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:int"
    if not is_int or not _WHOLE.fullmatch(node.value):
        given = shown(node.value) if isinstance(node, yaml.ScalarNode) else "a list or mapping"
        raise DescriptionError(f"{what} is {given}; a whole number is needed", _line(node))
    return int(node.value)

"""YAML text as mappings that know their lines. Numbers are those of YAML 1.2, and no key stands twice."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from ..exceptions import DescriptionError
from .sizes import MAX_DEPTH, MAX_YAML_BYTES, MAX_YAML_VALUES, too_large

_Safe = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, if it is installed: five times as fast


class LinedMapping(dict[Any, Any]):
    """A mapping read from YAML; ``line``: where it begins in the file, ``lines``: of its keys."""

    line: int
    lines: dict[Any, int]


class _Loader(_Safe):  # type: ignore[misc, valid-type]
    """A safe YAML loader without YAML 1.1's sexagesimals (1:30), octals (010) and booleans (yes)."""

    def lined_mapping(self, node: yaml.MappingNode) -> Iterator[LinedMapping]:
        """Construct a mapping with its lines. Raises _Refused: a key stands twice."""
        mapping = LinedMapping()
        yield mapping
        first: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.value in first:
                twice = f"the key '{key.value}' stands twice, first in line {first[key.value]}"
                raise _Refused(twice, key.start_mark)
            if isinstance(key, yaml.ScalarNode):
                first[key.value] = line
        mapping.update(self.construct_mapping(node))
        mapping.line = node.start_mark.line + 1
        mapping.lines = {key: first[str(key)] for key in mapping if str(key) in first}


class Dumper(yaml.SafeDumper):
    """A dumper whose YAML has the same meaning in versions 1.1 and 1.2."""


class _Merging(_Loader):
    """A loader with YAML 1.1's merge key <<, which inserts another mapping's keys."""


class _OneLine(Dumper):
    """A dumper without anchors: repeated data are written repeatedly."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Loader.yaml_implicit_resolvers = {}
_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.lined_mapping)
for _tag, _pattern, _first in (
    ("null", r"^(~|null|)$", ["~", "n", ""]),
    ("bool", r"^(true|false)$", ["t", "f"]),
    ("int", r"^[-+]?(0|[1-9][0-9]*)$", list("-+0123456789")),
    ("float", r"^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$", list("-+.0123456789")),
    ("float", r"^([-+]?\.inf|\.nan)$", list("-+.")),
):
    for _kind in (_Loader, Dumper):
        _kind.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)
_Merging.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile("^<<$"), ["<"])


def documents(
    text: str,
    name: str,
    error: type[DescriptionError] = DescriptionError,
    *,
    merges: bool = False,
    most: int = MAX_YAML_BYTES,
) -> list[Any]:
    """Return the documents of a YAML text, which '---' separates.

    Args:
        name: of the file, for messages; may be empty.
        error: what is raised.
        merges: whether the key << stands for the keys of another mapping, as in YAML 1.1.
        most: bytes of the text.

    Raises:
        DescriptionError: not YAML, a key that stands twice in one mapping, or a limit of sizes.py is
            exceeded; names file and line.
    """
    try:
        if (size := len(text.encode())) > most:
            raise _Refused(too_large("this YAML", size, most, "bytes"))
        _check_depth(text)
        return _constructed(_Merging(text) if merges else _Loader(text))
    except yaml.MarkedYAMLError as failure:
        mark = failure.problem_mark or failure.context_mark
        raise error(f"this is not YAML: {failure.problem or failure.context}", _at(name, mark)) from None
    except _Refused as failure:
        raise error(str(failure), _at(name, failure.mark)) from None
    except (yaml.YAMLError, ValueError) as failure:
        raise error(f"this is not YAML: {failure}", name) from None
    except (LookupError, AttributeError, TypeError):  # PyYAML's own, where a tag such as !!bool is before 'x'
        raise error("this is not YAML: a value is none of its tag", name) from None


def _at(name: str, mark: Any) -> str:
    """Return a file's name with the line of a mark, for messages."""
    return name if mark is None else ", ".join(filter(None, (name, f"line {mark.line + 1}")))


class _Refused(Exception):
    """Error for YAML that this library rejects; ``mark``: its place in the text."""

    def __init__(self, message: str, mark: Any = None) -> None:
        super().__init__(message)
        self.mark = mark


def _check_depth(text: str) -> None:
    """Raise _Refused if YAML is too large or nested too deeply for the recursive steps after this."""
    depth = count = 0
    for event in yaml.parse(text, _Loader):
        count += isinstance(event, yaml.NodeEvent)
        if count > MAX_YAML_VALUES:
            what = too_large("this YAML", count, MAX_YAML_VALUES, "values or more")
            raise _Refused(what, event.start_mark)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            deep = f"this YAML is nested too deeply; at most {MAX_DEPTH} lists and mappings in each other"
            raise _Refused(f"{deep} are accepted", event.start_mark)


def _constructed(loader: Any) -> list[Any]:
    """Return the documents of a loader, after checking the sizes of their aliases."""
    found = []
    try:
        while loader.check_node():
            node = loader.get_node()
            _expanded(node, {})
            found.append(loader.construct_document(node))
    finally:
        loader.dispose()
    return found


def _expanded(node: yaml.Node, known: dict[int, int]) -> int:
    """Return the number of values in a node, aliases expanded; 0 while it is being counted."""
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) not in known:
        known[id(node)] = 0
        parts = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]
        known[id(node)] = 1 + sum(_expanded(part, known) for part in parts)
    count = known[id(node)]
    if count == 0:
        raise _Refused("an alias (*) stands in what it stands for", node.start_mark)
    if count > MAX_YAML_VALUES:
        what = too_large("with its aliases (*), this YAML", count, MAX_YAML_VALUES, "values")
        raise _Refused(what, node.start_mark)
    return count


def one_line(data: object) -> str:
    """Return the data as YAML on one line."""
    text: str = yaml.dump(data, Dumper=_OneLine, default_flow_style=True, sort_keys=False, width=1 << 30)
    return text.removesuffix("...\n").strip()  # the mark of the document's end, after plain values

"""YAML text as mappings that know their lines. Numbers are those of YAML 1.2, and no key stands twice."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from ....exceptions import DescriptionError
from ...yaml_size import BoundedLoader

__all__ = ["LinedMapping", "documents", "dumped"]


class LinedMapping(dict[Any, Any]):
    """A mapping read from YAML; ``lines``: of its keys in the file."""

    lines: dict[Any, int]


class _Loader(BoundedLoader):
    """Safe YAML, without what YAML 1.1 adds: 1:30 is no number 90, 010 none of 8, and yes is text."""

    def lined_mapping(self, node: yaml.MappingNode) -> Iterator[LinedMapping]:
        mapping = LinedMapping()
        yield mapping
        first: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.value in first:
                twice = f"the key '{key.value}' stands twice, first in line {first[key.value]}"
                raise DescriptionError(twice, line)
            if isinstance(key, yaml.ScalarNode):
                first[key.value] = line
        mapping.update(self.construct_mapping(node))
        mapping.lines = {key: first[str(key)] for key in mapping if str(key) in first}


class _Dumper(yaml.SafeDumper):
    """YAML that any reader, of 1.1 or 1.2, takes for the same."""


_Loader.yaml_implicit_resolvers = {}
_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.lined_mapping)
for _tag, _pattern, _first in (
    ("null", r"^(~|null|)$", ["~", "n", ""]),
    ("bool", r"^(true|false)$", ["t", "f"]),
    ("int", r"^[-+]?(0|[1-9][0-9]*)$", list("-+0123456789")),
    ("float", r"^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$", list("-+.0123456789")),
    ("float", r"^([-+]?\.inf|\.nan)$", list("-+.")),
):
    for _kind in (_Loader, _Dumper):
        _kind.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def documents(text: str, name: str) -> list[Any]:
    """The documents of a YAML text, which '---' separates.

    Args:
        name: of the file, for messages.

    Raises:
        DescriptionError: not YAML, or a key that stands twice in one mapping; names file and line.
    """
    try:
        return list(yaml.load_all(text, _Loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f", line {mark.line + 1}"
        raise DescriptionError(
            f"this is not YAML: {error.problem or error.context}", f"{name}{line}"
        ) from None
    except DescriptionError as error:
        raise DescriptionError(str(error.args[0]).partition(": ")[2], f"{name}, line {error.line}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise DescriptionError(f"this is not YAML: {error}", name) from None
    except (LookupError, AttributeError, TypeError):  # PyYAML's own, where a tag such as !!bool is before 'x'
        raise DescriptionError("this is not YAML: a value is none of its tag", name) from None
    except RecursionError:
        raise DescriptionError("this YAML is nested too deeply", name) from None


def dumped(data: object) -> str:
    """Mappings, lists, texts and numbers as YAML; the innermost ones on one line."""
    text: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=118, allow_unicode=True
    )
    return text

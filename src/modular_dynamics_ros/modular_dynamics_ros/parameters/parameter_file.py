"""The sections of a ROS parameter file that are about one node, found as the node itself finds them.

A section is named by its keys, from the outermost to the one above `ros__parameters`, joined by `/`. `*`
stands for one part of a node's full name, `**` for any number of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

import yaml

from modular_dynamics_ros.exceptions import ParameterError, listed

__all__ = ["NoSectionError", "Section", "given_names", "sections_for"]

LARGEST = 1_000_000  # characters of a parameter file
VALUES = "ros__parameters"


class _Loader(yaml.SafeLoader):
    """A YAML 1.1 loader that also reads numbers such as 5e-05 and 1e3, as ROS does."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+$"),
    list("-+.0123456789"),
)


class NoSectionError(ParameterError):
    """A file has no parameters of the node, or is empty."""


class Section(NamedTuple):
    """Values of a node, by parameter. `own`: it names the node, and not every one that there may be."""

    values: Mapping[str, Any]
    own: bool


def sections_for(path: str, node: str) -> list[Section]:
    """Return the sections for a node in the file's order; later ones take precedence.

    Args:
        node: its full name, such as /left/dynamics_node.

    Raises:
        ParameterError: no YAML, too large, or with an alias.
        NoSectionError: nothing for this node, or nothing at all.
    """
    content = _content(path)
    sections = dict(_sections(content, ())) if isinstance(content, Mapping) else {}
    if not sections:
        kind = NoSectionError if content is None else ParameterError  # ROS accepts an empty file
        raise kind(f"'{path}' has no parameters: sections NODE, then {VALUES} are needed")
    found = [
        Section(values, name.rpartition("/")[2] == node.rpartition("/")[2])
        for name, values in sections.items()
        if _is_about(name, node)
    ]
    if not found:
        raise NoSectionError(
            f"'{path}' has no parameters of the node '{node}', but of {listed(list(sections))}"
        )
    return found


def given_names(words: Sequence[str], node: str) -> Iterator[str]:
    """Yield the parameters that a command line sets for a node; what ROS cannot read is left to it.

    Args:
        words: of the command line. node: its full name.
    """
    of_ros = False
    for word, following in pairwise([*words, ""]):
        if word in ("--ros-args", "--"):
            of_ros = word == "--ros-args"
        elif of_ros and word in ("-p", "--param"):
            whose, _, name = following.partition(":=")[0].rpartition(":")
            if whose in ("", node.rpartition("/")[2]):
                yield name
        elif of_ros and word == "--params-file":
            with suppress(OSError, ParameterError):
                for section in sections_for(following, node):
                    yield from _flat_names(section.values)


def _flat_names(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from (f"{name}.{inner}" for inner in _flat_names(value))
        else:
            yield str(name)


def _content(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        try:
            text = file.read(LARGEST + 1)
            if len(text) > LARGEST:
                raise ParameterError(f"'{path}' has more than {LARGEST} characters")
            if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, _Loader)):
                raise ParameterError(
                    f"'{path}' has an alias (*), which ROS does not read: write the values out"
                )
            return yaml.load(text, _Loader)
        except (
            yaml.YAMLError,
            RecursionError,
            ValueError,
        ) as error:  # ValueError: an impossible date, digits
            raise ParameterError(f"'{path}' is no YAML: {' '.join(str(error).split())}") from error


def _sections(content: Mapping[Any, Any], keys: tuple[str, ...]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and the values of each section of a file, nested names joined."""
    for key, value in content.items():
        if not isinstance(value, Mapping):
            continue
        if key == VALUES and keys:
            yield "/" + "/".join(part.strip("/") for part in keys), value
        else:
            yield from _sections(value, (*keys, str(key)))


def _is_about(section: str, node: str) -> bool:
    any_number, one = r"(/\w+)*", r"/\w+"
    pattern = re.escape(section).replace(r"/\*\*", any_number).replace(r"/\*", one)
    return re.fullmatch(pattern, node) is not None

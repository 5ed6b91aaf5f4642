"""What a ROS parameter file, or a command line, sets for one node.

A section is named by its keys, from the outermost to the one above `ros__parameters`, joined by `/`. `*`
stands for one part of a node's full name, `**` for any number of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import yaml

from modular_dynamics_ros.exceptions import NoSectionError, ParameterError, listed

VALUES = "ros__parameters"


class _Loader(yaml.SafeLoader):
    """A YAML 1.1 loader that also reads numbers such as 5e-05 and 1e3, as ROS does."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+$"),
    list("-+.0123456789"),
)


def parameters_in_file(path: str, node: str) -> dict[str, Any]:
    """Return the values that a file has for a node; later sections take precedence.

    Args:
        node: its full name, such as /left/dynamics_node.

    Raises:
        NoSectionError: nothing for this node.
        ParameterError: no YAML, an alias in it, or no section at all.
    """
    with open(path, encoding="utf-8") as file:
        try:
            text = file.read()
            if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, _Loader)):
                raise ParameterError(
                    f"'{path}' has an alias (*), which ROS does not read: write the values out"
                )
            content = yaml.load(text, _Loader)
        except (yaml.YAMLError, RecursionError, ValueError) as error:  # ValueError: of a date or a number
            raise ParameterError(f"'{path}' is no YAML: {' '.join(str(error).split())}") from error
    sections = dict(_sections(content, ())) if isinstance(content, Mapping) else {}
    if not sections:
        raise ParameterError(f"'{path}' has no parameters: sections NODE, then {VALUES} are needed")
    found = [values for name, values in sections.items() if _is_about(name, node)]
    if not found:
        raise NoSectionError(f"'{path}' has no parameters of the node '{node}', but of {listed([*sections])}")
    return {str(name): value for values in found for name, value in values.items()}


def given_names(words: Sequence[str], node: str) -> Iterator[str]:
    """Yield the names of parameters that a command line sets for a node; unreadable files are ignored.

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
                yield from parameters_in_file(following, node)


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
    """Return whether the name of a section, perhaps with * or **, matches a node's full name."""
    pattern = re.escape(section).replace(r"/\*\*", r"(/\w+)*").replace(r"/\*", r"/\w+")
    return re.fullmatch(pattern, node) is not None

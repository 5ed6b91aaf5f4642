"""What a node prints for --help: its purpose and its parameters."""

from collections.abc import Sequence
from dataclasses import fields

from modular_dynamics_ros.parameters.table import Change, describe

__all__ = ["asked_for_help", "usage"]


def asked_for_help(arguments: Sequence[str]) -> bool:
    """Whether --help or -h is among the arguments."""
    return not {"--help", "-h"}.isdisjoint(arguments)


def usage(name: str, about: str, table: type) -> str:
    """The text for --help.

    Args:
        about: the docstring of the node's module. table: its parameters.
    """
    lines = [
        f"usage: ros2 run modular_dynamics_ros {name} [--ros-args -p PARAMETER:=VALUE ...]",
        "",
        about.strip(),
        "",
        f"parameters, with their defaults (+ may change {Change.ALWAYS.value}):",
    ]
    for entry in fields(table):
        default = list(entry.default) if isinstance(entry.default, tuple) else entry.default
        mark = "+" if entry.metadata["spec"].change is Change.ALWAYS else " "
        lines += [f" {mark} {entry.name}: {default!r}", f"     {describe(entry)}"]
    return "\n".join(lines)

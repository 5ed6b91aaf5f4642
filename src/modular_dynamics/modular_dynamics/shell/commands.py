"""Which sub-commands there are: those of this package, and those that other packages register.

A package adds one by an entry point of the group ``modular_dynamics.commands`` whose name is the command's
and whose object is a `Command`.
"""

import argparse
from importlib.metadata import EntryPoint, entry_points

from .check import CHECK
from .command import Command, UsageError
from .dynamics import FORWARD, GRAVITY, INVERSE
from .graph import GRAPH
from .plot import PLOT
from .study import STUDY

__all__ = ["GROUP", "commands"]

GROUP = "modular_dynamics.commands"
OWN = (CHECK, GRAPH, INVERSE, FORWARD, GRAVITY, PLOT, STUDY)
#: Commands of other packages of this suite: summary, and the package to install.
ELSEWHERE = {"bag": ("torques of recorded joint states", "modular_dynamics_ros")}


def commands() -> list[Command]:
    """Return all commands; one that cannot be imported, or is not installed, says so when it is run."""
    known = {command.name: command for command in OWN}
    for entry in entry_points(group=GROUP):
        if entry.name not in known:
            known[entry.name] = _loaded(entry)
    for name, (summary, package) in ELSEWHERE.items():
        if name not in known:
            text = (
                f"the package {package} is not installed: pip install ./src/{package} in the checkout, "
                "or source the colcon workspace that has it"
            )
            known[name] = _unavailable(name, f"{summary} (needs {package})", text)
    return list(known.values())


def _loaded(entry: EntryPoint) -> Command:
    try:
        command = entry.load()
    except Exception as error:  # whatever another package does, the other commands must work
        reason = f"{type(error).__name__}: {error}"
        return _unavailable(entry.name, "cannot be loaded", f"'{entry.value}' cannot be loaded: {reason}")
    if not isinstance(command, Command):
        return _unavailable(entry.name, "cannot be loaded", f"'{entry.value}' is no modular_dynamics Command")
    return command


def _unavailable(name: str, summary: str, text: str) -> Command:
    def run(arguments: argparse.Namespace) -> int:
        raise UsageError(text)

    def accept_all(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
        parser.set_defaults(accepts_all=True)

    return Command(name, summary, f"Not available: {text}", "", accept_all, run)

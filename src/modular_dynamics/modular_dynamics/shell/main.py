"""The command line of `modular-dynamics`: parsing, and an exit code for every error."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NoReturn

from ..exceptions import ModularDynamicsError
from .check import CHECK
from .command import INTERRUPTED, USAGE, Command, UsageError, printable
from .dynamics import FORWARD, GRAVITY, INVERSE
from .graph import GRAPH
from .simulate import SIMULATE
from .study import STUDY

# The sub-commands: those of this package, and those that other packages register.
#
# A package adds one by an entry point of the group ``modular_dynamics.commands`` whose name is the
# command's and whose object is a `Command`.

GROUP = "modular_dynamics.commands"
OWN = (CHECK, GRAPH, INVERSE, FORWARD, GRAVITY, SIMULATE, STUDY)


def commands() -> list[Command]:
    """Return all commands; one of another package that cannot be loaded says so when it is run."""
    known = {command.name: command for command in OWN}
    for entry in entry_points(group=GROUP):
        known.setdefault(entry.name, _loaded(entry))
    return list(known.values())


def _loaded(entry: EntryPoint) -> Command:
    """Return the command of another package; if that fails, one that raises a UsageError with the reason."""
    try:
        command = entry.load()
        if isinstance(command, Command):
            return command
        reason = "it is no modular_dynamics Command"
    except Exception as error:  # whatever another package does, the other commands must work
        reason = f"{type(error).__name__}: {error}"
    text = f"'{entry.value}' cannot be loaded: {reason}"

    def run(arguments: argparse.Namespace) -> int:
        raise UsageError(text)

    def accept_all(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
        parser.set_defaults(accepts_all=True)

    return Command(entry.name, "cannot be loaded", text, "", accept_all, run)


ABOUT = """\
Dynamics of robots at the command line: check a robot description, see its subsystems, compute torques and
accelerations, run the node's computation over a recorded bag. SI units throughout: rad, m, N m, N, kg, s;
quaternions w x y z."""
AFTER = """\
examples:
  modular-dynamics check robot.urdf
  modular-dynamics id robot.urdf states.csv > torques.csv
  modular-dynamics bag recording/ --csv torques.csv

exit codes: 0 good, 1 findings (a warning about the robot, joint states that were not processed), 2 what was
given cannot be used, 3 an error of this program, 130 interrupted.
"""
NUMBERS = re.compile(r"-[\d.]")  # beginning of a list of numbers, as opposed to an option
FAULT, NO_READER = 3, 141  # the last as a shell reports SIGPIPE
TRACEBACK = "MODULAR_DYNAMICS_TRACEBACK"  # environment variable: show tracebacks of this program's faults


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors take one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {printable(message)}; see {self.prog} --help\n")


class _Version(argparse.Action):
    """An option that prints the version, and the core's instruction set for this processor."""

    def __call__(self, parser: argparse.ArgumentParser, *_others: Any) -> None:
        # The package is complete by now.
        from .. import __version__, _core  # noqa: PLC0415

        print(parser.prog, __version__)
        print(f"core: {_core.processor}, {_core.lanes} lanes")
        parser.exit()


def make_parser(known: Sequence[Command]) -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    style: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    parser = _Parser(prog="modular-dynamics", description=ABOUT, epilog=AFTER, **style)
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    kinds = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", required=True)
    for command in known:
        examples = f"examples:\n{command.examples}" if command.examples else None
        own = kinds.add_parser(
            command.name, help=command.summary, description=command.description, epilog=examples, **style
        )
        own.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
        command.add_arguments(own)
        own.set_defaults(run=command.run, errors=command.errors, refuse=own.error)
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Run the command in ``words`` (default: the command line's) and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a test's replacement may lack it
            stream.reconfigure(errors="backslashreplace")
    name, known = "modular-dynamics", (ModularDynamicsError, OSError)
    try:
        parser = make_parser(commands())
        arguments, others = parser.parse_known_args(_joined(sys.argv[1:] if words is None else list(words)))
        if others and "accepts_all" not in arguments:
            arguments.refuse(f"unknown arguments: {' '.join(others)}")
        name, known = f"{name} {arguments.command}", (*known, *arguments.errors)
        code = int(arguments.run(arguments))
        sys.stdout.flush()  # a reader that has gone is noticed here, not when Python ends
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at its end
        return NO_READER
    except KeyboardInterrupt:
        return INTERRUPTED
    except known as error:
        return _failed(name, _one_line(error), USAGE)
    except MemoryError:
        return _failed(name, "not enough memory", USAGE)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        text = (
            f"{type(error).__name__}: {_one_line(error)} (a fault of this program; {TRACEBACK}=1 shows where)"
        )
        return _failed(name, text, FAULT)


def _failed(name: str, text: str, code: int) -> int:
    """Print an error; return the exit code."""
    print(f"{name}: {text}", file=sys.stderr)
    return code


def _one_line(error: BaseException) -> str:
    """Return an error's message on one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return printable(f"'{error.filename}': {error.strerror}")
    return printable(" ".join(str(error).split())) or type(error).__name__


def _joined(words: list[str]) -> list[str]:
    """Return words with `--q -0.1,0.2` as `--q=-0.1,0.2`, which argparse would take for an option."""
    joined: list[str] = []
    for word in words:
        if NUMBERS.match(word) and joined and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


if __name__ == "__main__":
    sys.exit(main())

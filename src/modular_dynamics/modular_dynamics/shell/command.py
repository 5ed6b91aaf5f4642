"""What a sub-command is, for this package and for others that add some; and how one ends."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from ..exceptions import ModularDynamicsError

__all__ = ["FINDINGS", "GOOD", "INTERRUPTED", "USAGE", "Command", "UsageError"]

GOOD, FINDINGS, USAGE = 0, 1, 2  # exit codes; 2 also where a file cannot be used
INTERRUPTED = 130  # as a shell reports SIGINT


class UsageError(ModularDynamicsError, ValueError):
    """What was given on the command line cannot be used; the text names it and what would be right."""


@dataclass(frozen=True)
class Command:
    """A sub-command.

    Attributes:
        summary: one line of `modular-dynamics --help`. description, examples: of its own help.
        add_arguments: describes its arguments; imports nothing that takes long: completion waits for it.
        run: does it; returns the exit code.
        errors: exceptions beside those of this library whose text is for users.
    """

    name: str
    summary: str
    description: str
    examples: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    errors: tuple[type[Exception], ...] = ()

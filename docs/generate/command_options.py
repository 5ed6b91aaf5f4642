"""What `modular-dynamics COMMAND --help` prints, for each command."""

import contextlib
import io
import os
from pathlib import Path
from unittest.mock import patch

from modular_dynamics.shell.main import commands, make_parser

ACTIONS = {"study": ("run", "report", "urdf")}


def make(out: Path) -> None:
    """Write command_options.md: the help text of each command, a section each."""
    sections = [f"## {' '.join(words)}\n\n```text\n{help_text(words)}```\n" for words in all_words()]
    (out / "command_options.md").write_text("\n".join(sections), "utf-8")


def all_words() -> list[tuple[str, ...]]:
    """Return each command, and each of its actions behind it."""
    names = [command.name for command in commands()]
    return [(name, *action) for name in names for action in ((), *((one,) for one in ACTIONS.get(name, ())))]


def help_text(words: tuple[str, ...]) -> str:
    """Return what --help prints in 100 columns."""
    printed = io.StringIO()
    with (
        patch.dict(os.environ, {"COLUMNS": "100"}),
        contextlib.redirect_stdout(printed),
        contextlib.suppress(SystemExit),
    ):
        make_parser(commands()).parse_args([*words, "--help"])
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines()) + "\n"

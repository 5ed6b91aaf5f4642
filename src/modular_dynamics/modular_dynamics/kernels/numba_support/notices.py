"""Lines on stderr: that kernels are compiled, or why their machine code is not kept on the disk or not used.

The environment variable MODULAR_DYNAMICS_QUIET, set to anything but 0, suppresses them.
"""

import os
import sys
import threading
from contextlib import suppress

__all__ = ["QUIET_VARIABLE", "is_quiet", "not_kept", "say", "say_once"]

QUIET_VARIABLE = "MODULAR_DYNAMICS_QUIET"

_lock = threading.Lock()
_said: dict[str, str] = {}


def is_quiet() -> bool:
    """Whether MODULAR_DYNAMICS_QUIET suppresses such lines."""
    return os.environ.get(QUIET_VARIABLE, "0") not in ("", "0")


def say(line: str) -> None:
    """Print a line, whatever became of stderr."""
    with suppress(Exception):  # stderr may be closed, or None
        sys.stderr.write(f"modular_dynamics: {line}\n")
        sys.stderr.flush()


def say_once(subject: str, line: str) -> None:
    """Print the first line of a process about a subject: one line for a folder of forty damaged files."""
    with _lock:
        if subject in _said:
            return
        _said[subject] = line
    if not is_quiet():
        say(line)


def not_kept() -> str | None:
    """Why machine code that this process compiled is not kept on the disk; None if it is, as far as known."""
    return _said.get("not kept")

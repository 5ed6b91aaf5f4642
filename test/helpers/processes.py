"""Commands that run to their end."""

import subprocess
import sys


def run_python(*words: object, **options) -> subprocess.CompletedProcess[str]:
    """This Python with these arguments, whatever its exit code; its output as text."""
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)

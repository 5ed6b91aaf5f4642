"""Commands that run to their end, the generators of urdf/ among them."""

import subprocess
import sys

import yaml

from helpers.paths import ROOT


def run_python(*words: object, **options) -> subprocess.CompletedProcess[str]:
    """This Python with these arguments, whatever its exit code; its output as text."""
    return run_command(sys.executable, *words, **options)


def run_command(*words: object, **options) -> subprocess.CompletedProcess[str]:
    """A command, whatever its exit code; its output as text."""
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, **options)


def generate(name, *arguments):
    """Run urdf/generators/NAME; return the finished process."""
    return run_python("-m", f"urdf.generators.{name}", *arguments, cwd=ROOT)


def generate_from(table, name, option, folder):
    """Run a generator on a table of parameters; it writes NAME.urdf into the folder."""
    (folder / "table.yaml").write_text(yaml.safe_dump(table))
    return generate(name, option, folder / "table.yaml", "--out", folder / f"{name}.urdf")

"""The generators of urdf/ as processes."""

import subprocess
import sys

import yaml

from helpers.paths import ROOT


def generate(name, *arguments):
    """The finished process of urdf/generators/NAME."""
    command = [sys.executable, "-m", f"urdf.generators.{name}", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)


def generate_from(table, name, option, folder):
    """The same of a generator that reads its table from a file; it writes NAME.urdf into the folder."""
    (folder / "table.yaml").write_text(yaml.safe_dump(table))
    return generate(name, option, folder / "table.yaml", "--out", folder / f"{name}.urdf")

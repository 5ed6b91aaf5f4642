"""Print the requirements that a sourced ROS 2 distribution does not bring along, for pip to install on top.

The distribution's compiled messages fit its own NumPy, and its launch plugins its own pytest, so what it has
is never replaced. Arguments: requirement files. Run by the venv's Python, which sees the distribution's.
"""

import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement

COLCON = "colcon-common-extensions==0.3.0"
# `colcon build --symlink-install` calls `setup.py develop` with options that setuptools 80 does not have.
SETUPTOOLS = "setuptools<80"
# Where the import name is not the package's: Debian and ROS packages may lack the metadata pip reads.
IMPORT_NAMES = {"pin": "pinocchio", "pyyaml": "yaml", "colcon-common-extensions": "colcon_ros"}


def present(requirement: Requirement) -> bool:
    """Whether it is importable already: any version, but for setuptools."""
    try:
        return version(requirement.name) in requirement.specifier or str(requirement) != SETUPTOOLS
    except PackageNotFoundError:
        name = requirement.name.lower()
        return find_spec(IMPORT_NAMES.get(name, name.replace("-", "_"))) is not None


def main(paths: list[str]) -> int:
    """Print one requirement per line."""
    text = "\n".join(Path(path).read_text(encoding="utf-8") for path in paths)
    lines = [line.partition("#")[0].strip() for line in [*text.splitlines(), COLCON, SETUPTOOLS]]
    wanted = [Requirement(line) for line in lines if line]
    for requirement in wanted:
        if (requirement.marker is None or requirement.marker.evaluate()) and not present(requirement):
            print(requirement)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

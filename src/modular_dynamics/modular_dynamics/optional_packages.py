"""Optional packages: errors that say how to install one that cannot be imported."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from .exceptions import MissingDependencyError

__all__ = ["EXTRAS", "import_failure", "needed"]

#: Packages of each extra of this library (pyproject.toml), for pip: no index has the library itself.
EXTRAS = {
    "crosscheck": ("pin",),
    "equations": ("sympy",),
    "mjcf": ("mujoco>=3.17",),
    "shell": ("matplotlib", "networkx"),
    "study": ("dask", "distributed", "matplotlib", "pyarrow"),
    "symbolic": ("casadi",),
    "xacro": ("xacro",),
}
#: Modules whose name differs from their package's.
MODULES = {"pin": "pinocchio", "mcap-ros2-support": "mcap_ros2"}


@contextmanager
def needed(feature: str, package: str, extra: str) -> Iterator[None]:
    """Convert errors of the block, which imports an optional package.

    Args:
        feature: what needs it. package: its name in messages. extra: this library's extra that installs it.

    Raises:
        MissingDependencyError: it cannot be imported.
    """
    try:
        yield
    except Exception as error:  # a package of a wrong version may raise anything
        raise MissingDependencyError(feature, package, extra, import_failure(error, EXTRAS[extra])) from error


def import_failure(error: Exception | None, requirements: tuple[str, ...], too_old: str = "") -> str:
    """Return why an import failed, and what to do, as the end of a sentence that begins with the package.

    Args:
        error: of the import; None with too_old. requirements: for pip. too_old: the installed version, if
            that is the reason.
    """
    install = "pip install " + " ".join(f'"{one}"' if ">" in one else one for one in requirements)
    names = [re.split("[<>=]", one)[0] for one in requirements]
    if too_old:
        return f"is installed in version {too_old}: {install}"
    modules = {MODULES.get(name, name) for name in names}
    if isinstance(error, ModuleNotFoundError) and str(error.name).partition(".")[0] in modules:
        return f"is not installed: {install}"
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"is installed, but cannot be imported: {type(error).__name__}: {reason}"

"""Optional packages: what is to be done where one cannot be imported."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from .exceptions import MissingDependencyError

__all__ = ["EXTRAS", "import_failure", "needed"]

#: What pip installs for each extra of this library (pyproject.toml): no index has the library itself.
EXTRAS = {
    "crosscheck": ("pin",),
    "equations": ("sympy",),
    "mjcf": ("mujoco>=3.17",),
    "shell": ("argcomplete", "matplotlib", "networkx"),
    "study": ("dask", "distributed", "matplotlib", "pyarrow"),
    "symbolic": ("casadi",),
    "xacro": ("xacro",),
}
#: How packages are imported whose name on the index is another one.
MODULES = {"pin": "pinocchio", "mcap-ros2-support": "mcap_ros2"}


@contextmanager
def needed(feature: str, package: str, extra: str) -> Iterator[None]:
    """Import an optional package in the block.

    Args:
        feature: what needs it. package: its name, for people. extra: of this library that installs it.

    Raises:
        MissingDependencyError: it cannot be imported.
    """
    try:
        yield
    except Exception as error:  # a package that does not fit the others raises whatever it comes to
        raise MissingDependencyError(feature, package, extra, import_failure(error, EXTRAS[extra])) from error


def import_failure(error: Exception | None, requirements: tuple[str, ...], too_old: str = "") -> str:
    """Why an import failed, and what to do, as the end of a sentence that begins with the package.

    Args:
        error: of the import; None with too_old. requirements: what pip installs. too_old: the version that is
            installed, where that is the reason.
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

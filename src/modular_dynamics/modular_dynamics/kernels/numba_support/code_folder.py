"""The folder on the disk in which this user's machine code is kept, and who may write to it.

Machine code is executed, and that of kernels stands in pickles, which may run anything when they are read. So
it is kept in a folder of this user alone, which is made here, below one that the environment names. It is
read where it belongs to this user or to root, and nobody else may write to it. It is checked after it is
opened, and files are opened relative to it: what stands at its path may be exchanged meanwhile.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from numba import config

__all__ = [
    "GENERATED",
    "KERNELS",
    "UnusableError",
    "code_folder",
    "folder_in_use",
    "opened",
    "raise_if_unsafe",
    "shared_folder",
]

#: Environment variables that may name the folder above; the first that is set counts.
GENERATED = ("MODULAR_DYNAMICS_CACHE",)
KERNELS = ("NUMBA_CACHE_DIR", *GENERATED)


class UnusableError(OSError):
    """A folder or file in which no machine code is kept, or from which none is read; its text says why."""


def code_folder(variables: tuple[str, ...]) -> Path:
    """This user's folder, which may not exist yet.

    It is below the folder that the first of the environment variables names that is set, else below
    $XDG_CACHE_HOME, else below .cache in the home directory.

    Raises:
        UnusableError: there is no such folder.
    """
    return _base(variables) / f"modular_dynamics-{os.geteuid()}"


def shared_folder(own: Path) -> Path:
    """Root's folder beside that of this user: all may read it where root has allowed it by chmod."""
    return own.with_name("modular_dynamics-0")


def folder_in_use(variables: tuple[str, ...]) -> Path:
    """This user's folder, which exists and may be written to.

    Raises:
        OSError: it cannot be made, is unsafe, or may not be written to.
    """
    folder = code_folder(variables)
    with opened(folder, make=True) as descriptor:
        if not os.access(".", os.W_OK | os.X_OK, dir_fd=descriptor, effective_ids=True):
            raise UnusableError(f"{folder} may not be written to")
    return folder


@contextmanager
def opened(folder: Path, *, make: bool = False) -> Iterator[int]:
    """A descriptor of a folder that is safe; ``make``: where there is none, it is made.

    Raises:
        UnusableError: others own it or may write to it.
        OSError: it cannot be made or opened.
    """
    if make:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(0o700)  # also where the umask would let a group write, as that of Ubuntu does
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        raise_if_unsafe(os.fstat(descriptor), folder)
        yield descriptor
    finally:
        os.close(descriptor)


def raise_if_unsafe(status: os.stat_result, path: Path) -> None:
    """Refuse a folder or file of another user than this one and root, or that others may write to.

    Raises:
        UnusableError: with what would be right.
    """
    if status.st_uid not in (os.geteuid(), 0):
        raise UnusableError(
            f"{path} belongs to user {status.st_uid}, not to user {os.geteuid()} or root: "
            f"remove it, or change its owner with chown if you trust what it holds"
        )
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UnusableError(
            f"others may write to {path} (mode {stat.S_IMODE(status.st_mode):o}): "
            f"remove it, or chmod go-w it if you trust what it holds"
        )


def _base(variables: tuple[str, ...]) -> Path:
    for variable in variables:
        # Numba has read its own variable, or its file of settings, and a program may have set it since
        given = config.CACHE_DIR if variable == "NUMBA_CACHE_DIR" else os.environ.get(variable)
        if given:
            if not os.path.isabs(given):
                raise UnusableError(f"{variable} is {given!r}: it must be an absolute path")
            return Path(given)
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    return Path(xdg) if os.path.isabs(xdg) else _home(variables) / ".cache"  # relative ones: XDG ignores them


def _home(variables: tuple[str, ...]) -> Path:
    """The home directory, which must be there: none is made."""
    home = os.path.expanduser("~") if os.environ.get("HOME", "unset") else ""
    if not os.path.isabs(home) or not os.path.isdir(home):
        raise UnusableError(f"there is no home directory: {variables[0]} may name another folder")
    return Path(home)

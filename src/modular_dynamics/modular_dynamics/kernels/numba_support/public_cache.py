"""Kernels' machine code on the disk where Numba is of a version that was not tested: by its public options.

Numba writes and reads the files itself. They stand in this user's folder (:mod:`.code_folder`), and beside
each one its digest, which is compared before Numba sees them; files without are removed.
"""

import os
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from numba import config, njit

from .code_files import digest_of, report_not_kept, report_not_used
from .code_folder import KERNELS, UnusableError, folder_in_use, opened, raise_if_unsafe

__all__ = ["kept_by_numba"]

#: Folders of other sources that stay: of branches, of copies, of versions that are installed in turn.
KEPT = 3
_LOCK = Lock()  # Numba knows no other way to name a folder; threads may import kernels at once
_SEAL = ".sha256"
_SETTINGS = "CACHE_DIR", "CACHE_LOCATOR_CLASSES"


def kept_by_numba(function: Any, options: dict[str, Any], stamp: str) -> Any:
    """A kernel whose machine code Numba keeps; where no folder is fit for it, one that is not kept.

    The folder is named after ``stamp``: machine code of other sources stands in other ones, so that it is
    never loaded. Numba compares the kernel's own file alone.
    """
    try:
        kernel, files = _kept(function, options, stamp)
        _remove_unfit(files)
    except OSError as error:
        report_not_kept(error, KERNELS)
        return njit(**options)(function)
    compile_usually = kernel.compile

    def compile_and_seal(signature: Any) -> Any:
        try:
            entry = compile_usually(signature)
            if kernel.stats.cache_misses:
                _seal(files)
        except OSError as error:  # Numba stops where it cannot write, with the kernel compiled
            report_not_kept(error, KERNELS)
            return compile_usually(signature)
        return entry

    kernel.compile = compile_and_seal
    return kernel


def _kept(function: Any, options: dict[str, Any], stamp: str) -> tuple[Any, Path]:
    """The kernel, and the folder of its files, which Numba has made.

    Raises:
        OSError: there is no such folder, or Numba does not use it.
    """
    with _LOCK:
        folder = folder_in_use(KERNELS) / f"numba-{stamp}"
        usual = {name: getattr(config, name) for name in _SETTINGS if hasattr(config, name)}
        try:
            with opened(folder, make=True) as descriptor:
                os.utime(descriptor)  # it was used last now
                config.CACHE_DIR = str(folder)
            config.CACHE_LOCATOR_CLASSES = (
                "UserProvidedCacheLocator"  # or it would try the folder of the source
            )
            kernel = njit(cache=True, **options)(function)
        except RuntimeError as error:
            raise UnusableError(f"Numba keeps nothing in {folder}: {error}") from error
        finally:
            for name in _SETTINGS:
                setattr(config, name, usual[name]) if name in usual else delattr(config, name)
    files = Path(getattr(getattr(kernel, "stats", None), "cache_path", None) or "/")
    if not files.is_relative_to(folder):
        raise UnusableError(f"Numba keeps nothing in {folder}")
    files.chmod(0o700)
    _remove_old(folder)
    return kernel, files


@cache
def _remove_old(folder: Path) -> None:
    """Remove the folders beside this one that were used long before the others. Once a process.

    A process that uses one of them compiles again; Numba takes files that are gone for files that never were.
    """
    used = dict[Path, float]()
    for other in folder.parent.glob("numba-*"):
        with suppress(OSError):  # another process removes it
            if other != folder:
                used[other] = other.lstat().st_mtime
    for other in sorted(used, key=used.__getitem__, reverse=True)[KEPT:]:
        shutil.rmtree(other, ignore_errors=True)


@cache
def _remove_unfit(folder: Path) -> None:
    """Remove files that others may have written, and damaged ones. Once a process."""
    with opened(folder):
        for file in _files(folder):
            try:
                raise_if_unsafe(file.lstat(), file)
                seal = _digest_file(file)
                is_whole = file.is_file() and seal.is_file()  # to read a pipe would never end
                if not is_whole or seal.read_bytes() != _digest(file):
                    raise UnusableError(f"{file} is damaged, and is compiled anew")
            except UnusableError as error:
                report_not_used(error)
                file.unlink(missing_ok=True)


def _seal(folder: Path) -> None:
    """Write the digests of files that are new, and let only this user write to them."""
    for file in _files(folder):
        with suppress(FileNotFoundError):  # another process renames what it has written
            seal = _digest_file(file)
            if seal.is_file() and seal.stat().st_mtime_ns >= file.stat().st_mtime_ns:
                continue
            file.chmod(0o600)
            temporary = seal.with_name(f".{os.getpid()}{seal.name}")
            temporary.write_bytes(_digest(file))
            temporary.chmod(0o600)
            temporary.replace(seal)


def _files(folder: Path) -> list[Path]:
    """What Numba has written, without what it is still writing."""
    return [file for file in folder.iterdir() if file.suffix != _SEAL and ".tmp" not in file.name]


def _digest_file(file: Path) -> Path:
    return file.with_name(file.name + _SEAL)


def _digest(file: Path) -> bytes:
    return digest_of(file.name, file.read_bytes())

"""Files of machine code on the disk: read only as they were written, and written at once or not at all.

Each file begins with a digest of its name and content: a flipped bit, a file that was cut short, or one that
stands under another's name is noticed before any of it is used, and such a file is written anew. That is
against accidents; against malice, folder and files are checked for who may write to them
(:mod:`.code_folder`).
Nothing here raises: where nothing can be read or kept, functions are compiled.
"""

import os
import stat
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from .code_folder import UnusableError, code_folder, opened, raise_if_unsafe, shared_folder
from .notices import say_once

__all__ = ["digest_of", "has_room", "read", "report_not_kept", "report_not_used", "write"]

#: Files of which a process that was killed wrote only a part are removed after this time [s].
LEFTOVER_AGE = 3600.0
#: No file of machine code is longer [bytes]; a file of this length may be one of no end.
LONGEST = 1 << 28
#: About what the largest kernel takes [bytes].
ROOM = 1 << 20
_DIGEST_SIZE = sha256().digest_size
_TEMPORARY = ".tmp-"


def digest_of(name: str, content: bytes) -> bytes:
    """What stands before the content of a file of this name."""
    digest = sha256(f"{name}\n".encode())
    digest.update(content)
    return digest.digest()


def read(variables: tuple[str, ...], name: str) -> bytes | None:
    """The content of a file in this user's folder, else in root's.

    None where there is none, or none that is safe and as it was written.
    """
    try:
        own = code_folder(variables)
    except UnusableError:  # whoever writes says so
        return None
    for folder in dict.fromkeys((own, shared_folder(own))):
        try:
            return _read(folder, name)
        except UnusableError as error:
            report_not_used(error)
        except OSError:  # there is none, or root shares none
            continue
    return None


def write(variables: tuple[str, ...], name: str, content: bytes) -> None:
    """Keep a file in this user's folder, by one rename: nobody reads half of it."""
    try:
        with opened(code_folder(variables), make=True) as folder:
            _remove_leftovers(folder)
            _replace(folder, name, digest_of(name, content) + content)
    except OSError as error:
        report_not_kept(error, variables)


def has_room(folder: Path) -> bool:
    """Whether a file of machine code can be written there now; the disk may be full, or the user's share."""
    name = f"room{_TEMPORARY}{os.urandom(8).hex()}"
    try:
        with opened(folder) as descriptor:
            _write_new(descriptor, name, bytes(ROOM))
            os.unlink(name, dir_fd=descriptor)
    except OSError:
        return False
    return True


def report_not_kept(error: OSError, variables: tuple[str, ...]) -> None:
    """Say once a process why compiled machine code is not kept."""
    where = "" if isinstance(error, UnusableError) else f"{code_folder(variables)}: "
    reason = f"{where}{error.strerror or error}"
    say_once("not kept", f"machine code is not kept on the disk, and is compiled in every process: {reason}")


def report_not_used(error: UnusableError) -> None:
    """Say once a process why machine code on the disk is not used."""
    say_once("not used", f"machine code on the disk is not used: {error}")


def _read(folder: Path, name: str) -> bytes:
    path = folder / name
    with opened(folder) as descriptor:
        file = os.open(name, os.O_RDONLY | os.O_NONBLOCK, dir_fd=descriptor)  # a pipe must not stop it
    try:
        status = os.fstat(file)
        raise_if_unsafe(status, path)
        whole = b""
        if stat.S_ISREG(status.st_mode) and status.st_size <= LONGEST:
            with open(file, "rb", closefd=False) as stream:
                whole = stream.read()
    finally:
        os.close(file)
    content = whole[_DIGEST_SIZE:]
    if whole[:_DIGEST_SIZE] != digest_of(name, content):
        raise UnusableError(f"{path} is damaged, and is compiled anew")
    return content


def _replace(folder: int, name: str, content: bytes) -> None:
    temporary = f"{name}{_TEMPORARY}{os.urandom(8).hex()}"
    _write_new(folder, temporary, content)
    try:
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _write_new(folder: int, name: str, content: bytes) -> None:
    """A new file, of which nothing is left where it cannot be written whole."""
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(content)
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise


def _remove_leftovers(folder: int) -> None:
    """Remove what processes left that were killed while they wrote."""
    for name in os.listdir(folder):
        if _TEMPORARY in name:
            with suppress(OSError):
                if time.time() - os.stat(name, dir_fd=folder).st_mtime > LEFTOVER_AGE:
                    os.unlink(name, dir_fd=folder)

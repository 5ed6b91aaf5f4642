"""Text of files that users name, read safely: regular files of a limited size."""

import errno
import os
import stat
from pathlib import Path

__all__ = ["LARGEST_FILE", "LARGEST_YAML", "text_of_file"]

#: Bytes of the largest accepted file; of YAML, which is read slowly: some ten seconds.
LARGEST_FILE, LARGEST_YAML = 20_000_000, 2_000_000

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def text_of_file(path: Path, most: int = LARGEST_FILE) -> str:
    """What a file holds, in UTF-8.

    Args:
        most: accepted bytes.

    Raises:
        OSError: no such file, or one that is too large or no regular file (to read a named pipe would wait
            for another process, a device may have no end); ``strerror`` says which.
        ValueError: it is no UTF-8, or the path has a zero byte.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe is opened at once
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no file")
            raise OSError(errno.EINVAL, f"it is {kind}; a regular file is needed")
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(most + 1)  # a file may grow while it is read
    finally:
        os.close(descriptor)
    if len(content) > most:
        size = max(status.st_size, len(content))
        raise OSError(errno.EFBIG, f"it has {size} bytes; at most {most} are accepted")
    return content.decode("utf-8-sig")

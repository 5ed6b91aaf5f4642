"""Paths at which there is no description: folders, pipes, devices, and what no path can be."""

import os
from pathlib import Path

__all__ = ["nasty_paths"]


def nasty_paths(folder: Path) -> list[str]:
    """Paths, of which some are made in ``folder``."""
    (folder / "empty").write_bytes(b"")
    (folder / "binary").write_bytes(bytes(range(256)) * 10)
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "broken").symlink_to(folder / "missing")
    os.mkfifo(folder / "pipe")
    made = ("empty", "binary", "folder", "loop", "broken", "pipe", "missing", "empty/below", "a" * 300)
    devices = ("/dev/zero", "/dev/null", "/dev/full", "/proc/self/mem", "/proc/self/environ", "/dev/stdin")
    no_paths = (
        "",
        " ",
        ".",
        "/",
        "~",
        "~no_such_user/x",
        "~\0",
        "a\0b",
        "\ud800",
        "\udcff",
        "\n",
        "a" * 5000,
    )
    return [*(str(folder / name) for name in made), *devices, *no_paths, "a" * 5000]

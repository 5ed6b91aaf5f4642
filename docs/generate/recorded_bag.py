"""Picture of the page about recorded bags: what the page's own blocks draw."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def make(out: Path) -> None:
    """Write recorded_bag.png."""
    sys.path.insert(0, str(ROOT / "test"))
    from helpers.pages import Reader, blocks  # noqa: PLC0415  # of the tests, which also run the page

    with tempfile.TemporaryDirectory() as name:
        reader, before = Reader(Path(name)), Path.cwd()
        os.chdir(name)
        try:
            for block in blocks(ROOT / "docs/tutorials/recorded_bag.md"):
                reader.read(block)
            shutil.copy("out/recorded_bag.png", out)
        finally:
            reader.close()
            os.chdir(before)

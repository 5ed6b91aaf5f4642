"""What the code blocks of a page compute, so that pictures show it, and nothing is written twice."""

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from docs.generate._pictures import copy_picture

DOCS = Path(__file__).resolve().parents[1]


def run_page(name: str, pictures: Mapping[str, Path] = MappingProxyType({})) -> dict[str, Any]:
    """Run the blocks of docs/NAME.md as the tests do, in a folder of their own; return Python's names.

    ``pictures``: those that the page writes, and where they are copied to.
    """
    sys.path.insert(0, str(DOCS.parent / "test"))
    from helpers.pages import Reader, blocks  # noqa: PLC0415  # of the tests, which nothing installs

    page, before = DOCS / f"{name}.md", Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(Path(folder))
        os.chdir(folder)
        try:
            for block in blocks(page):
                reader.read(block)
            for source, target in pictures.items():
                copy_picture(Path(source), target, f"docs/{name}.md")
        finally:
            os.chdir(before)
            reader.close()
    return reader.names

"""Pictures that other commands have drawn."""

import shutil
from pathlib import Path

from PIL import Image


def copy_picture(source: Path, target: Path, command: str) -> None:
    """Copy a picture; a PNG in 256 colours, which needs a third of the space."""
    if not source.exists():
        raise SystemExit(f"{source} is missing: {command} draws it")
    if source.suffix == ".png":
        with Image.open(source) as picture:
            picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(target, optimize=True)
    else:
        shutil.copyfile(source, target)

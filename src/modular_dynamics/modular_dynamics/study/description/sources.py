"""The files that a study is read from."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...exceptions import StudyError
from ...text.files import is_file, path_of
from ...text.yaml_text import documents
from .study import Study

__all__ = ["sources_of"]


def sources_of(study: Study) -> list[Path]:
    """Return the study file and the files named in it: every text in it that is the path of a file."""
    folder = study.source.parent
    found = documents(study.text, f"study '{study.source}'", StudyError)
    named = [path_of(folder / text) for text in _texts(found)]
    return [study.source, *(path for path in named if is_file(path))]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)

"""YAML files that keep values over restarts: replaced atomically, and checked when they are read."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.text.files import text_if_there, write_beside
from modular_dynamics.text.sizes import MAX_BYTES, too_large
from modular_dynamics.text.yaml_text import Dumper, documents
from modular_dynamics_ros.exceptions import NodeError

VERSION = 1
LARGEST = 2_000_000_000  # bytes: a file may hold a whole description
END = "..."  # ends a YAML document; a file without it may have been cut off
Kept = TypeVar("Kept")


class _Dumper(Dumper):
    """A YAML dumper that writes texts of several lines, such as URDF, line by line."""


def _lines(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Represent a text of several lines as a block."""
    style = "|" if "\n" in text else None
    if "\x85" in text:
        style = '"'  # in other styles YAML reads the next-line character as a line break
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _lines)


class Draft:
    """New content of a file, written beside it until `commit`.

    Args:
        file: that it replaces. written: path of the new content; None: the file has no path.
    """

    def __init__(self, file: "KeptFile[Any]", written: Path | None = None) -> None:
        self._file, self._written = file, written

    def commit(self) -> None:
        """Replace the file atomically. Raises `KeptFile.ERROR`: it cannot be replaced."""
        if self._written is not None and self._file.path is not None:
            try:
                os.replace(self._written, self._file.path)
            except OSError as error:
                self.discard()
                raise self._file.failure(f"it cannot be written: {error.strerror or error}") from error

    def discard(self) -> None:
        """Remove what was written."""
        if self._written is not None:
            self._written.unlink(missing_ok=True)


class KeptFile(Generic[Kept]):
    """A YAML file with a version; a subclass defines its other content.

    Args:
        path: empty: nothing is read or written.

    Attributes:
        NAME: of the parameter with the path. ERROR: the error that is raised.

    Raises:
        NodeError: the path cannot be resolved.
    """

    NAME: str
    ERROR: type[NodeError]

    def __init__(self, path: str) -> None:
        self.path: Path | None = None
        if path:
            try:
                self.path = Path(path).expanduser().resolve()  # keeps symbolic links
            except (OSError, RuntimeError, ValueError) as error:
                raise self.ERROR(f"{self.NAME} {path[:200]!r}: {error}") from error

    def parsed(self, content: Mapping[str, Any]) -> Kept:
        """Return the values of a file's content. Raises NodeError: it is damaged."""
        raise NotImplementedError

    def failure(self, text: str) -> NodeError:
        """Return an error that names the file."""
        return self.ERROR(f"{self.NAME} '{str(self.path)[:200]}': {text}")

    def read(self) -> Kept | None:
        """Return the values in the file; None if there is no file yet.

        Raises:
            NodeError: it is damaged or cannot be read, or its folder does not exist.
        """
        if self.path is None:
            return None
        try:
            text = text_if_there(self.path, "file", MAX_BYTES)
        except DescriptionError as error:
            raise self.failure(str(error)) from error
        return None if text is None else self.of_text(text)

    def of_text(self, text: str) -> Kept:
        """Return the values in a file's text. Raises NodeError: it is damaged."""
        try:
            found = documents(text, "", most=LARGEST)
            content = found[0] if len(found) == 1 else None
            if not isinstance(content, dict) or content.get("version") != VERSION:
                raise self.ERROR(f"one YAML document with version: {VERSION} at its top level is needed")
            read = self.parsed(content)
        except (DescriptionError, NodeError) as error:
            raise self.failure(f"it is damaged: {' '.join(str(error).split())[:400]}") from error
        if not text.rstrip().endswith(f"\n{END}"):
            text = f"its last line is not '{END}', as that of a whole file is: is the end cut off?"
            raise self.failure(f"it is damaged: {text}")
        return read

    @staticmethod
    def text(content: Mapping[str, Any]) -> str:
        """Return the text of a file with this content."""
        whole = {"version": VERSION, **content}
        return yaml.dump(whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, explicit_end=True)

    def drafted(self, content: Mapping[str, Any]) -> Draft:
        """Write new content beside the file.

        Raises:
            NodeError: it cannot be written, or is too large to be read again.
        """
        if self.path is None:
            return Draft(self)
        try:
            written = self.text(content).encode()
            if len(written) <= MAX_BYTES:
                return Draft(self, write_beside(self.path, written))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise self.failure(f"it cannot be written: {why}") from error
        raise self.failure(too_large("it", len(written), MAX_BYTES, "bytes"))

"""The file that keeps the changes of a robot over restarts."""

import os
from pathlib import Path

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.text.beside import write_beside
from modular_dynamics.text.files import text_if_there
from modular_dynamics.text.sizes import MAX_BYTES, too_large
from modular_dynamics_ros.computation.changes.change import Changes
from modular_dynamics_ros.computation.changes.text import changes_of_text, text_of_changes
from modular_dynamics_ros.exceptions import ChangeFileError

__all__ = ["ChangesFile", "Draft"]


class Draft:
    """Changes that are written, and not active yet.

    Args:
        beside: the written file; None: nothing is kept. path: what it replaces.
    """

    def __init__(self, beside: Path | None = None, path: Path | None = None) -> None:
        self._beside, self._path = beside, path

    def commit(self) -> None:
        """Replace the file by it atomically: a reader gets the old content or the new.

        Raises:
            ChangeFileError: the file cannot be replaced.
        """
        if self._beside is None or self._path is None:
            return
        try:
            os.replace(self._beside, self._path)
        except OSError as error:
            self.discard()
            raise _refused(self._path, "written", error) from error

    def discard(self) -> None:
        """Remove what was written."""
        if self._beside is not None:
            self._beside.unlink(missing_ok=True)


class ChangesFile:
    """A file with the changes of one robot.

    Args:
        path: empty: nothing is read or written.

    Raises:
        ChangeFileError: the path cannot be resolved.
    """

    def __init__(self, path: str) -> None:
        self._path: Path | None = None
        if path:
            try:
                self._path = Path(path).expanduser().resolve()  # keeps symbolic links
            except (OSError, RuntimeError, ValueError) as error:
                raise ChangeFileError(f"changes_file {path[:200]!r}: {error}") from error

    def read(self, *, strict: bool) -> tuple[str, Changes] | None:
        """Return the robot's name and its changes; None where there is no file yet.

        Raises:
            ChangeFileError: it is damaged, or cannot be read; or its folder is not there.
        """
        path = self._path
        if path is None:
            return None
        try:
            text = text_if_there(path, "changes file", MAX_BYTES)
        except DescriptionError as error:
            raise _refused(path, "read", error) from error
        if text is None:
            return None
        try:
            return changes_of_text(text, strict=strict)
        except ChangeFileError as error:
            raise ChangeFileError(f"changes_file {str(path)!r} is damaged: {error}") from error

    def draft(self, robot: str, changes: Changes) -> Draft:
        """Write changes beside the file; takes as long as the disk needs.

        Raises:
            ChangeFileError: they cannot be written, or not be read again.
        """
        path = self._path
        if path is None:
            return Draft()
        content = text_of_changes(robot, changes).encode()
        if len(content) > MAX_BYTES:  # the next start would reject the file
            raise ChangeFileError(too_large(f"changes_file {str(path)!r}", len(content), MAX_BYTES, "bytes"))
        try:
            return Draft(write_beside(path, content), path)
        except (OSError, ValueError) as error:
            raise _refused(path, "written", error) from error


def _refused(path: Path, what: str, error: Exception) -> ChangeFileError:
    why = getattr(error, "strerror", None) or error
    return ChangeFileError(f"changes_file {str(path)!r} cannot be {what}: {why}")

"""The folder of a study's results: finished chunks stay, whatever ends the run.

A chunk is written to a temporary file, brought to the disk and renamed, so that a file of its name is
whole. Names hold the digest of the study, of the robot and of the library's version.
"""

import contextlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..exceptions import StudyError
from ..optional_packages import needed
from ..text.files import replace_file
from .evaluation import designs_of_block
from .study import Study


def arrow() -> Any:
    """Return PyArrow with its module for Parquet files. Raises MissingDependencyError."""
    with needed("a design study", "pyarrow", "study"):
        import pyarrow  # noqa: PLC0415  # takes long, and is optional
        import pyarrow.parquet  # noqa: PLC0415
    return pyarrow


Columns = Mapping[str, NDArray[np.generic]]
#: Chunks in a group of rows of the final file.
GROUPED = 100
#: How files are written: no statistics of the writer, no time stamps, one version of the format.
_STYLE: dict[str, Any] = {
    "compression": "zstd",
    "version": "2.6",
    "write_statistics": True,
    "store_schema": False,
}


def parquet_bytes(columns: Columns) -> bytes:
    """Return the bytes of a Parquet file of columns (n,)."""
    table = arrow().table(dict(columns))
    target = io.BytesIO()
    arrow().parquet.write_table(table, target, **_STYLE)
    return target.getvalue()


def rows_of_file(path: Path) -> int:
    """Return a file's number of rows; -1 if it is damaged or missing."""
    try:
        return int(arrow().parquet.read_metadata(path).num_rows)
    except (OSError, arrow().ArrowException):
        return -1


def columns_of_file(path: Path, names: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return columns of a file by name, by default all. Raises StudyError: it is damaged or missing."""
    try:
        table = arrow().parquet.read_table(path, columns=None if names is None else list(names))
    except (OSError, arrow().ArrowException) as error:
        what = str(error).partition("\n")[0]
        raise StudyError(f"'{path}' cannot be read: {what}; remove it and run the study again") from error
    return {name: table.column(name).to_numpy() for name in table.column_names}


def write_in_order(parts: Sequence[Path], target: Any) -> None:
    """Write the rows of many files, in order, as one file with a group of rows for each GROUPED of them."""
    schema = arrow().parquet.read_schema(parts[0])
    with arrow().parquet.ParquetWriter(target, schema, **_STYLE) as writer:
        for first in range(0, len(parts), GROUPED):
            tables = [arrow().parquet.read_table(part) for part in parts[first : first + GROUPED]]
            writer.write_table(arrow().concat_tables(tables).combine_chunks())


#: Files in the folder, and the pattern of names of chunks.
ABOUT, RESULT = "about.json", "designs.parquet"
_TEXTS = "name", "study", "digest"  # in ABOUT
CHUNK_FILES = f"{'[0-9]' * 8}*_{'[0-9a-f]' * 16}.parquet"


def about_of(folder: Path) -> dict[str, Any] | None:
    """Return a folder's description of itself; None if it holds no study. Raises StudyError: damaged."""
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StudyError(f"'{folder / ABOUT}' cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict) or not all(isinstance(about.get(key), str) for key in _TEXTS):
        raise StudyError(f"'{folder / ABOUT}' is damaged: it describes no study; remove it")
    return about


class Store:
    """The results of one study in one folder; ``chunk``: designs of a chunk, one block of them."""

    def __init__(self, folder: str | Path, study: Study) -> None:
        self.folder, self.digest, self.count = Path(folder), study.digest(), study.count
        self.study, self.chunk = study, designs_of_block(study)

    @property
    def result(self) -> Path:
        """File of all designs."""
        return self.folder / RESULT

    @property
    def files_of_results(self) -> list[Path]:
        """Files that a finished study leaves, and later commands read."""
        return [self.folder / name for name in (ABOUT, RESULT)]

    def open(self) -> None:
        """Make the folder, or continue what is in it.

        Raises:
            StudyError: it holds another study, or no folder can be made there.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyError(f"'{self.folder}' cannot be made: {error.strerror}") from error
        about = about_of(self.folder)
        if about is None and self.result.exists():
            raise StudyError(f"'{self.result}' is of no study: {ABOUT} is missing; choose another folder")
        if about is not None and about.get("digest") != self.digest:
            name = about.get("name")
            other = "another version of the study" if name == self.study.name else "the study"
            raise StudyError(
                f"'{self.folder}' holds {other} '{name}' (digest {about.get('digest')}), "
                f"not '{self.study.name}' (digest {self.digest}); choose another folder, or remove it"
            )

    def describe(self) -> None:
        """Write what the study is, and which file of it is reported: it may differ in objectives."""
        about = {
            "name": self.study.name,
            "study": str(self.study.source),
            "digest": self.digest,
            "designs": self.count,
        }
        self._replace(self.folder / ABOUT, (json.dumps(about, indent=2) + "\n").encode())

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.count // self.chunk)

    def bounds(self, chunk: int) -> tuple[int, int]:
        """Return the first design of a chunk, and the one after its last."""
        return chunk * self.chunk, min((chunk + 1) * self.chunk, self.count)

    def path(self, chunk: int) -> Path:
        """Return the file of a chunk."""
        return self.folder / "chunks" / f"{chunk:08}_{self.digest}.parquet"

    def missing(self) -> Iterator[int]:
        """Yield the chunks that are not finished."""
        for chunk in range(self.chunks):
            first, last = self.bounds(chunk)
            if rows_of_file(self.path(chunk)) != last - first:
                yield chunk

    @property
    def is_finished(self) -> bool:
        """Return whether the file of all designs is complete."""
        return rows_of_file(self.result) == self.count

    def write_chunk(self, chunk: int, content: bytes) -> None:
        """Write a finished chunk. Raises StudyError: the disk does not take it."""
        self._replace(self.path(chunk), content)

    def finish(self) -> None:
        """Write all chunks into one file, in order, and remove them. Raises StudyError: as `write_chunk`."""
        parts = [self.path(chunk) for chunk in range(self.chunks)]
        self._replace(self.result, lambda file: write_in_order(parts, file))
        self.tidy()

    def tidy(self) -> None:
        """Remove chunks that are in the result, and what an earlier run left unfinished."""
        chunks = self.folder / "chunks"
        for path in (*self.folder.glob(".*.part"), *chunks.glob(".*.part"), *chunks.glob(CHUNK_FILES)):
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            chunks.rmdir()

    def _replace(self, path: Path, content: bytes | Callable[[BinaryIO], object]) -> None:
        """Write a file whole or not at all. Raises StudyError: the disk does not take it."""
        try:
            path.parent.mkdir(exist_ok=True)
            replace_file(path, content)
        except OSError as error:
            raise StudyError(
                f"'{path}' cannot be written: {error.strerror or error}; what was finished stays, and the "
                "same command goes on from there"
            ) from error

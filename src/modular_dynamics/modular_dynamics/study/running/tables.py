"""Columns as Parquet bytes that depend on nothing but the numbers."""

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...exceptions import StudyError
from .packages import arrow, parquet

__all__ = ["columns_of_file", "parquet_bytes", "rows_of_file", "write_in_order"]

Columns = Mapping[str, NDArray[np.generic]]
#: Rows of a group of the final file, whatever the chunks are.
GROUP = 65_536
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
    parquet().write_table(table, target, row_group_size=GROUP, **_STYLE)
    return target.getvalue()


def rows_of_file(path: Path) -> int:
    """Return a file's number of rows; -1 if it is damaged or missing."""
    broken = arrow().ArrowException
    try:
        return int(parquet().read_metadata(path).num_rows)
    except (OSError, broken):
        return -1


def columns_of_file(path: Path, names: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return columns of a file by name, by default all. Raises StudyError: it is damaged or missing."""
    try:
        table = parquet().read_table(path, columns=None if names is None else list(names))
    except (OSError, arrow().ArrowException) as error:
        what = str(error).partition("\n")[0]
        raise StudyError(f"'{path}' cannot be read: {what}; remove it and run the study again") from error
    return {name: table.column(name).to_numpy() for name in table.column_names}


def write_in_order(parts: Sequence[Path], target: Any) -> None:
    """Write the rows of many files, in order, as one file whose bytes do not depend on the parts."""
    schema = parquet().read_schema(parts[0])
    with parquet().ParquetWriter(target, schema, **_STYLE) as writer:
        for table in _groups(parts):
            writer.write_table(table.combine_chunks(), row_group_size=GROUP)


def _groups(parts: Sequence[Path]) -> Iterator[Any]:
    """Yield tables of GROUP rows, the last one of fewer."""
    held = None
    for part in parts:
        table = parquet().read_table(part)
        held = table if held is None else arrow().concat_tables([held, table])
        while held.num_rows >= GROUP:
            yield held.slice(0, GROUP)
            held = held.slice(GROUP)
    if held is not None and held.num_rows:
        yield held

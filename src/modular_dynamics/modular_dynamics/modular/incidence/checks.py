"""Whether numbers and names are an incidence matrix; errors name modules, faces and columns."""

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import AssemblyError
from ..assembly.checks import checked_name
from ..names import LONGEST_NAME, MOST_MODULES, is_label, listed, shown

__all__ = [
    "checked_docks",
    "checked_faces",
    "checked_modules",
    "checked_texts",
    "checked_turns",
    "column_ends",
    "require_connected",
    "require_dockings",
    "require_size",
    "shape_of",
]

Faces = NDArray[np.int64]
#: Larger numbers are no faces.
_LARGEST = 2**31
#: One for each module but the base, and as many again for rings.
MOST_DOCKS = 2 * MOST_MODULES
#: Unconnected parts that an error names.
MOST_NAMED = 4


def shape_of(matrix: ArrayLike) -> tuple[int, int]:
    """Return the numbers of modules and docks. Raises AssemblyError: not a matrix, or no modules."""
    try:
        shape = np.shape(matrix)
    except ValueError:
        raise AssemblyError(f"the matrix is no matrix: {_unequal_rows(matrix)}") from None
    if len(shape) != 2 or not shape[0]:
        raise AssemblyError(f"the matrix has the shape {shape}; (modules, docks) is needed, from (1, 0) on")
    require_size(*shape)
    return shape


def require_size(modules: int, docks: int) -> None:
    """Raise AssemblyError if there are too many."""
    for count, what, most in ((modules, "modules", MOST_MODULES), (docks, "docks", MOST_DOCKS)):
        if count > most:
            raise AssemblyError(f"the matrix has {count} {what}; at most {most} are supported")


def _unequal_rows(matrix: Any) -> str:
    rows = [len(row) if isinstance(row, Sized) else None for row in matrix]
    for k, length in enumerate(rows):
        if length is None or length != rows[0]:
            return f"row {k + 1} has {'no' if length is None else length} entries, row 1 has {rows[0]}"
    return "its entries are lists"


def checked_texts(values: object, count: int, what: str, of: str) -> tuple[str, ...]:
    """Return as many texts as there are modules or docks. Raises AssemblyError."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise AssemblyError(
            f"the {what} are {shown(values)}; a list of texts is needed, one for each of the {of}"
        )
    if len(values) != count:
        raise AssemblyError(f"{len(values)} {what} for {count} {of}; one for each is needed")
    for k, value in enumerate(values):
        if not isinstance(value, str) or not value:
            raise AssemblyError(f"number {k + 1} of the {what} is {shown(value)}; text is needed")
    return tuple(map(str, values))


def checked_modules(names: object, count: int) -> tuple[str, ...]:
    """Return the modules' names, or v0, v1, ... Raises AssemblyError: wrong count, not a name, duplicate."""
    if names is None or names == ():
        return tuple(f"v{k}" for k in range(count))
    modules = checked_texts(names, count, "names", "modules")
    for name in modules:
        checked_name(name)
    return _different(modules, "modules")


def checked_docks(names: object, count: int) -> tuple[str, ...]:
    """Return the columns' names, or e1, e2, ... Raises AssemblyError: wrong count, not a name, duplicate."""
    if names is None or names == ():
        return tuple(f"e{k + 1}" for k in range(count))
    docks = checked_texts(names, count, "names of docks", "docks")
    for name in docks:
        if name.split() != [name] or not is_label(name):
            raise AssemblyError(
                f"a dock's name is {shown(name)}; text without white space, of at most {LONGEST_NAME} "
                "characters, is needed"
            )
    return _different(docks, "columns")


def _different(names: tuple[str, ...], what: str) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for k, name in enumerate(names):
        if name in seen:
            raise AssemblyError(f"the {what} {seen[name] + 1} and {k + 1} have both the name '{name}'")
        seen[name] = k
    return names


def checked_turns(turns: object, docks: Sequence[str]) -> tuple[int, ...]:
    """Return quarter turns of each docking, or zeros. Raises AssemblyError: wrong count or value."""
    if turns is None or (isinstance(turns, tuple) and not turns):
        return (0,) * len(docks)
    if isinstance(turns, str) or not isinstance(turns, Sequence | np.ndarray):
        raise AssemblyError(f"the turns are {shown(turns)}; a list of whole numbers is needed")
    values = turns.tolist() if isinstance(turns, np.ndarray) else turns
    if len(values) != len(docks):
        raise AssemblyError(f"{len(values)} turns for {len(docks)} docks; one for each is needed")
    for dock, turn in zip(docks, values, strict=True):
        if not isinstance(turn, int) or isinstance(turn, bool) or not 0 <= turn <= 3:
            raise AssemblyError(f"column '{dock}': the turn is {shown(turn)}; 0, 1, 2 or 3 is needed")
    return tuple(values)


def checked_faces(matrix: ArrayLike, modules: Sequence[str], docks: Sequence[str]) -> Faces:
    """Return the matrix as read-only whole numbers. Raises AssemblyError: names module and column."""
    given = matrix if isinstance(matrix, np.ndarray) else np.array(matrix, object)
    if given.dtype.kind in "iuf":
        numbers = given.astype(float)
    else:
        numbers = np.array([[_number(value) for value in row] for row in given], float).reshape(given.shape)
    usable = np.isfinite(numbers) & (numbers >= 0) & (numbers <= _LARGEST)
    usable[usable] = numbers[usable] == np.rint(numbers[usable])
    for row, column in np.argwhere(~usable).tolist():
        raise AssemblyError(
            f"module '{modules[row]}', column '{docks[column]}': the entry is "
            f"{shown(given.tolist()[row][column])}; the number of a face is needed, or 0 for none"
        )
    faces = numbers.astype(np.int64)
    faces.flags.writeable = False
    return faces


def _number(value: object) -> float:
    """Return the number of a face in an array of mixed objects; NaN if it is not a number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value) if abs(value) <= _LARGEST else np.nan  # larger integers may overflow a float
    return float(value) if isinstance(value, float | np.integer | np.floating) else np.nan


def column_ends(matrix: Faces) -> NDArray[np.intp]:
    """Return the two modules of each column, upper row first, shape (docks, 2)."""
    return np.nonzero(matrix.T)[1].reshape(-1, 2)


def require_dockings(matrix: Faces, modules: Sequence[str], docks: Sequence[str]) -> None:
    """Raise AssemblyError unless each column has two entries, and no module uses a face twice."""
    for column in np.flatnonzero(np.count_nonzero(matrix, axis=0) != 2).tolist():
        rows = matrix[:, column].nonzero()[0].tolist()
        entries = [f"face {matrix[row, column]} of module '{modules[row]}'" for row in rows]
        raise AssemblyError(
            f"column '{docks[column]}' has {len(entries)} entries: {listed(entries) or 'none'}; "
            "a docking has two, one face of each of two modules"
        )
    used: dict[tuple[int, int], int] = {}
    for column, row in np.argwhere(matrix.T).tolist():
        face = int(matrix[row, column])
        if (row, face) in used:
            raise AssemblyError(
                f"face {face} of module '{modules[row]}' is used twice: in the columns "
                f"'{docks[used[row, face]]}' and '{docks[column]}'"
            )
        used[row, face] = column


def require_connected(matrix: Faces, modules: Sequence[str]) -> None:
    """Raise AssemblyError unless dockings connect all modules; lists what is connected."""
    at: list[list[int]] = [[] for _ in modules]
    for a, b in column_ends(matrix).tolist():
        at[a].append(b)
        at[b].append(a)
    parts: list[list[int]] = []
    reached: set[int] = set()
    for start in range(len(modules)):
        if start in reached:
            continue
        part = [start]
        reached.add(start)
        for row in part:
            fresh = [other for other in at[row] if other not in reached]
            part += dict.fromkeys(fresh)
            reached.update(fresh)
        parts.append(sorted(part))
    if len(parts) > 1:
        named = " and ".join(f"({listed([modules[row] for row in part])})" for part in parts[:MOST_NAMED])
        more = f" and {len(parts) - MOST_NAMED} more parts" if len(parts) > MOST_NAMED else ""
        raise AssemblyError(f"the modules are not connected; no docking is between {named}{more}")

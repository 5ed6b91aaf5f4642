"""The adapted assembly incidence matrix (AIM): which faces of which modules are docked to each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import AssemblyError, DescriptionError
from ...model.number_arrays import Constant
from ...text.element import Element
from ...text.files import given_text
from ...text.sizes import MAX_YAML_BYTES
from ...text.yaml_text import documents, one_line
from ..assembly.structure import checked_name, integer
from ..modules.module_type import is_same
from ..names import LONGEST_NAME, MOST_MODULES, is_label, listed, shown

Faces = NDArray[np.int64]
Source = str | PathLike[str]
#: Larger numbers are no faces.
_LARGEST = 2**31
#: One for each module but the base, and as many again for rings.
MOST_DOCKS = 2 * MOST_MODULES


@dataclass(frozen=True, eq=False)
class IncidenceMatrix(Constant):
    """The adapted assembly incidence matrix AIM_SB (Meister & Gutenkunst, section IV.A, Fig. 5). Constant.

    A column is a docking and has two entries, the numbers of the two ports; 0: none of this module. Columns
    that close rings are like the others. An assembly's matrix has rows and columns in the order of docking.

    Attributes:
        matrix: whole numbers, shape (modules, docks), read-only.
        kinds: the kind of each module: the column at the right.
        modules: their names; by default v0, v1, ...
        docking_types: of each docking: "DS", "DP", "DO", or "-" for none of them (Table II and
            :func:`.docking_type`): the row below. None: not known.
        turns: of each docking, quarter turns about the ports' normal; 0, the default: tops on one side.
        docks: names of the columns; by default e1, e2, ... They are labels: an assembly does not keep them.
        base: the base module; by default the first one.

    Raises:
        AssemblyError: no matrix of whole numbers; lists of wrong lengths; names used twice; a column with
            other than two entries; a face used twice; modules that are not connected. Names modules, faces
            and columns. Kinds, and what depends on them, :meth:`.Assembly.from_incidence_matrix` checks.
    """

    matrix: NDArray[np.int64]
    kinds: tuple[str, ...]
    modules: tuple[str, ...] = ()
    docking_types: tuple[str, ...] | None = None
    turns: tuple[int, ...] = ()
    docks: tuple[str, ...] = ()
    base: str = ""

    def __post_init__(self) -> None:
        rows, columns = _shape_of(self.matrix)
        modules = _names(self.modules, [f"v{k}" for k in range(rows)], "names", "modules")
        for name in modules:
            checked_name(name)
        docks = _names(self.docks, [f"e{k + 1}" for k in range(columns)], "names of docks", "docks")
        for name in docks:
            if name.split() != [name] or not is_label(name):
                needed = f"text without white space, of at most {LONGEST_NAME} characters, is needed"
                raise AssemblyError(f"a dock's name is {shown(name)}; {needed}")
        matrix = _checked_faces(self.matrix, modules, docks)
        base = self.base or modules[0]
        if base not in modules:
            raise AssemblyError(f"the base is {shown(base)}, which is none of the modules: {listed(modules)}")
        kinds, types = _texts(self.kinds, rows, "kinds", "modules"), self.docking_types
        if types is not None:
            types = _texts(types, columns, "docking types", "docks")
        turns = _checked_turns(self.turns, docks)
        self._set(matrix=matrix, modules=modules, docks=docks, base=base, kinds=kinds, turns=turns)
        self._set(docking_types=types)
        _require_dockings(matrix, modules, docks)
        _require_connected(matrix, modules)

    def __eq__(self, other: object) -> bool:
        return is_same(self, other) if isinstance(other, IncidenceMatrix) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.modules, self.kinds, self.turns))

    def __str__(self) -> str:
        """Return the matrix as in Fig. 5: faces, kinds at the right, docking types below, then turns, if any.

        A kind is shown by its initial where all kinds of the matrix have different ones.
        """
        initials = {kind: kind[0].upper() for kind in self.kinds}
        unique = len(set(initials.values())) == len(initials)
        kinds = [initials[kind] if unique else kind for kind in self.kinds]
        rows = [["", *self.docks, ""]]
        for name, faces, kind in zip(self.modules, self.matrix.tolist(), kinds, strict=True):
            rows.append([name, *map(str, faces), kind])
        if self.docking_types is not None:
            rows.append(["Joints", *self.docking_types, ""])
        if any(self.turns):
            rows.append(["Turns", *map(str, self.turns), ""])
        return table_text(rows)

    def to_yaml(self, path: Source | None = None) -> str:
        """Return the matrix as YAML, a line per module and docking, also written to ``path`` if given."""
        lines = [f"base: {one_line(self.base)}", "modules:  # name: kind"]
        lines += [f"  {one_line({n: k})[1:-1]}" for n, k in zip(self.modules, self.kinds, strict=True)]
        labels = "docks:  # faces of two modules; type: of the dyad; turn: quarter turns"
        lines.append(labels if self.docks else "docks: {}")
        for column, dock in enumerate(self.docks):
            faces = self.matrix[:, column]
            own: dict[str, Any] = {"faces": {self.modules[k]: int(faces[k]) for k in faces.nonzero()[0]}}
            own |= {} if self.docking_types is None else {"type": self.docking_types[column]}
            own |= {"turn": self.turns[column]} if self.turns[column] else {}
            lines.append(f"  {one_line({dock: own})[1:-1]}")
        text = "\n".join(lines) + "\n"
        if path is not None:
            Path(path).expanduser().write_text(text, encoding="utf-8")
        return text

    @classmethod
    def from_yaml(cls, source: Source) -> IncidenceMatrix:
        """Return a matrix from YAML like :meth:`to_yaml`'s; docking types, turns and base may be missing.

        Args:
            source: path of the file; or the text itself, which has several lines.

        Raises:
            DescriptionError: no such file; other YAML. Names file and line.
            AssemblyError: as :class:`IncidenceMatrix`; names the file.
        """
        name, text = given_text(source, "YAML file", MAX_YAML_BYTES)
        try:
            return cls(**_of_yaml(text, name))
        except AssemblyError as error:
            raise AssemblyError(f"{name}: {error}") from None


def as_incidence_matrix(
    matrix: ArrayLike | IncidenceMatrix, kinds: str | Sequence[str] | None
) -> IncidenceMatrix:
    """Return the matrix itself, or that of numbers with these kinds of modules, one for all or for each.

    Raises:
        AssemblyError: as :class:`IncidenceMatrix`; numbers without kinds, or kinds beside a matrix's own.
    """
    if isinstance(matrix, IncidenceMatrix) != (kinds is None):
        raise AssemblyError("kinds are for a matrix of numbers, which needs one for all modules or for each")
    if isinstance(matrix, IncidenceMatrix):
        return matrix
    of_each = (kinds,) * _shape_of(matrix)[0] if isinstance(kinds, str) else kinds
    return IncidenceMatrix(matrix, of_each)  # type: ignore[arg-type]


def column_ends(matrix: Faces) -> NDArray[np.intp]:
    """Return the two modules of each column, upper row first, shape (docks, 2)."""
    return np.nonzero(matrix.T)[1].reshape(-1, 2)


def table_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of equally many cells as aligned columns; the first one begins at the left."""
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for first, *others in cells:
        aligned = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *aligned]).rstrip())
    return "\n".join(lines)


# Checks of an incidence matrix's numbers and names; errors name modules, faces and columns.


def _shape_of(matrix: Any) -> tuple[int, int]:
    """Return the numbers of modules and docks. Raises AssemblyError: not a matrix, or no modules."""
    try:
        shape = np.shape(matrix)
    except ValueError:
        raise AssemblyError("the matrix is no matrix: rows of equally many numbers are needed") from None
    if len(shape) != 2 or not shape[0]:
        raise AssemblyError(f"the matrix has the shape {shape}; (modules, docks) is needed, from (1, 0) on")
    modules, docks = shape
    _require_size(modules, docks)
    return modules, docks


def _require_size(modules: int, docks: int) -> None:
    """Raise AssemblyError if there are too many."""
    for count, what, most in ((modules, "modules", MOST_MODULES), (docks, "docks", MOST_DOCKS)):
        if count > most:
            raise AssemblyError(f"the matrix has {count} {what}; at most {most} are supported")


def _listed(values: object, count: int, what: str, of: str) -> list[Any]:
    """Return a list of as many values as there are modules or docks. Raises AssemblyError."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise AssemblyError(f"the {what} are {shown(values)}; a list is needed, one for each of the {of}")
    if len(values) != count:
        raise AssemblyError(f"{len(values)} {what} for {count} {of}; one for each is needed")
    return list(values)


def _texts(values: object, count: int, what: str, of: str) -> tuple[str, ...]:
    """Return as many texts as there are modules or docks. Raises AssemblyError."""
    for k, value in enumerate(texts := _listed(values, count, what, of)):
        if not isinstance(value, str) or not value:
            raise AssemblyError(f"number {k + 1} of the {what} is {shown(value)}; text is needed")
    return tuple(map(str, texts))


def _names(values: object, default: Sequence[str], what: str, of: str) -> tuple[str, ...]:
    """Return names, none twice, or the default ones. Raises AssemblyError: wrong count, type, duplicate."""
    if values is None or values == ():
        return tuple(default)
    names = _texts(values, len(default), what, of)
    if len({*names}) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise AssemblyError(f"two of the {'columns' if of == 'docks' else of} have the name '{twice}'")
    return names


def _checked_turns(turns: object, docks: Sequence[str]) -> tuple[int, ...]:
    """Return quarter turns of each docking, or zeros. Raises AssemblyError: wrong count or value."""
    if turns is None or (isinstance(turns, tuple) and not turns):
        return (0,) * len(docks)
    values = []
    for dock, turn in zip(docks, _listed(turns, len(docks), "turns", "docks"), strict=True):
        if (value := integer(turn)) is None or not 0 <= value <= 3:
            raise AssemblyError(f"column '{dock}': the turn is {shown(turn)}; 0, 1, 2 or 3 is needed")
        values.append(value)
    return tuple(values)


def _checked_faces(matrix: ArrayLike, modules: Sequence[str], docks: Sequence[str]) -> Faces:
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


def _require_dockings(matrix: Faces, modules: Sequence[str], docks: Sequence[str]) -> None:
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
            both = f"'{docks[used[row, face]]}' and '{docks[column]}'"
            raise AssemblyError(
                f"face {face} of module '{modules[row]}' is used twice: in the columns {both}"
            )
        used[row, face] = column


def _require_connected(matrix: Faces, modules: Sequence[str]) -> None:
    """Raise AssemblyError unless dockings connect all modules; names those that are apart from the first."""
    at: list[list[int]] = [[] for _ in modules]
    for a, b in column_ends(matrix).tolist():
        at[a].append(b)
        at[b].append(a)
    reached, queue = {0}, [0]
    for row in queue:
        fresh = dict.fromkeys(other for other in at[row] if other not in reached)
        queue += fresh
        reached.update(fresh)
    if apart := [module for row, module in enumerate(modules) if row not in reached]:
        raise AssemblyError(
            f"the modules are not connected; no dockings connect '{modules[0]}' with {listed(apart)}"
        )


def _of_yaml(text: str, file: str) -> dict[str, Any]:
    """Return the fields in YAML. Raises DescriptionError: names file, line and element."""
    found = documents(text, file)
    if len(found) > 1:
        raise DescriptionError(f"{len(found)} documents, which '---' separates; one is needed", file)
    top = Element.top(found[0] if found else None, file, "a mapping (base, modules, docks)")
    top.require(("modules",), ("base", "docks"))
    modules, docks = top.element("modules"), top.element("docks", {})
    _require_size(len(modules.item), len(docks.item))
    kinds = {_key(modules, name): modules.text(name) for name in modules.item}
    row = {name: k for k, name in enumerate(kinds)}
    matrix = np.zeros((len(row), len(docks.item)), np.int64)
    types, turns = list[str](), list[int]()
    for column, name in enumerate(docks.item):
        own = docks.element(_key(docks, name)).require(("faces",), ("type", "turn"))
        faces = own.element("faces")
        for module in faces.item:
            if module not in row:
                raise faces.failure(module, f" is none of the modules: {listed(row)}")
            matrix[row[module], column] = faces.whole(module, None, -_LARGEST, _LARGEST)
        types += [own.text("type")] if "type" in own.item else []
        if len(types) not in (0, column + 1):
            raise docks.failure(name, ": docks with and without a type; all or none are needed")
        turns.append(own.whole("turn", 0, -_LARGEST, _LARGEST))
    base = top.text("base") if "base" in top.item else ""
    return {
        "matrix": matrix,
        "kinds": list(kinds.values()),
        "modules": list(kinds),
        "docking_types": types or None,
        "turns": tuple(turns),
        "docks": list(docks.item),
        "base": base,
    }


def _key(element: Element, name: Any) -> str:
    """Return a key that is text. Raises DescriptionError: a number, which would have quotes."""
    if not isinstance(name, str):
        raise element.failure(name, " is no text; write it in quotes")
    return name

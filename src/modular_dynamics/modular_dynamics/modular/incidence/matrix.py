"""The adapted assembly incidence matrix (AIM): which faces of which modules are docked, and docking types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import to_rotation_translation
from ...exceptions import AssemblyError, DescriptionError
from ...model import JointType
from ...model.number_arrays import Constant
from ...text.element import Element
from ...text.files import given_text
from ...text.sizes import MAX_YAML_BYTES
from ...text.yaml_text import documents, one_line
from ..assembly.structure import Structure, integer
from ..modules.module_type import ModuleJoint, ModuleType, Port, docked_pose, is_same
from ..names import MOST_MODULES, NAME, is_name, listed, shown

Faces = NDArray[np.int64]
Source = str | PathLike[str]
#: Larger numbers are no faces.
_LARGEST = 2**31
#: One for each module but the base, and as many again for rings.
MOST_DOCKS = 2 * MOST_MODULES
#: Angles [rad] and distances [m] that count as zero: poses in files have rounded numbers.
_SMALL = 1e-6


@dataclass(frozen=True, eq=False)
class IncidenceMatrix(Constant):
    """The adapted assembly incidence matrix AIM_SB (Meister & Gutenkunst, section IV.A, Fig. 5). Constant.

    A column is a docking and has two entries, the numbers of the two ports; 0: none of this module. Columns
    that close rings are like the others. An assembly's matrix has rows and columns in the order of docking.

    Attributes:
        matrix: whole numbers, shape (modules, docks), read-only.
        kinds: the kind of each module, the column at the right; given as one text, that of all.
        modules: their names; by default v0, v1, ...
        docking_types: of each docking: "DS", "DP", "DO", or "-" for none of them (Table II and
            :func:`.docking_type`): the row below. None: not known.
        turns: of each docking, quarter turns about the ports' normal; 0, the default: tops on one side.
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
    base: str = ""

    def __post_init__(self) -> None:
        rows, columns = _shape_of(self.matrix)
        names = tuple(f"v{k}" for k in range(rows))
        modules = _row(self.modules, rows, "names", "modules", is_name, NAME.rstrip(","), names)
        if twice := [name for name, count in Counter(modules).items() if count > 1]:
            raise AssemblyError(f"two of the modules have the name '{twice[0]}'")
        given: Any = self.kinds
        given = (given,) * rows if isinstance(given, str) else given
        kinds, types = _row(given, rows, "kinds", "modules", _is_text, "text"), self.docking_types
        if types is not None:
            types = _row(types, columns, "docking types", "docks", _is_text, "text")
        turns = _row(self.turns, columns, "turns", "docks", _is_turn, "0, 1, 2 or 3", (0,) * columns)
        base = self.base or modules[0]
        if base not in modules:
            raise AssemblyError(f"the base is {shown(base)}, which is none of the modules: {listed(modules)}")
        self._set(modules=modules, base=base, kinds=kinds, turns=turns, docking_types=types)
        self._set(matrix=_checked_faces(self.matrix, modules, self.docks))
        _require_dockings(self.matrix, modules, self.docks)

    @property
    def docks(self) -> tuple[str, ...]:
        """Names of the columns in messages and pictures: e1, e2, ..."""
        return tuple(f"e{k + 1}" for k in range(np.shape(self.matrix)[1]))

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
        lines.append(labels if self.turns else "docks: []")
        for column, turn in enumerate(self.turns):
            faces = self.matrix[:, column]
            own: dict[str, Any] = {"faces": {self.modules[k]: int(faces[k]) for k in faces.nonzero()[0]}}
            own |= {} if self.docking_types is None else {"type": self.docking_types[column]}
            own |= {"turn": turn} if turn else {}
            lines.append(f"  - {one_line(own)}")
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
            return _from_yaml(text, name)
        except AssemblyError as error:
            raise AssemblyError(f"{name}: {error}") from None


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


def incidence_matrix_of(structure: Structure) -> IncidenceMatrix:
    """Return an assembly's incidence matrix: modules and dockings in the order of docking."""
    modules = list(structure.placed)
    row = {name: k for k, name in enumerate(modules)}
    docking_of = {docking[:2]: docking for docking in (*structure.dockings, *structure.rings)}
    # both ports of a docking are entered when it is made: rings stand among the others
    dockings = [docking_of[key] for key in structure.used if key in docking_of]
    matrix = np.zeros((len(modules), len(dockings)), np.int64)
    type_of = cache(docking_type)  # modules have few distinct types
    types = []
    for column, docking in enumerate(dockings):
        kinds = [structure.placed[name].type for name in (docking.parent, docking.module)]
        ports = kinds[0].ports[docking.parent_port], kinds[1].ports[docking.port]
        matrix[row[docking.parent], column] = ports[0].number
        matrix[row[docking.module], column] = ports[1].number
        types.append(type_of(kinds[0], ports[0], kinds[1], ports[1], docking.turn))
    return IncidenceMatrix(
        matrix,
        kinds=tuple(placed.type.name for placed in structure.placed.values()),
        modules=tuple(modules),
        docking_types=tuple(types),
        turns=tuple(docking.turn for docking in dockings),
        base=structure.base,
    )


# Docking types: how the hinge axes of two docked modules lie to each other.


def docking_type(a: ModuleType, port: Port, b: ModuleType, other: Port, turn: int) -> str:
    """Return the docking type of ``other`` of b docked at ``port`` of a, at zero joint positions.

    "DS": the hinge axes of both modules are on one line (serial); "DP": they are parallel; "DO": orthogonal.
    "-": anything else, or a kind without a hinge. Between Backbones and Scouts without turns this is Table II
    of Meister & Gutenkunst.

    A kind's hinge is the last rotating joint with a fixed axis on the way from its entry to its root body:
    ``bend`` of Backbone and Scout. Without an entry it is its only rotating joint.
    """
    own, theirs = _hinge(a), _hinge(b)
    if own is None or theirs is None or own.axis is None or theirs.axis is None:
        return "-"
    rotation, position = to_rotation_translation(docked_pose(port, other, turn))
    axis = rotation @ theirs.axis
    if abs(own.axis @ axis) < _SMALL:
        return "DO"
    if np.linalg.norm(np.cross(own.axis, axis)) >= _SMALL:
        return "-"
    apart = np.cross(own.axis, rotation @ theirs.origin + position - own.origin)
    return "DS" if np.linalg.norm(apart) < _SMALL else "DP"


def _hinge(kind: ModuleType) -> ModuleJoint | None:
    """Return a kind's hinge as :func:`docking_type` defines it; None if it has none."""
    rotating = [joint for joint in kind.joints if joint.type is not JointType.PRISMATIC]
    hinges = [joint for joint in rotating if joint.axis is not None]
    entering = [step.joint for step in kind.entry_steps if step.joint in hinges]
    return entering[-1] if entering else hinges[0] if len(hinges) == 1 else None


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


def _row(
    values: Any, count: int, what: str, of: str, is_right: Any, needed: str, default: Any = None
) -> tuple[Any, ...]:
    """Return one value for each of the modules or docks, or a default for (). Raises AssemblyError."""
    if default is not None and isinstance(values, tuple) and not values:
        values = default
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise AssemblyError(f"the {what} are {shown(values)}; a list is needed, one for each of the {of}")
    if len(values) != count:
        raise AssemblyError(f"{len(values)} {what} for {count} {of}; one for each is needed")
    for k, value in enumerate(values):
        if not is_right(value):
            raise AssemblyError(f"number {k + 1} of the {what} is {shown(value)}; {needed} is needed")
    return tuple(str(value) if isinstance(value, str) else int(value) for value in values)


def _is_text(value: object) -> bool:
    """Return whether a value is text that is not empty."""
    return isinstance(value, str) and bool(value)


def _is_turn(value: object) -> bool:
    """Return whether a value is a number of quarter turns."""
    return integer(value) in (0, 1, 2, 3)


def _checked_faces(matrix: ArrayLike, modules: Sequence[str], docks: Sequence[str]) -> Faces:
    """Return the matrix as read-only whole numbers. Raises AssemblyError: names module and column."""
    given = matrix if isinstance(matrix, np.ndarray) else np.array(matrix, object)
    numbers = given
    if given.dtype.kind not in "iu":
        numbers = np.array([[_face(value) for value in row] for row in given], np.int64).reshape(given.shape)
    for row, column in np.argwhere((numbers < 0) | (numbers > _LARGEST)).tolist():
        raise AssemblyError(
            f"module '{modules[row]}', column '{docks[column]}': the entry is "
            f"{shown(given.tolist()[row][column])}; the number of a face is needed, or 0 for none"
        )
    faces = numbers.astype(np.int64)
    faces.flags.writeable = False
    return faces


def _face(value: Any) -> int:
    """Return the number of a face; -1 for what is no whole number from 0 on."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value <= _LARGEST and value == int(value) else -1


def _require_dockings(matrix: Faces, modules: Sequence[str], docks: Sequence[str]) -> None:
    """Raise AssemblyError unless columns have two entries, no face is used twice, and all are connected."""
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
    beside: dict[int, list[int]] = {row: [] for row in range(len(modules))}
    for a, b in column_ends(matrix).tolist():
        beside[a].append(b)
        beside[b].append(a)
    waiting = beside.pop(0)
    while waiting:
        waiting += beside.pop(waiting.pop(), ())
    if apart := [modules[row] for row in beside]:
        raise AssemblyError(
            f"the modules are not connected; no dockings connect '{modules[0]}' with {listed(apart)}"
        )


def _from_yaml(text: str, file: str) -> IncidenceMatrix:
    """Return the matrix in a YAML text: see :meth:`.IncidenceMatrix.from_yaml`."""
    found = documents(text, file)
    if len(found) > 1:
        raise DescriptionError(f"{len(found)} documents, which '---' separates; one is needed", file)
    top = Element.top(found[0] if found else None, file, "a mapping (base, modules, docks)")
    top.require(("modules",), ("base", "docks"))
    modules, docks = top.element("modules"), top.elements("docks")
    _require_size(len(modules.item), len(docks))
    if numbers := [name for name in modules.item if not isinstance(name, str)]:
        raise modules.failure(numbers[0], " is no text; write it in quotes")
    row = {name: k for k, name in enumerate(modules.item)}
    matrix = np.zeros((len(row), len(docks)), np.int64)
    types, turns = list[str](), list[int]()
    for column, own in enumerate(docks):
        faces = own.require(("faces",), ("type", "turn")).element("faces")
        for module in faces.item:
            if module not in row:
                raise faces.failure(module, f" is none of the modules: {listed(row)}")
            matrix[row[module], column] = faces.whole(module, None, -_LARGEST, _LARGEST)
        types += [own.text("type")] if "type" in own.item else []
        if len(types) not in (0, column + 1):
            raise own.failure("faces", ": docks with and without a type; all or none are needed")
        turns.append(own.whole("turn", 0, -_LARGEST, _LARGEST))
    kinds = [modules.text(name) for name in row]
    base = top.text("base") if "base" in top.item else ""
    return IncidenceMatrix(matrix, tuple(kinds), tuple(row), tuple(types) or None, tuple(turns), base)

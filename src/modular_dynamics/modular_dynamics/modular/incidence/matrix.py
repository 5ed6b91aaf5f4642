"""The adapted assembly incidence matrix (AIM): which faces of which modules are docked to each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...exceptions import AssemblyError, DescriptionError
from ...model.number_arrays import Constant
from ...text.files import given_text
from ...text.sizes import MAX_BYTES, MAX_YAML_BYTES
from ..names import listed, shown
from . import checks
from .printing import matrix_text
from .tables import Source, Table, csv_of, table_of_csv, table_of_yaml, written, yaml_of

__all__ = ["IncidenceMatrix", "as_incidence_matrix"]


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
        rows, columns = checks.shape_of(self.matrix)
        modules = checks.checked_modules(self.modules, rows)
        docks = checks.checked_docks(self.docks, columns)
        matrix = checks.checked_faces(self.matrix, modules, docks)
        base = self.base or modules[0]
        if base not in modules:
            raise AssemblyError(f"the base is {shown(base)}, which is none of the modules: {listed(modules)}")
        self._set(
            matrix=matrix,
            modules=modules,
            docks=docks,
            base=base,
            kinds=checks.checked_texts(self.kinds, rows, "kinds", "modules"),
            turns=checks.checked_turns(self.turns, docks),
        )
        if self.docking_types is not None:
            types = checks.checked_texts(self.docking_types, columns, "docking types", "docks")
            self._set(docking_types=types)
        checks.require_dockings(matrix, modules, docks)
        checks.require_connected(matrix, modules)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IncidenceMatrix):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        own = (getattr(self, field.name) for field in fields(self) if field.name != "matrix")
        return self.matrix.shape, self.matrix.tobytes(), *own

    def __str__(self) -> str:
        return matrix_text(self._table())

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """The matrix as a table of comma-separated values, also written to ``path`` if that is given."""
        return written(csv_of(self._table()), path)

    @classmethod
    def from_csv(cls, source: Source) -> IncidenceMatrix:
        """The matrix in a table as :meth:`to_csv` writes it; docking types, turns and base may be missing.

        Args:
            source: path of the file; or the text itself, which has several lines.

        Raises:
            DescriptionError: no such file; no such table. Names file, line and column.
            AssemblyError: as :class:`IncidenceMatrix`; names the file.
        """
        return cls._read(given_text(source, "CSV table", MAX_BYTES), table_of_csv)

    def to_yaml(self, path: str | PathLike[str] | None = None) -> str:
        """The matrix as YAML, a line for each module and each docking, also written to ``path`` if given."""
        return written(yaml_of(self._table()), path)

    @classmethod
    def from_yaml(cls, source: Source) -> IncidenceMatrix:
        """The matrix in YAML as :meth:`to_yaml` writes it; docking types, turns and base may be missing.

        Args:
            source: path of the file; or the text itself, which has several lines.

        Raises:
            DescriptionError: no such file; other YAML. Names file and line.
            AssemblyError: as :class:`IncidenceMatrix`; names the file.
        """
        return cls._read(given_text(source, "YAML file", MAX_YAML_BYTES), table_of_yaml)

    @classmethod
    def _read(cls, source: tuple[str, str], table_of: Callable[[str], Table]) -> IncidenceMatrix:
        name, text = source
        try:
            arguments: tuple[Any, ...] = table_of(text)
            return cls(*arguments)
        except DescriptionError as error:
            raise error.located(f"{name}: ", error.line) from None
        except AssemblyError as error:
            raise AssemblyError(f"{name}: {error}") from None

    def _table(self) -> Table:
        return Table(*(getattr(self, name) for name in Table._fields))


def as_incidence_matrix(
    matrix: ArrayLike | IncidenceMatrix,
    kinds: str | Sequence[str] | None,
    names: Sequence[str] | None,
    turns: Sequence[int] | None,
    base: str | None,
    docking_types: Sequence[str] | None,
) -> IncidenceMatrix:
    """Return the matrix with the given attributes in place of its own; None keeps these or the default.

    Raises:
        AssemblyError: as :class:`IncidenceMatrix`; or a matrix of numbers without kinds.
    """
    if isinstance(kinds, str):
        count = checks.shape_of(matrix.matrix if isinstance(matrix, IncidenceMatrix) else matrix)[0]
        kinds = (kinds,) * count
    given = {"kinds": kinds, "modules": names, "turns": turns, "base": base, "docking_types": docking_types}
    own: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if not isinstance(matrix, IncidenceMatrix):
        if kinds is None:
            raise AssemblyError("a matrix of numbers needs the kinds of its modules, one for all or for each")
        return IncidenceMatrix(matrix, **own)  # type: ignore[arg-type]
    if names is not None and base is None and len(names) == len(matrix.modules):
        own["base"] = names[matrix.modules.index(matrix.base)]
    return replace(matrix, **own) if own else matrix

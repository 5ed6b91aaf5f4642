"""Assemblies as incidence matrices, and back."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...exceptions import AssemblyError, UnknownNameError
from ...model import JointType
from ..assembly.structure import Docking, Structure, checked_kind, checked_port, docked
from ..modules.module_type import ModuleJoint, ModuleType, Port, docked_pose
from .matrix import IncidenceMatrix, column_ends

# Docking types: how the hinge axes of two docked modules lie to each other.

_ROTATING = (JointType.REVOLUTE, JointType.CONTINUOUS)
#: Angles [rad] and distances [m] that count as zero: poses in files have rounded numbers.
_SMALL = 1e-6


class _Line(NamedTuple):
    """A line: a point on it [m], and its unit direction."""

    point: NDArray[np.float64]
    direction: NDArray[np.float64]


def docking_type(a: ModuleType, port: Port, b: ModuleType, other: Port, turn: int) -> str:
    """Return the docking type of ``other`` of b docked at ``port`` of a, at zero joint positions.

    "DS": the hinge axes of both modules are on one line (serial); "DP": they are parallel; "DO": orthogonal.
    "-": anything else, or a kind without a hinge. Between Backbones and Scouts without turns this is Table II
    of Meister & Gutenkunst.

    A kind's hinge is the last rotating joint with a fixed axis on the way from its entry to its root body:
    ``bend`` of Backbone and Scout. Without an entry it is its only rotating joint.
    """
    own, theirs = _hinge(a), _hinge(b)
    if own is None or theirs is None:
        return "-"
    rotation, position = to_rotation_translation(docked_pose(port, other, turn))
    direction = rotation @ theirs.direction
    if abs(own.direction @ direction) < _SMALL:
        return "DO"
    if np.linalg.norm(np.cross(own.direction, direction)) >= _SMALL:
        return "-"
    apart = np.cross(own.direction, rotation @ theirs.point + position - own.point)
    return "DS" if np.linalg.norm(apart) < _SMALL else "DP"


def _hinge(kind: ModuleType) -> _Line | None:
    """Return the axis of a kind's hinge (:func:`docking_type`); None if it has none."""
    entering = [step.joint for step in kind.entry_steps if _has_axis(step.joint)]
    own = [joint for joint in kind.joints if _has_axis(joint)]
    joint = entering[-1] if entering else own[0] if len(own) == 1 else None
    return None if joint is None or joint.axis is None else _Line(joint.origin, joint.axis)


def _has_axis(joint: ModuleJoint) -> bool:
    """Return whether a joint rotates about a fixed axis."""
    return joint.type in _ROTATING and joint.axis is not None


def incidence_matrix_of(structure: Structure) -> IncidenceMatrix:
    """Return an assembly's incidence matrix: modules and dockings in the order of docking."""
    modules = list(structure.placed)
    row = {name: k for k, name in enumerate(modules)}
    dockings = list(_in_order(structure))
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
        tuple(placed.type.name for placed in structure.placed.values()),
        tuple(modules),
        tuple(types),
        tuple(docking.turn for docking in dockings),
        base=structure.base,
    )


def _in_order(structure: Structure) -> Iterator[Docking]:
    """Yield all dockings, rings included, in the order in which they were made."""
    at = {docking[:2]: docking for docking in structure.dockings}
    for key in structure.used:  # both ports of a docking are entered when it is made
        if key in at:
            yield at[key]


def with_columns(start: Structure, aim: IncidenceMatrix) -> Structure:
    """Return the base module with all dockings of a matrix.

    Of the columns at modules that are there already, the first one is docked next: the columns of a matrix in
    docking order keep it. A column between two modules that are both there closes a ring.

    Raises:
        UnknownNameError: a kind or a face; names the choices.
        AssemblyError: faces that do not fit, modules in one cell, a wrong docking type; names column and
            faces.
    """
    kinds = [checked_kind(kind, name, start.types) for name, kind in zip(aim.modules, aim.kinds, strict=True)]
    ends = column_ends(aim.matrix).tolist()
    type_of = cache(docking_type)  # modules have few distinct types
    there, rest = {aim.modules.index(aim.base)}, dict.fromkeys(range(len(ends)))
    while rest:  # dockings connect all modules
        column = next(k for k in rest if not there.isdisjoint(ends[k]))
        del rest[column]
        a, b = ends[column] if ends[column][0] in there else ends[column][::-1]
        names, faces = [aim.modules[k] for k in (a, b)], aim.matrix[[a, b], column].tolist()
        kind, turn = None if b in there else kinds[b], aim.turns[column]
        try:
            start = docked(start, names[0], faces[0], names[1], faces[1], kind, turn)
            port, other = (checked_port(names[k], kinds[(a, b)[k]], faces[k]) for k in (0, 1))
            right = type_of(kinds[a], port, kinds[b], other, turn)
            if aim.docking_types is not None and aim.docking_types[column] != right:
                given = f"the docking type is '{aim.docking_types[column]}'"
                raise AssemblyError(f"{given}; '{right}' is right for them")
        except (AssemblyError, UnknownNameError) as error:
            where = f"face {faces[0]} of module '{names[0]}' and face {faces[1]} of module '{names[1]}'"
            raise type(error)(f"column '{aim.docks[column]}', {where}: {error}") from None
        there.add(b)
    return start

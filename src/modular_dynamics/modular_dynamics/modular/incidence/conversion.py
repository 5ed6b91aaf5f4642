"""Docking types, and assemblies as incidence matrices."""

from functools import cache

import numpy as np

from ...algebra import to_rotation_translation
from ...model import JointType
from ..assembly.structure import Structure
from ..modules.module_type import ModuleJoint, ModuleType, Port, docked_pose
from .matrix import IncidenceMatrix

# Docking types: how the hinge axes of two docked modules lie to each other.

_ROTATING = (JointType.REVOLUTE, JointType.CONTINUOUS)
#: Angles [rad] and distances [m] that count as zero: poses in files have rounded numbers.
_SMALL = 1e-6


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
    """Return a kind's hinge (:func:`docking_type`); None if it has none."""
    hinges = [joint for joint in kind.joints if joint.type in _ROTATING and joint.axis is not None]
    entering = [step.joint for step in kind.entry_steps if step.joint in hinges]
    return entering[-1] if entering else hinges[0] if len(hinges) == 1 else None


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
        tuple(placed.type.name for placed in structure.placed.values()),
        tuple(modules),
        tuple(types),
        tuple(docking.turn for docking in dockings),
        base=structure.base,
    )

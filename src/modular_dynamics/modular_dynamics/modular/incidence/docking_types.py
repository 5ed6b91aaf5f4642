"""Docking types: how the hinge axes of two docked modules lie to each other."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...algebra import to_rotation_translation
from ...model import JointType
from ..modules.module_type import ModuleJoint, ModuleType
from ..modules.port import Port, docked_pose

__all__ = ["docking_type"]

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
    entering = [step.joint for step in kind.entry_steps if _has_axis(step.joint)]
    own = [joint for joint in kind.joints if _has_axis(joint)]
    joint = entering[-1] if entering else own[0] if len(own) == 1 else None
    return None if joint is None or joint.axis is None else _Line(joint.origin, joint.axis)


def _has_axis(joint: ModuleJoint) -> bool:
    return joint.type in _ROTATING and joint.axis is not None

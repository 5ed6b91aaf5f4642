"""The torques that are right, by Pinocchio from the text of the URDF; our library has no part in it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pinocchio
from numpy.typing import NDArray

from robustness.harness.newton_euler import LargeTree

__all__ = ["TOLERANCE", "Oracle", "Terms"]

Array = NDArray[np.float64]
#: Of a torque, relative to the largest term of any: two libraries add up in different orders.
TOLERANCE = 1e-9
#: Joints; see `newton_euler`.
MOST_FOR_PINOCCHIO = 250
#: Below this speed the nodes let dry friction rise linearly (docs/nodes.md).
_FRICTION_SPEED = 1e-3


class Terms(NamedTuple):
    """What torques are made of; ``scale``: the largest term."""

    full: Array
    gravity: Array
    friction: Array
    scale: float


class Oracle:
    """Torques of a robot of revolute, continuous and prismatic joints; our tags are not read.

    Attributes:
        names: of the joints, in the order of all vectors.
    """

    def __init__(self, urdf: str) -> None:
        robot = ElementTree.fromstring(urdf)
        joints = {str(one.get("name")): one for one in robot.findall("joint")}
        self._large = LargeTree(robot) if len(joints) > MOST_FOR_PINOCCHIO else None
        if self._large is not None:
            self.names = self._large.names
        else:
            self._model = pinocchio.buildModelFromXML(urdf)
            self._data = self._model.createData()
            assert self._model.nv == len(self._model.names) - 1
            self.names = list(self._model.names)[1:]
        self._damping = np.array([_number(joints[n], "dynamics", "damping", 0.0) for n in self.names])
        self._dry = np.array([_number(joints[n], "dynamics", "friction", 0.0) for n in self.names])
        self._limits = np.array([_number(joints[n], "limit", "effort", np.inf) for n in self.names])

    def terms(self, q: Array, v: Array, gravity: Sequence[float] = (0.0, 0.0, -9.81)) -> Terms:
        """The terms of the torques [N m or N] without accelerations."""
        zero, down = np.zeros(len(self.names)), np.array(gravity)
        if self._large is not None:
            at_rest, full = (self._large.torques(q, rates, down) for rates in (zero, v))
        else:
            model, data = self._model, self._data
            model.gravity = pinocchio.Motion(down, np.zeros(3))
            position = pinocchio.integrate(model, pinocchio.neutral(model), np.asarray(q))
            at_rest = np.array(pinocchio.rnea(model, data, position, zero, zero))
            full = np.array(pinocchio.rnea(model, data, position, np.asarray(v), zero))
        friction = self._damping * v + self._dry * np.clip(v / _FRICTION_SPEED, -1.0, 1.0)
        largest = max(float(np.abs(part).max()) for part in (full, at_rest, friction))
        return Terms(full, at_rest, friction, max(largest, 1e-3))

    def torques(self, terms: Terms, settings: Mapping[str, Any]) -> Array:
        """The torques of a node with these parameters (`output`, `friction`, `effort_limits`)."""
        tau = {
            "full": terms.full,
            "gravity": terms.gravity,
            "full_minus_gravity": terms.full - terms.gravity,
        }[settings["output"]]
        if settings["friction"] == "urdf":
            tau = tau + terms.friction
        if settings["effort_limits"] == "clip":
            return np.clip(tau, -self._limits, self._limits)
        if settings["effort_limits"] == "scale":
            exceeded = np.abs(tau) > self._limits
            return (
                tau * min(1.0, *(self._limits[exceeded] / np.abs(tau[exceeded]))) if exceeded.any() else tau
            )
        return tau

    def accelerations(self, q: Array, terms: Terms, tau: Array) -> Array:
        """The accelerations for which torques ``tau`` exceed those at ``a = 0``."""
        model = self._model
        position = pinocchio.integrate(model, pinocchio.neutral(model), np.asarray(q))
        matrix = np.array(pinocchio.crba(model, self._data, position))
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        return np.asarray(np.linalg.solve(matrix, tau - terms.full))


def _number(joint: ElementTree.Element, tag: str, attribute: str, default: float) -> float:
    element = joint.find(tag)
    return default if element is None else float(element.get(attribute, default))

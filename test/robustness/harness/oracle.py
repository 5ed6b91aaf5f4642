"""The torques that are right, by Pinocchio or MuJoCo from the text of the URDF: without our library."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio
from numpy.typing import NDArray

from papers.charmie_torso.mujoco_loops import parsed_without_shapes, rigid_model, specification

Array = NDArray[np.float64]
#: Of a torque, relative to the largest term of any: two libraries add up in different orders.
TOLERANCE = 1e-9
#: Joints; Pinocchio's Data grows with their cube: 1,000 take more than 20 GB. Larger trees are MuJoCo's.
MOST_FOR_PINOCCHIO = 250
#: Below this speed the nodes let dry friction rise linearly (docs/reference/nodes.md).
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
        self._large = len(joints) > MOST_FOR_PINOCCHIO
        if self._large:
            self._model = rigid_model(specification(parsed_without_shapes(urdf)))
            self._data = mujoco.MjData(self._model)
            self.names = [self._model.joint(k).name for k in range(self._model.njnt)]
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
        if self._large:
            at_rest, full = (self._by_mujoco(q, rates, down) for rates in (zero, v))
        else:
            model, data = self._model, self._data
            model.gravity = pinocchio.Motion(down, np.zeros(3))
            position = pinocchio.integrate(model, pinocchio.neutral(model), np.asarray(q))
            at_rest = np.array(pinocchio.rnea(model, data, position, zero, zero))
            full = np.array(pinocchio.rnea(model, data, position, np.asarray(v), zero))
        friction = self._damping * v + self._dry * np.clip(v / _FRICTION_SPEED, -1.0, 1.0)
        largest = max(float(np.abs(part).max()) for part in (full, at_rest, friction))
        return Terms(full, at_rest, friction, max(largest, 1e-3))

    def _by_mujoco(self, q: Array, v: Array, gravity: Array) -> Array:
        self._model.opt.gravity[:] = gravity
        self._data.qpos[:], self._data.qvel[:], self._data.qacc[:] = q, v, 0.0
        mujoco.mj_inverse(self._model, self._data)
        return np.array(self._data.qfrc_inverse)

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


def _number(joint: ElementTree.Element, tag: str, attribute: str, default: float) -> float:
    element = joint.find(tag)
    return default if element is None else float(element.get(attribute, default))

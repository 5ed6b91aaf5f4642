"""Payloads identified from a simulated noisy force/torque sensor at the wrist of an arm, in random runs.

The truth is Pinocchio's: the force on the last joint of vendor_arm.urdf at rest, with everything that hangs
there. Each run has poses, sensor offset, payload and noise of its own.
"""

from dataclasses import dataclass

import numpy as np
import pinocchio
from numpy.typing import NDArray
from scipy.stats import binomtest

from helpers.paths import ROBOTS
from modular_dynamics_ros.computation.black_boxes.identification import (
    RestPose,
    UnfitPosesError,
    identify_payload,
)
from modular_dynamics_ros.computation.black_boxes.sensors import SensorPlacement
from modular_dynamics_ros.computation.wrenches.frames import wrench_matrix

ARM = ROBOTS / "vendor_arm.urdf"
FORCE_NOISE, MOMENT_NOISE = 0.1, 0.005  # [N], [N m] standard deviations of one averaged wrench
POSES, CONFIDENCE = 8, 0.95
DRAWS = 20  # of poses, until some are accepted


def sensor_at(H_connection_sensor: NDArray[np.float64], *, reverse: bool = False) -> SensorPlacement:
    """The placement of a sensor frame with this pose (4, 4)."""
    matrix = wrench_matrix(H_connection_sensor)
    return SensorPlacement(-matrix if reverse else matrix, fixed=True)


@dataclass(frozen=True)
class Runs:
    """Errors of the payloads that were identified, and whether they are as stated.

    Attributes:
        mass: relative errors (runs,). com: distances [m] (runs,). inside: (runs, 4) whether each interval
            contains the truth.
    """

    mass: NDArray[np.float64]
    com: NDArray[np.float64]
    inside: NDArray[np.bool_]

    @property
    def p_values(self) -> list[float]:
        """Of the stated confidence, two-sided, by quantity."""
        runs, counts = len(self.inside), self.inside.sum(axis=0).tolist()
        return [float(binomtest(k, runs, CONFIDENCE).pvalue) for k in counts]


class SimulatedSensor:
    """The sensor is at the arm's last joint; fingers stand still."""

    def __init__(self) -> None:
        model = pinocchio.buildModelFromUrdf(str(ARM))
        fingers = [model.getJointId(name) for name in model.names if "finger" in name]
        self._bare = pinocchio.buildReducedModel(model, fingers, pinocchio.neutral(model))

    def carry(self, mass: float, com: NDArray[np.float64]) -> None:
        """Let a point mass [kg] hang there, at com (3,) [m] in the joint's frame."""
        self._model = self._bare.copy()
        joint = self._model.njoints - 1
        load = pinocchio.Inertia(mass, com, np.zeros((3, 3)))
        self._model.appendBodyToJoint(joint, load, pinocchio.SE3.Identity())
        self._data = self._model.createData()

    @property
    def truth(self) -> tuple[float, NDArray[np.float64]]:
        """Mass and its centre of all that hangs there."""
        inertia = self._model.inertias[self._model.njoints - 1]
        return inertia.mass, inertia.lever

    def at_rest(self, q: NDArray[np.float64]) -> RestPose:
        """Without noise and offset."""
        rest = np.zeros(self._model.nv)
        pinocchio.rnea(self._model, self._data, q, rest, rest)
        pinocchio.forwardKinematics(self._model, self._data, q)
        joint = self._model.njoints - 1
        gravity = self._data.oMi[joint].rotation.T @ self._model.gravity.linear
        return RestPose(gravity, self._data.f[joint].vector.copy())

    def random_pose(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Uniform between the joints' limits."""
        low, high = self._model.lowerPositionLimit, self._model.upperPositionLimit
        return np.asarray(rng.uniform(np.maximum(low, -np.pi), np.minimum(high, np.pi)))


def identify_many(runs: int, seed: int = 1) -> Runs:
    """Random runs; a run whose poses are refused is drawn again, as a user would."""
    rng, sensor, here = np.random.default_rng(seed), SimulatedSensor(), sensor_at(np.eye(4))
    noise = np.repeat((FORCE_NOISE, MOMENT_NOISE), 3)
    mass, com, inside = np.zeros(runs), np.zeros(runs), np.zeros((runs, 4), dtype=bool)
    for k in range(runs):
        sensor.carry(rng.uniform(0.5, 3.0), rng.uniform(-0.1, 0.1, 3))
        true_mass, true_com = sensor.truth
        offset = rng.normal(0.0, np.repeat((5.0, 0.2), 3))
        for _ in range(DRAWS):
            clean = [sensor.at_rest(sensor.random_pose(rng)) for _ in range(POSES)]
            measured = [RestPose(p.gravity, p.wrench + offset + rng.normal(0.0, noise)) for p in clean]
            try:
                found = identify_payload(measured, here, CONFIDENCE)
                break
            except UnfitPosesError:
                continue
        else:
            raise RuntimeError(f"run {k}: the poses of {DRAWS} draws were all refused")
        mass[k] = abs(found.mass / true_mass - 1.0)
        com[k] = np.linalg.norm(found.com - true_com)
        errors = np.abs([found.mass - true_mass, *(found.com - true_com)])
        inside[k] = errors <= [found.mass_interval, *found.com_interval]
    return Runs(mass, com, inside)

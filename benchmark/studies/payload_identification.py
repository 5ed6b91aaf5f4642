"""Payloads identified from a noisy force/torque sensor at the wrist of an arm, in many random runs.

The truth is Pinocchio's: the force on the last joint of vendor_arm.urdf at rest, with everything that hangs
there. Each run has poses, sensor offset, payload and noise of its own. Printed are the largest errors of mass
and centre, and how often the stated intervals contain the truth, with a binomial test of that confidence.

A second sensor has three times the noise along z. Its intervals may be wider than needed, as few poses tell
little of three noises; the test is whether they are too narrow.

    python -m benchmark.studies.payload_identification [--runs 2000]
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio
from numpy.typing import NDArray
from rich.console import Console
from scipy.stats import binomtest

from benchmark.report.tables import print_table, verdict
from modular_dynamics_ros.computation.black_boxes.identification import (
    RestPose,
    UnfitPosesError,
    identify_payload,
)
from modular_dynamics_ros.computation.black_boxes.sensors import SensorPlacement

ARM = Path(__file__).resolve().parents[2] / "urdf" / "vendor_arm.urdf"
FORCE_NOISE, MOMENT_NOISE = 0.1, 0.005  # [N], [N m] standard deviations of one averaged wrench
POSES, CONFIDENCE = 8, 0.95
EVEN, UNEVEN = (1.0, 1.0, 1.0), (1.0, 1.0, 3.0)  # noise along x, y, z, relative
DRAWS = 20  # of poses, until some are accepted
MASS_TARGET, COM_TARGET = 0.01, 0.002  # relative, [m]
QUANTITIES = ("mass", "com x", "com y", "com z")


@dataclass(frozen=True)
class Runs:
    """Of all runs.

    Attributes:
        mass: relative errors (runs,). com: distances [m] (runs,). inside: (runs, 4) whether each interval
            contains the truth. refused: runs whose poses were too similar, which were drawn again.
    """

    mass: NDArray[np.float64]
    com: NDArray[np.float64]
    inside: NDArray[np.bool_]
    refused: int

    @property
    def coverage(self) -> NDArray[np.float64]:
        """Share (4,) of runs in which the interval of each quantity contains the truth."""
        return np.asarray(self.inside.mean(axis=0))

    @property
    def p_values(self) -> list[float]:
        """Of the stated confidence, two-sided, by quantity."""
        return [
            float(binomtest(int(k), len(self.inside), CONFIDENCE).pvalue) for k in self.inside.sum(axis=0)
        ]

    @property
    def p_values_too_narrow(self) -> list[float]:
        """The same, one-sided: small where the truth is outside too often."""
        return [
            float(binomtest(int(k), len(self.inside), CONFIDENCE, alternative="less").pvalue)
            for k in self.inside.sum(axis=0)
        ]


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


def identify_many(
    runs: int, poses: int = POSES, seed: int = 1, axes: tuple[float, float, float] = EVEN
) -> Runs:
    """Random runs; a run whose poses are refused is drawn again, as a user would.

    Args:
        axes: noise along the sensor's x, y, z as a multiple of the usual one.
    """
    rng, sensor, here = np.random.default_rng(seed), SimulatedSensor(), SensorPlacement.at(np.eye(4))
    noise = np.repeat((FORCE_NOISE, MOMENT_NOISE), 3) * np.tile(axes, 2)
    mass, com, inside, refused = np.zeros(runs), np.zeros(runs), np.zeros((runs, 4), dtype=bool), 0
    for k in range(runs):
        sensor.carry(rng.uniform(0.5, 3.0), rng.uniform(-0.1, 0.1, 3))
        true_mass, true_com = sensor.truth
        offset = rng.normal(0.0, np.repeat((5.0, 0.2), 3))
        for _ in range(DRAWS):
            clean = [sensor.at_rest(sensor.random_pose(rng)) for _ in range(poses)]
            measured = [RestPose(p.gravity, p.wrench + offset + rng.normal(0.0, noise)) for p in clean]
            try:
                found = identify_payload(measured, here, CONFIDENCE)
                break
            except UnfitPosesError:
                refused += 1
        else:
            raise RuntimeError(f"run {k}: the poses of {DRAWS} draws were all refused")
        mass[k] = abs(found.mass / true_mass - 1.0)
        com[k] = np.linalg.norm(found.com - true_com)
        errors = np.abs([found.mass - true_mass, *(found.com - true_com)])
        inside[k] = errors <= [found.mass_interval, *found.com_interval]
    return Runs(mass, com, inside, refused)


def main() -> int:
    """Print the tables; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000, help="number of random runs (default: %(default)s)")
    arguments = parser.parse_args()
    runs, console = identify_many(arguments.runs), Console()
    title = f"{arguments.runs} payloads, {POSES} poses each, noise {FORCE_NOISE} N and {MOMENT_NOISE} N m"
    good = runs.mass.max() < MASS_TARGET, runs.com.max() < COM_TARGET
    rows = [
        ("mass [%]", *(f"{100 * x:.3f}" for x in _figures(runs.mass)), verdict("1 %", good[0])),
        ("centre [mm]", *(f"{1e3 * x:.3f}" for x in _figures(runs.com)), verdict("2 mm", good[1])),
    ]
    print_table(console, title, ("error of", "median", "95 %", "largest", ""), rows)
    held = _print_coverage(console, "confidence", runs, "p of 95 %", runs.p_values)
    uneven = identify_many(arguments.runs, axes=UNEVEN)
    title, column = "confidence, three times the noise along z", "p of at least 95 %"
    held_uneven = _print_coverage(console, title, uneven, column, uneven.p_values_too_narrow)
    console.print(f"{runs.refused} runs were drawn again, because their poses were too similar")
    return 0 if all((*good, held, held_uneven)) else 1


def _print_coverage(console: Console, title: str, runs: Runs, column: str, p_values: list[float]) -> bool:
    """Print how often intervals contain the truth; return whether that agrees with the confidence."""
    consistent = [p > 0.01 for p in p_values]
    rows = [
        (name, f"{100 * share:.1f} %", f"{p:.3f}", verdict("> 0.01", ok))
        for name, share, p, ok in zip(QUANTITIES, runs.coverage, p_values, consistent, strict=True)
    ]
    print_table(console, title, ("interval of", "contains the truth in", column, ""), rows)
    return all(consistent)


def _figures(errors: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(np.median(errors)), float(np.quantile(errors, 0.95)), float(errors.max())


if __name__ == "__main__":
    sys.exit(main())

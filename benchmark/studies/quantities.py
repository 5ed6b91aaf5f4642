"""Largest differences from Pinocchio of the quantities of motion, over all URDFs of folders.

Each robot, its loops open, on the ground and floating, at one random state within its limits, seeded by its
file's name. A difference is relative to the largest number of the quantity, or to one where all are smaller.
Derivatives of accelerations solve M x = b: there the condition number of M times 2.2e-16 is allowed, if it is
more, as in published_robots.

    python -m benchmark.studies.quantities urdf [FOLDER ...]
"""

import argparse
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pinocchio
from rich.console import Console

import modular_dynamics as md
from benchmark.report.tables import print_table, verdict

#: Largest relative difference that is accepted; of derivatives and C, which is one.
TARGET, TARGET_DERIVATIVES = 1e-11, 1e-9

#: Quantity, ours, Pinocchio's; and the condition number of M where it is solved for.
Pair = tuple[str, Any, Any] | tuple[str, Any, Any, float]


@dataclass
class Differences:
    """By quantity the largest one and its robot; why robots were left out; how many were not.

    Attributes:
        above: quantities of which one is above the target.
    """

    largest: dict[str, tuple[float, str]] = field(default_factory=dict)
    above: set[str] = field(default_factory=set)
    left_out: Counter[str] = field(default_factory=Counter)
    compared: int = 0

    def add(self, robot: str, pairs: Iterator[Pair]) -> None:
        """Those of one robot; a quantity that it does not have ends its pairs."""
        try:
            for quantity, ours, theirs, *condition in pairs:
                expected = np.asarray(theirs)
                scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
                difference = float(np.abs(np.asarray(ours) - expected).max(initial=0.0)) / scale
                if not difference <= self.largest.get(quantity, (-1.0, ""))[0]:  # NaN counts as largest
                    self.largest[quantity] = difference, robot
                if not difference <= max(
                    target(quantity), *(c * np.finfo(float).eps for c in condition), 0.0
                ):
                    self.above.add(quantity)
            self.compared += 1
        except md.ModularDynamicsError as error:
            reason = re.sub(r"^'.*?': ", "", str(error))  # without the path
            self.left_out[f"{type(error).__name__}: {robot}: {reason[:70]}"] += 1


def target(quantity: str) -> float:
    """The largest difference that is accepted."""
    return TARGET_DERIVATIVES if "derivative" in quantity else TARGET


def pairs_of(file: Path, floating_base: bool) -> Iterator[Pair]:
    """Quantity, ours, Pinocchio's in our order."""
    graph = md.load_urdf(file, floating_base=floating_base).tree
    if graph.nv == 0:
        return
    pin = md.crosscheck.PinocchioModel(graph)
    model, data, order = pin.model, pin.data, md.joint_order.from_pinocchio(graph, pin.model)
    rng = np.random.default_rng(crc32(file.name.encode()))
    q, (v, a) = graph.random_configuration(rng), rng.normal(size=(2, graph.nv))
    there = order.to_q(q), order.to_v(v), order.to_a(a)

    def rows(matrix: Any) -> Any:
        return np.array([pin.tau(row) for row in np.asarray(matrix).reshape(-1, model.nv)])

    step = order.from_q(pinocchio.integrate(model, *there[:2]))
    yield "integrate", graph.difference(step, graph.integrate(q, v), shortest=True), np.zeros(graph.nv)
    pinocchio.forwardKinematics(model, data, *there)
    pinocchio.updateFramePlacements(model, data)
    frames = {link: model.getFrameId(link, pinocchio.FrameType.BODY) for link in graph.links}
    frames = {link: frame for link, frame in frames.items() if frame < model.nframes}
    for name, ours, function in (
        ("velocities of links", md.frame_velocities(graph, q, v, [*frames]), "Velocity"),
        (
            "accelerations of links",
            md.frame_accelerations(graph, q, v, a, [*frames]),
            "ClassicalAcceleration",
        ),
    ):
        of_frame = getattr(pinocchio, f"getFrame{function}")
        theirs = [
            of_frame(model, data, frame, pinocchio.LOCAL_WORLD_ALIGNED).vector for frame in frames.values()
        ]
        yield name, ours, theirs
    pinocchio.centerOfMass(model, data, *there)
    centre = md.centre_of_mass(graph, q, v, a)
    yield "centre of mass", np.stack(centre[1:]), np.stack([data.com[0], data.vcom[0], data.acom[0]])
    theirs = rows(pinocchio.jacobianCenterOfMass(model, data, there[0]))
    yield "its jacobian", md.centre_of_mass_jacobian(graph, q), theirs
    rate = pinocchio.computeCentroidalMomentumTimeVariation(model, data, *there).vector
    yield "momentum", md.centroidal_momentum(graph, q, v), data.hg.vector
    yield "its rate", md.centroidal_momentum_rate(graph, q, v, a), rate
    theirs = rows(pinocchio.computeCentroidalMap(model, data, there[0]))
    yield "its matrix", md.centroidal_momentum_matrix(graph, q), theirs
    theirs = pinocchio.computeKineticEnergy(model, data, *there[:2])
    yield "kinetic energy", md.kinetic_energy(graph, q, v), theirs
    theirs = pinocchio.computePotentialEnergy(model, data, there[0])
    yield "potential energy", md.potential_energy(graph, q), theirs
    theirs = rows(rows(pinocchio.computeCoriolisMatrix(model, data, *there[:2])).T).T
    yield "C(q, v), derivative", md.coriolis_matrix(graph, q, v), theirs
    if any(joint.mimic for joint in graph.joints):
        return  # which Pinocchio's accelerations do not know
    ours = md.forward_dynamics_derivatives(graph, q, v, a)
    pinocchio.computeABADerivatives(model, data, *there)
    condition = float(np.linalg.cond(md.mass_matrix(graph, q)))
    inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T  # of which it fills one half
    for what, mine, matrix in zip(("q", "v", "tau"), ours, (data.ddq_dq, data.ddq_dv, inverse), strict=False):
        yield f"accelerations, derivative by {what}", mine, rows(rows(matrix).T).T, condition


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 where a difference is larger than its target."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="searched for *.urdf, subfolders included")
    options = parser.parse_args(arguments)
    files = sorted({file for folder in options.folders for file in folder.rglob("*.urdf")})
    differences = Differences()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)  # about the files; this is about numbers
        for file in files:
            for floating_base in (False, True):
                differences.add(file.name, pairs_of(file, floating_base))
    console, rows = Console(width=100), []
    for quantity, (difference, robot) in differences.largest.items():
        good = quantity not in differences.above
        accepted = f"{target(quantity):g}"
        if good and not difference <= target(quantity):
            accepted = "cond(M) 2.2e-16"
        rows.append((quantity, f"{difference:.1e}", robot, verdict(accepted, good)))
    title = f"Differences from Pinocchio: {differences.compared} of {2 * len(files)} robots"
    print_table(console, title, ("quantity", "largest", "robot ", "target "), rows)
    for reason, count in differences.left_out.items():
        console.print(f"left out {count}: {reason}", highlight=False, markup=False)
    return int(not differences.largest or bool(differences.above))


if __name__ == "__main__":
    sys.exit(main())

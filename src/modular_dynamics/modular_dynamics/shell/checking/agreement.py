"""Torques of a robot against Pinocchio's at random states."""

from dataclasses import dataclass

import numpy as np

from ...dynamics import inverse_dynamics
from ...exceptions import MissingDependencyError
from ...model import SubsystemGraph
from ..terminal.progress import counted

__all__ = ["THRESHOLD", "Agreement", "compare"]

THRESHOLD = 1e-9  # allowed difference, relative to the terms that add up to a torque
MOST_JOINTS = 200  # memory and time of Pinocchio's model grow with the cube of this


@dataclass(frozen=True)
class Agreement:
    """How far the torques are from Pinocchio's.

    Attributes:
        states: number of random ones; 0: not compared, because of `reason`. relative: the largest difference
        over the terms that add up to a torque. absolute: [N m or N]. subsystem: where the relative one is.
        what: was compared.
    """

    states: int
    reason: str = ""
    relative: float = 0.0
    absolute: float = 0.0
    subsystem: str = ""
    what: str = "the robot"

    @property
    def disagrees(self) -> bool:
        """Whether the difference exceeds rounding, or is not a number."""
        return not self.relative <= THRESHOLD

    def __str__(self) -> str:
        if not self.states:
            return f"not compared: {self.reason}"
        verdict = "DISAGREES" if self.disagrees else "agrees"
        return (
            f"{verdict}: {self.what} at {self.states} random states, largest difference "
            f"{self.absolute:.1e} N m or N, {self.relative:.1e} of the torque's terms "
            f"(in '{self.subsystem}'; allowed: {THRESHOLD:g})"
        )


def compare(graph: SubsystemGraph, states: int, seed: int) -> Agreement:
    """Compare at so many states; with closed loops the open tree, which is what Pinocchio knows."""
    if not states:
        return Agreement(0, "no states were asked for")
    if not graph.nv:
        return Agreement(0, "no joint moves")
    if graph.nv > MOST_JOINTS:
        return Agreement(0, f"more than {MOST_JOINTS} velocities: Pinocchio's model would take very long")
    try:
        from ...crosscheck import CrossCheck  # noqa: PLC0415  # Pinocchio is optional
    except MissingDependencyError as error:
        return Agreement(0, str(error))
    closed = graph.has_loops
    tree = graph.tree if closed else graph
    check, rng = CrossCheck(tree), np.random.default_rng(seed)
    boxes = [one.name for one in tree.subsystems if one.black_box]
    relative, absolute, subsystem = 0.0, 0.0, ""
    for _ in counted(range(states), states, "states compared with Pinocchio"):
        q = tree.random_configuration(rng)
        v, a = rng.uniform(-1.0, 1.0, (2, tree.nv))
        wrenches = {name: rng.uniform(-1.0, 1.0, 6) for name in boxes} or None
        tau = inverse_dynamics(tree, q, v, a, black_box_wrenches=wrenches)
        residual = check(q, v, a, tau, None, wrenches)
        for name, value in residual.of_terms.items():
            if not (subsystem and (value <= relative or np.isnan(relative))):  # NaN stays
                relative, subsystem = value, name
        absolute = float(np.maximum(absolute, residual.worst))  # NaN stays
    what = "the open tree, loops cut and springs left out," if closed else "the robot"
    return Agreement(states, "", relative, absolute, subsystem, what)

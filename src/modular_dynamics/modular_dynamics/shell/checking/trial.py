"""One trial of each use of a robot: closing loops, inverse and forward dynamics at rest, the nodes."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...dynamics import forward_dynamics, inverse_dynamics
from ...exceptions import ModularDynamicsError, SingularityError, StateError, UnsupportedModelError
from ...model import SubsystemGraph, joint_state_obstacle, without_torques

if TYPE_CHECKING:  # robots without loops do not wait for the import
    from ...loops import ClosedLoopSolver

__all__ = ["Trial", "tried"]

MOST_VELOCITIES = 1000  # with which accelerations are tried: a mass matrix of more takes long
#: Steps [rad or m] of the independent joints that are tried from a dead point, each in some direction.
STEPS = (0.01, 0.01, 0.1, 0.1, 0.3, 0.3, 1.0, 1.0)


@dataclass(frozen=True)
class Trial:
    """Reasons why parts of the trial failed, each empty if it did not.

    Attributes:
        unclosed: why the loops cannot close. no_torques: why inverse dynamics fails, in every call.
        no_accelerations: why torques give no accelerations.
        not_for_nodes: why the nodes cannot take the robot, or not as it is; the library can.
    """

    unclosed: str = ""
    no_torques: str = ""
    no_accelerations: str = ""
    not_for_nodes: str = ""

    @property
    def findings(self) -> int:
        """Number of failures that are errors of the description."""
        return sum(map(bool, (self.unclosed, self.no_torques, self.no_accelerations)))


def tried(graph: SubsystemGraph) -> Trial:
    """Return what fails of inverse and forward dynamics of a robot."""
    coupled = graph.has_loops or graph.independent is not None
    trial = _closed(graph) if coupled else _open(graph)
    missing = without_torques(graph)
    if graph.nv and missing and not trial.findings:
        trial = replace(trial, no_torques=missing)
    return replace(trial, not_for_nodes=joint_state_obstacle(graph) or ("" if graph.nv else missing))


def _closed(graph: SubsystemGraph) -> Trial:
    """Try a robot with loops, gears, passive joints or springs at the default start and near it.

    Loops may close at a single pose, although their velocities suggest motion; other calls then fail.
    """
    from ...loops import assemble, solver_of  # noqa: PLC0415  # few need it

    try:
        assemble(graph)
    except ModularDynamicsError as error:
        return Trial(unclosed=str(error))
    try:
        solver = solver_of(graph)
        start, rest = solver.reference(), np.zeros(len(solver.independent_v))
        inverse_dynamics(graph, start[solver.independent_q], rest, rest, guess=start)
    except SingularityError as error:
        return Trial(no_torques=str(error) if _stuck(graph, solver, None) else "")
    except ModularDynamicsError as error:
        return Trial(no_torques=str(error))
    return Trial(no_torques=_stuck(graph, solver, start))


def _stuck(graph: SubsystemGraph, solver: "ClosedLoopSolver", guess: NDArray[np.float64] | None) -> str:
    """Return why calls fail at all steps from the start; empty if one succeeds.

    Without a guess, calls begin at the start, too, and respect limits.
    """
    start, rest = solver.reference(), np.zeros(len(solver.independent_v))
    single = [graph.q_slice(name) for name in graph.independent_joint_names if graph.joint(name).type.nq == 1]
    rng, reasons = np.random.default_rng(0), list[str]()
    for step in STEPS:
        there = start.copy()
        for part in single:
            there[part] += step * rng.choice((-1.0, 1.0))
        try:
            solver.inverse_dynamics_at(there[solver.independent_q], rest, rest, guess, diagnose=False)
        except ModularDynamicsError as error:
            reasons.append(str(error))
        else:
            return ""
    return reasons[0]


def _open(graph: SubsystemGraph) -> Trial:
    q, rest = graph.neutral(), np.zeros(graph.nv)
    boxes = {one.name: np.zeros(6) for one in graph.subsystems if one.black_box}
    try:
        inverse_dynamics(graph, q, rest, rest, black_box_wrenches=boxes or None)
    except ModularDynamicsError as error:
        return Trial(no_torques=str(error))
    return Trial(no_accelerations="" if boxes else _no_accelerations(graph))


def _no_accelerations(graph: SubsystemGraph) -> str:
    """Return why forward dynamics fails at any configuration; empty if it works at one or is not tried.

    A pendulum that stands upright moves no inertia about the vertical; it does elsewhere.
    """
    if not graph.nv or graph.nv > MOST_VELOCITIES:
        return ""
    tried = graph.neutral(), graph.random_configuration(np.random.default_rng(0))
    reasons = [_no_accelerations_at(graph, q) for q in tried]
    return reasons[0] if all(reasons) else ""


def _no_accelerations_at(graph: SubsystemGraph, q: NDArray[np.float64]) -> str:
    rest = np.zeros(graph.nv)
    try:
        forward_dynamics(graph, q, rest, rest)
    except StateError as error:
        return str(error)
    except UnsupportedModelError:
        pass
    return ""

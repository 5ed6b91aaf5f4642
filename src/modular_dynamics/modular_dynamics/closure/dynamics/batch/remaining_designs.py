"""States of a design that no compiled function answered: by the general method, with one search for all."""

from collections.abc import Sequence

import numpy as np

from ....dynamics.arrays.arguments import Array
from ....dynamics.workspaces import workspace_of
from ....exceptions import ModularDynamicsError
from ....kernels.loops import newton
from ....kernels.loops.planar.batch import PlanarStates
from ....model import SubsystemGraph
from ...assembly.assemble import Assembler
from ...assembly.contradiction import contradiction
from ...assembly.diagnosis import cannot_close
from ..inverse_dynamics import ClosedLoopInverseDynamics
from ..solver import solver_of

__all__ = ["answer_remaining"]


def answer_remaining(
    design: SubsystemGraph, friction: str, states: PlanarStates, rows: Sequence[int], first: int
) -> dict[int, ModularDynamicsError]:
    """Write the results of rows that the general method answers; return the errors of the others.

    A closed configuration is searched for once, by moving all joints: without one, no state closes. Each
    state starts from the last one before that was answered.

    Args:
        rows: increasing. first: the design's first row.
    """
    try:
        solver = ClosedLoopInverseDynamics(design, friction)
        near = _closed(design, states.starts[0])
    except ModularDynamicsError as error:
        return dict.fromkeys(rows, error)
    errors = dict[int, ModularDynamicsError]()
    for row in rows:
        answered = np.flatnonzero(np.isfinite(states.tau[first:row]).all(axis=1))
        start = states.coordinates[first + answered[-1]] if len(answered) else near
        try:
            result = solver.solve(states.q[row], states.v[row], states.vdot[row], start, diagnose=False)
        except ModularDynamicsError as error:
            errors[row] = error
            states.tau[row] = np.nan
        else:
            states.tau[row], states.coordinates[row] = result.tau, result.coordinates
            states.tensions[row], states.sines[row] = list(result.tensions.values()), np.nan
    return errors


def _closed(design: SubsystemGraph, guess: Array) -> Array:
    """A closed configuration near a guess. Raises ClosureError: none was found, whatever joints move."""
    general, start = solver_of(design), guess.copy()
    if general.system.correct(start, newton.LARGEST_STEP):
        return start
    if (error := contradiction(general.system, guess)) is not None:
        raise error
    assembler = workspace_of(design, Assembler)
    found = assembler.search(guess, limited=False)
    if found.open_groups:
        raise cannot_close(assembler.system, found, found, "all joints")
    return found.q

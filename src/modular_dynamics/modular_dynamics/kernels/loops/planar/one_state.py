"""One row of a batch: from a configuration near; of a design, else directly on its branch."""

from ...math.assignment import assign
from ...numba_support.compilation import inlined_strictly, spliced
from .inverse_dynamics import ELSEWHERE, planar_inverse_dynamics
from .steps import solve

__all__ = ["UNCLOSED", "answer_row"]

#: Status of a design's state at which step t of the loops has no solution: UNCLOSED + t.
UNCLOSED = 8


@inlined_strictly
def _closed_directly(mechanism, workspace, q, signs, guess, start):
    """Write ``start``, closed at independent q on a branch. The step that has no solution, or -1."""
    assign(start, guess)
    independent = mechanism.independent_q
    for k in range(independent.shape[0]):
        start[independent[k]] = q[k]
    step, _, _ = solve(mechanism.steps, signs, start, workspace.walk.cosines[0])
    return -1 if step == signs.shape[0] else step


@inlined_strictly
def _write_rest(workspace, tensions, sines, row):
    """The tensions of the state that was answered last, and the smallest sine."""
    for k in range(workspace.tensions.shape[0]):
        tensions[row, k] = workspace.tensions[k]
    smallest = 1.0
    for t in range(workspace.rates.sines.shape[0]):
        smallest = min(smallest, workspace.rates.sines[t])
    sines[row] = smallest


@spliced
def answer_row(mechanism, workspace, rows, row, near, direct, branch):
    """Answer a row from a closed configuration near; or, if ``direct``, on the branch. Its status.

    Args:
        rows: see :class:`.batch.PlanarStates`. branch: signs of the steps, a closed configuration (nq,) whose
            whole turns count, and an array (nq,) that is overwritten.
    """
    signs, guess, own = branch
    status = ELSEWHERE
    for attempt in range(2 if direct else 1):  # one call: the function is long, and it is compiled in here
        if attempt == 1:
            step = _closed_directly(mechanism, workspace, rows.q[row], signs, guess, own)
            if step >= 0:
                status = UNCLOSED + step
                break
            near = own
        status = planar_inverse_dynamics(
            mechanism,
            workspace,
            rows.q[row],
            rows.v[row],
            rows.vdot[row],
            near,
            rows.coordinates[row],
            rows.tau[row],
        )
        if status != ELSEWHERE:
            break
    if status == 0:
        _write_rest(workspace, rows.tensions, rows.sines, row)
    return status

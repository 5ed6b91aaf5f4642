"""Where the quantities of several states side by side stand in one array, ``work``.

One array and whole numbers, for a structure of arrays would cost counting the references to each of them.
A quantity is LANES neighbouring elements. A configuration holds coordinates, their sines and cosines, and the
cosines c of the steps (:mod:`..steps`).
"""

from typing import NamedTuple

from ....drivers import LANES
from ....layout import STATE_BLOCKS, WORK_COLUMNS
from ....numba_support.compilation import inlined_strictly
from ....states import block_rows

__all__ = ["CONFIGURATION", "COSINES", "LANES", "SINES", "TURN_COLUMNS", "Sections", "sections_of"]

#: Of a configuration: its sines and cosines, in numbers of coordinates behind its start.
SINES, COSINES, CONFIGURATION = 1, 2, 3
#: Numbers that turn the angle of a coordinate into that of its joint in a chain.
TURN_COLUMNS = 5


class Sections(NamedTuple):
    """Indices into ``work`` where quantities start, and its ``size``.

    Attributes:
        here, before, middle: configurations: of the states; where the way to each starts; and halfway.
        last: one number for each quantity of a configuration: ``here``, of the last lane of those before.
        signs (s): of the branch. turned (2 e): sine and cosine of each joint of a chain.
        slopes (2 e), inverses (4 s): as of :class:`..rates.StepRates`.
        v, vdot, tau (nv): of all joints.
        inputs (p + 2 w), torques (w): of the independent ones: p coordinates, w velocities and accelerations.
        tensions (springs). levers (3 n), pulls (15 for each end): of one spring.
        sine: the smallest over the steps, of the angle between the two slopes.
        bad: zero where all is plain, else NaN or larger.
        scratch: one quantity. states, newton_euler: of the tree, see :mod:`....layout`.
        turns (e, 5): numbers, see :func:`.angles.prepare_turns`.
    """

    here: int
    before: int
    middle: int
    last: int
    signs: int
    turned: int
    slopes: int
    inverses: int
    v: int
    vdot: int
    tau: int
    inputs: int
    torques: int
    tensions: int
    levers: int
    pulls: int
    sine: int
    bad: int
    scratch: int
    states: int
    newton_euler: int
    turns: int
    size: int


@inlined_strictly
def sections_of(mechanism):
    """The sections for a :class:`..inverse_dynamics.PlanarMechanism`."""
    nq, steps, joints = mechanism.index_in_v.shape[0], mechanism.steps.steps.shape[0], mechanism.steps.joints
    n, nv = mechanism.tree.topology.shape[0] - 1, mechanism.tree.topology[-1, 3]
    p, width, e = mechanism.independent_q.shape[0], mechanism.independent_v.shape[0], joints.shape[0]
    configuration = (CONFIGURATION * nq + steps) * LANES
    before = configuration
    middle = before + configuration
    last = middle + configuration
    signs = last + configuration
    turned = signs + steps * LANES
    slopes = turned + 2 * e * LANES
    inverses = slopes + 2 * e * LANES
    v = inverses + 4 * steps * LANES
    vdot = v + nv * LANES
    tau = vdot + nv * LANES
    inputs = tau + nv * LANES
    torques = inputs + (p + 2 * width) * LANES
    tensions = torques + width * LANES
    levers = tensions + mechanism.springs.laws.shape[0] * LANES
    pulls = levers + 3 * n * LANES
    sine = pulls + 30 * LANES
    bad = sine + LANES
    scratch = bad + LANES
    states = scratch + LANES
    newton_euler = states + STATE_BLOCKS * block_rows(n) * LANES
    turns = newton_euler + (n + 1) * WORK_COLUMNS * LANES
    size = turns + (TURN_COLUMNS * e + LANES - 1) // LANES * LANES
    return Sections(
        0,
        before,
        middle,
        last,
        signs,
        turned,
        slopes,
        inverses,
        v,
        vdot,
        tau,
        inputs,
        torques,
        tensions,
        levers,
        pulls,
        sine,
        bad,
        scratch,
        states,
        newton_euler,
        turns,
        size,
    )

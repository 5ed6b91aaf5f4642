"""Forward dynamics by articulated bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter 7).

Seen from its parent, a body with everything beyond it answers accelerations with a wrench that is linear in
them: articulated inertia times acceleration plus a bias. These two are all that a predecessor needs of a
successor, at the point where it is connected; so the three parts below work on a range of joints, one
subsystem or all: ``outward`` (velocities, and what they and gravity call for), ``inward`` (articulated
inertias and biases) and ``accelerate`` (accelerations). A graph is outward over its subsystems, inward over
them in reverse, and accelerate over them.

Motion is [angular, linear], wrenches are [moment, force], in the body's own frame at its origin. Linear
accelerations are those of points, as in :mod:`.newton_euler`: they split into one that velocities and
gravity alone give the origin (GAMMA), and the change by what joints do (CHANGE).

Frames are those of dynamics/arrays/body_frames: against its parent a body is placed by
P, Rz(turn) Rx(tilt) Rz(q),
where turn and tilt are constants, mostly zero or quarters. Beside the result stand the pivots of the
elimination, less the smallest that counts as an inertia: all must be positive.
"""

from ..joint_terms import write_joint_terms
from ..layout import FRICTIONS, GRAVITY, SPRINGS, TERMS, V
from ..numba_support.compilation import spliced
from ..numba_support.memory import store
from ..numba_support.neighbours import store3
from ..states import turns_by_quaternion
from .articulated_free import accelerate_by_quaternion, inward_by_quaternion, outward_by_quaternion
from .articulated_layout import ARTICULATED_COLUMNS, CHANGE, GAMMA, OMEGA, ROW
from .articulated_sweeps import accelerate_joint, inward_joint, outward_joint

__all__ = ["ARTICULATED_COLUMNS", "recursion"]


@spliced
def start(topology, constants, work, lanes, like):
    """The ground at rest, accelerating against gravity."""
    n = topology.shape[0] - 1
    ground = n * ROW * lanes
    store3(work, ground + OMEGA * lanes, lanes, (like, like, like))
    for k in range(3):
        store(work, ground + (GAMMA + k) * lanes, like - constants[n, GRAVITY + k])
    for k in range(6):
        store(work, ground + (CHANGE + k) * lanes, like)


@spliced
def outward(first, stop, topology, constants, q, v, states, work, lanes, like):
    """Velocities and what they call for, of bodies first ... stop - 1; those of their parents are known."""
    for i in range(first, stop):
        if turns_by_quaternion(i, topology):
            outward_by_quaternion(i, topology, constants, q, v, work, lanes, like)
        else:
            outward_joint(i, topology, constants, v, states, work, lanes, like)


@spliced
def inward(first, stop, topology, constants, q, tau, states, work, out, lanes, like):
    """Articulated inertias and biases of bodies first ... stop - 1; their successors' are in.

    Leaves those of the subsystem added to the body which carries it, and in ``out`` the pivots. There
    stands on entry what springs and friction take of the torques.
    """
    for i in range(stop - 1, first - 1, -1):
        if turns_by_quaternion(i, topology):
            inward_by_quaternion(i, topology, constants, q, tau, work, out, lanes, like)
        else:
            inward_joint(i, topology, constants, states, tau, work, out, lanes, like)


@spliced
def accelerate(first, stop, topology, constants, q, states, work, out, lanes, like):
    """Accelerations of joints first ... stop - 1; the change of what carries them is known."""
    for i in range(first, stop):
        if turns_by_quaternion(i, topology):
            accelerate_by_quaternion(i, topology, constants, q, work, out, lanes, like)
        else:
            accelerate_joint(i, topology, constants, states, work, out, lanes, like)


@spliced
def recursion(topology, constants, q, v, tau, states, work, out, lanes, like):
    """vdot, and behind it as many pivots."""
    n = topology.shape[0] - 1
    start(topology, constants, work, lanes, like)
    outward(0, n, topology, constants, q, v, states, work, lanes, like)
    terms = topology[n, TERMS] & (SPRINGS | FRICTIONS)
    if terms != 0:
        write_joint_terms(terms, topology, constants, q, v, tau, out, topology[n, V] * lanes, lanes)
    inward(0, n, topology, constants, q, tau, states, work, out, lanes, like)
    accelerate(0, n, topology, constants, q, states, work, out, lanes, like)

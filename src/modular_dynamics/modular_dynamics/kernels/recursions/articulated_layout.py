"""Arrays of :mod:`.articulated_body`: their columns, the placement of a body, and one body by itself.

Against its parent a body is placed by P, Rz(turn) Rx(tilt) Rz(q): see dynamics/arrays/body_frames.
"""

from ..layout import (
    COSINE,
    EXTERNAL,
    INERTIA,
    MASS,
    MOMENT,
    MULTIPLIER,
    OFFSET,
    POSITION,
    SHIFT,
    SINE,
    TOPOLOGY_COLUMNS,
)
from ..math.vectors import crosses, dot, minus, plus_scaled, scaled, symmetric_times
from ..numba_support.compilation import inlined
from ..numba_support.memory import load, store
from ..numba_support.neighbours import add3, load6, load9, row3, row6, store3, store6
from ..states import block_rows
from .articulated_inertia import ANY, turned_back, turned_on

# topology: two columns more
TURN = TOPOLOGY_COLUMNS  # kind of rotation, as in articulated_inertia
TILT = TURN + 1
ARTICULATED_TOPOLOGY = TILT + 1

# constants of joints that do not float: what stands where other algorithms have ROTATION
TURN_COSINE, TURN_SINE, TILT_COSINE, TILT_SINE = 0, 1, 2, 3
AXIS = 4  # 3: the joint's axis in the parent's frame
SMALLEST = 7  # pivot
SLIDE = 8  # of a prismatic joint: what the square of its shift adds to the smallest pivots of what carries it
# of floating and spherical joints, which have neither multiplier nor offset
SMALLEST_MASS, SMALLEST_INERTIA = MULTIPLIER, OFFSET

# work, 1-D, n + 1 rows; the last one is the ground's
OMEGA = 0  # 3
GAMMA = 3  # 3
CHANGE = 6  # 6: angular, linear; before, there is the bias: moment, force
ARTICULATED = 12  # 21; afterwards GAIN and PUSH
GAIN = 12  # 5: inertia against the joint over pivot, its column but for the pivot itself
PUSH = 17  # what of the torque is left, over the pivot
KEPT = 18  # armature over pivot
SWAY = 33  # 2: angular acceleration across a revolute joint's axis by velocities
PUSHED, LINEAR_GAIN = 12, 15  # 3, 9: of a spherical joint instead
SLID = 35  # what the shifts of slides that the body carries add to the smallest pivots
ROW = 36
ARTICULATED_COLUMNS = ROW + 12  # behind all rows there is room for results and pivots

#: The smallest pivot that is more than rounding, relative to the inertia about the joint's axis (or the mass)
#: of all that the joint moves while the joints beyond it are held. A pivot is what remains of that when these
#: are free. Eliminating them is Cholesky's method on M: pivots are exact for a matrix that differs by about
#: n eps of its diagonal (Higham, Accuracy and Stability of Numerical Algorithms, section 10.1), eps = 2.2e-16
#: and n = 450 joints at 1e-13. Where a direction is lost, what remains is less.
ROUNDING = 1e-13


@inlined
def to_body(turn, tilt, i, constants, c, s, vector):
    """A vector from the parent's axes to those of body i, whose constant rotations are of these kinds."""
    x, y, z = vector
    x, y = turned_back(turn, constants[i, TURN_COSINE], constants[i, TURN_SINE], x, y)
    y, z = turned_back(tilt, constants[i, TILT_COSINE], constants[i, TILT_SINE], y, z)
    x, y = turned_back(ANY, c, s, x, y)
    return x, y, z


@inlined
def to_parent(turn, tilt, i, constants, c, s, vector):
    """The way back."""
    x, y, z = vector
    x, y = turned_on(ANY, c, s, x, y)
    y, z = turned_on(tilt, constants[i, TILT_COSINE], constants[i, TILT_SINE], y, z)
    x, y = turned_on(turn, constants[i, TURN_COSINE], constants[i, TURN_SINE], x, y)
    return x, y, z


@inlined
def placement(i, topology, constants, states, lanes, like):
    """Cosine, sine, and the origin in the parent's frame, of a body that does not float."""
    m = block_rows(topology.shape[0] - 1)
    shift = load(states, (SHIFT * m + i) * lanes, like)
    return (
        load(states, (COSINE * m + i) * lanes, like),
        load(states, (SINE * m + i) * lanes, like),
        plus_scaled(row3(constants, i, POSITION), shift, row3(constants, i, AXIS)),
    )


@inlined
def store_body(i, omega, acceleration, constants, work, lanes, like):
    """Store inertia and bias of body i alone, at angular velocity o and acceleration u of its origin.

    Force m u + o x (o x m c) = m u + (o . m c) o - |o|^2 m c; moment o x (I o) + m c x u, where I o =
    tr(J) o - J o of the pseudo-inertia J.
    """
    at = i * ROW * lanes
    mass, m_c = constants[i, MASS], row3(constants, i, MOMENT)
    hx, hy, hz = m_c
    inertia = row6(constants, i, INERTIA)
    xx, yy, zz, xy, xz, yz = inertia
    square, along = dot(omega, omega), dot(m_c, omega)
    moment = crosses(symmetric_times(inertia, omega), omega, m_c, acceleration)
    force = plus_scaled(scaled(mass, acceleration), along, omega)
    force = minus(minus(force, scaled(square, m_c)), row3(constants, i, EXTERNAL))
    store6(work, at + OMEGA * lanes, lanes, omega, acceleration)
    store6(work, at + CHANGE * lanes, lanes, minus(moment, row3(constants, i, EXTERNAL + 3)), force)
    store(work, at + SLID * lanes, like)
    at = at + ARTICULATED * lanes
    store3(work, at, lanes, (yy + zz + like, xx + zz + like, xx + yy + like))
    store3(work, at + 3 * lanes, lanes, (like - xy, like - xz, like - yz))
    store3(work, at + 6 * lanes, lanes, (like, like - hz, hy + like))
    store3(work, at + 9 * lanes, lanes, (hz + like, like, like - hx))
    store3(work, at + 12 * lanes, lanes, (like - hy, hx + like, like))
    store3(work, at + 15 * lanes, lanes, (mass + like, mass + like, mass + like))
    store3(work, at + 18 * lanes, lanes, (like, like, like))


@inlined
def load_articulated(work, at, lanes, like):
    """Articulated inertia: 6 entries of the angular part, 9 that couple by rows, 6 of the linear."""
    linear = load6(work, at + 15 * lanes, lanes, like)
    return load6(work, at, lanes, like) + load9(work, at + 6 * lanes, lanes, like) + linear


@inlined
def add_articulated(work, at, lanes, like, inertia, moment, force):
    """Add an articulated inertia and its bias to those of the row that begins at ``at``."""
    add3(work, at + CHANGE * lanes, lanes, like, moment)
    add3(work, at + (CHANGE + 3) * lanes, lanes, like, force)
    at = at + ARTICULATED * lanes
    add3(work, at, lanes, like, inertia[:3])
    add3(work, at + 3 * lanes, lanes, like, inertia[3:6])
    add3(work, at + 6 * lanes, lanes, like, inertia[6:9])
    add3(work, at + 9 * lanes, lanes, like, inertia[9:12])
    add3(work, at + 12 * lanes, lanes, like, inertia[12:15])
    add3(work, at + 15 * lanes, lanes, like, inertia[15:18])
    add3(work, at + 18 * lanes, lanes, like, inertia[18:])

"""Arrays of :mod:`.articulated_body`: their columns, the placement of a body, and one body by itself.

Against its parent a body is placed by P, Rz(turn) Rx(tilt) Rz(q): see dynamics/arrays/body_frames.
"""

from numba import njit

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
from ..numba_support.lanes import FAST
from ..numba_support.memory import load, load3, store3
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
# of floating joints, which have neither multiplier nor offset
SMALLEST_MASS, SMALLEST_INERTIA = MULTIPLIER, OFFSET

# work, 1-D, n + 1 rows; the last one is the ground's
OMEGA = 0  # 3
GAMMA = 3  # 3
CHANGE = 6  # 6: angular, linear; before, there is the bias: moment, force
ARTICULATED = 12  # 21; afterwards GAIN and PUSH
GAIN = 12  # 5: inertia against the joint over pivot, its column but for the pivot itself
PUSH = 17  # what of the torque is left, over the pivot
SWAY = 33  # 2: angular acceleration across a revolute joint's axis by velocities
ROW = 35
ARTICULATED_COLUMNS = ROW + 12  # behind all rows there is room for results and pivots

ROUNDING = 1e-14  # of the smallest pivots, relative to what is added up to them


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def to_body(i, topology, constants, c, s, x, y, z):
    """A vector from the parent's axes to those of body i."""
    x, y = turned_back(topology[i, TURN], constants[i, TURN_COSINE], constants[i, TURN_SINE], x, y)
    y, z = turned_back(topology[i, TILT], constants[i, TILT_COSINE], constants[i, TILT_SINE], y, z)
    x, y = turned_back(ANY, c, s, x, y)
    return x, y, z


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def to_parent(i, topology, constants, c, s, x, y, z):
    """A vector from the axes of body i to its parent's."""
    x, y = turned_on(ANY, c, s, x, y)
    y, z = turned_on(topology[i, TILT], constants[i, TILT_COSINE], constants[i, TILT_SINE], y, z)
    x, y = turned_on(topology[i, TURN], constants[i, TURN_COSINE], constants[i, TURN_SINE], x, y)
    return x, y, z


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def placement(i, topology, constants, states, lanes, like):
    """Cosine, sine, and the origin in the parent's frame, of a body that does not float."""
    m = block_rows(topology.shape[0] - 1)
    shift = load(states, (SHIFT * m + i) * lanes, like)
    return (
        load(states, (COSINE * m + i) * lanes, like),
        load(states, (SINE * m + i) * lanes, like),
        constants[i, POSITION] + constants[i, AXIS] * shift,
        constants[i, POSITION + 1] + constants[i, AXIS + 1] * shift,
        constants[i, POSITION + 2] + constants[i, AXIS + 2] * shift,
    )


@njit(forceinline=True, fastmath=FAST, error_model="numpy")
def store_body(i, ox, oy, oz, ux, uy, uz, constants, work, at, lanes, like):
    """Store the inertia and the bias of body i alone, at angular velocity o and acceleration u of its origin.

    Force m u + o x (o x m c) = m u + (o . m c) o - |o|^2 m c; moment o x (I o) + m c x u, where I o =
    tr(J) o - J o of the pseudo-inertia J.
    """
    mass = constants[i, MASS]
    hx, hy, hz = constants[i, MOMENT], constants[i, MOMENT + 1], constants[i, MOMENT + 2]
    xx, yy, zz = constants[i, INERTIA], constants[i, INERTIA + 1], constants[i, INERTIA + 2]
    xy, xz, yz = constants[i, INERTIA + 3], constants[i, INERTIA + 4], constants[i, INERTIA + 5]
    ex, ey, ez = constants[i, EXTERNAL], constants[i, EXTERNAL + 1], constants[i, EXTERNAL + 2]
    dx, dy, dz = constants[i, EXTERNAL + 3], constants[i, EXTERNAL + 4], constants[i, EXTERNAL + 5]
    square, along = ox * ox + oy * oy + oz * oz, hx * ox + hy * oy + hz * oz
    kx, ky, kz = xx * ox + xy * oy + xz * oz, xy * ox + yy * oy + yz * oz, xz * ox + yz * oy + zz * oz
    nx = ky * oz - kz * oy + hy * uz - hz * uy - dx
    ny = kz * ox - kx * oz + hz * ux - hx * uz - dy
    nz = kx * oy - ky * ox + hx * uy - hy * ux - dz
    store3(work, at + OMEGA * lanes, lanes, ox, oy, oz)
    store3(work, at + GAMMA * lanes, lanes, ux, uy, uz)
    store3(work, at + CHANGE * lanes, lanes, nx, ny, nz)
    fx = mass * ux + along * ox - square * hx - ex
    fy = mass * uy + along * oy - square * hy - ey
    fz = mass * uz + along * oz - square * hz - ez
    store3(work, at + (CHANGE + 3) * lanes, lanes, fx, fy, fz)
    at = at + ARTICULATED * lanes
    store3(work, at, lanes, yy + zz + like, xx + zz + like, xx + yy + like)
    store3(work, at + 3 * lanes, lanes, like - xy, like - xz, like - yz)
    store3(work, at + 6 * lanes, lanes, like, like - hz, hy + like)
    store3(work, at + 9 * lanes, lanes, hz + like, like, like - hx)
    store3(work, at + 12 * lanes, lanes, like - hy, hx + like, like)
    store3(work, at + 15 * lanes, lanes, mass + like, mass + like, mass + like)
    store3(work, at + 18 * lanes, lanes, like, like, like)


@njit(forceinline=True)
def load_articulated(work, at, lanes, like):
    """Articulated inertia: 6 entries of the angular part, 9 that couple by rows, 6 of the linear."""
    return (
        load3(work, at, lanes, like)
        + load3(work, at + 3 * lanes, lanes, like)
        + load3(work, at + 6 * lanes, lanes, like)
        + load3(work, at + 9 * lanes, lanes, like)
        + load3(work, at + 12 * lanes, lanes, like)
        + load3(work, at + 15 * lanes, lanes, like)
        + load3(work, at + 18 * lanes, lanes, like)
    )

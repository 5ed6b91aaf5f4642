"""Bodies on revolute and prismatic joints: outward their motion and wrench, inward their joint's torque.

One function for each kind of joint, with the kind of turn as an argument: a branch among the arithmetic would
make all lanes slower.
"""

from ...layout import COSINE, KIND, MULTIPLIER, PARENT, POSITION, PRISMATIC, SINE
from ...math.vectors import plus_cross
from ...numba_support.compilation import inlined
from ...numba_support.memory import load, store
from ...numba_support.neighbours import load3, row3
from ...states import block_rows
from ..articulated_inertia import ANY
from ..articulated_layout import placement, to_body, to_parent
from .bodies import add_to_parent, at_joint, store_motion, store_reduced_wrench, store_wrench
from .layout import FORCE, TORQUE, velocity_at, wrench_at

__all__ = ["inward_prismatic", "inward_revolute", "outward", "outward_reduced"]


@inlined
def _turn_of_joint(i, topology, states, lanes, like):
    """Cosine and sine of joint i's angle."""
    m = block_rows(topology.shape[0] - 1)
    return load(states, (COSINE * m + i) * lanes, like), load(states, (SINE * m + i) * lanes, like)


@inlined
def outward_reduced(turn, i, topology, constants, v, vdot, states, work, lanes, like):
    """Body i on a revolute joint, of which nothing is left that the joint does not feel."""
    c, s = _turn_of_joint(i, topology, states, lanes, like)
    omega, alpha, acceleration = at_joint(row3(constants, i, POSITION), i, topology, work, lanes, like)
    ox, oy, oz = to_body(turn, ANY, i, constants, c, s, omega)
    ex, ey, ez = to_body(turn, ANY, i, constants, c, s, alpha)
    acceleration = to_body(turn, ANY, i, constants, c, s, acceleration)
    rate = constants[i, MULTIPLIER] * load(v, velocity_at(i, topology, lanes), like)
    push = constants[i, MULTIPLIER] * load(vdot, velocity_at(i, topology, lanes), like)
    alpha = ex + oy * rate, ey - ox * rate, ez + push
    motion = store_motion(i, (ox, oy, oz + rate), alpha, acceleration, topology, work, lanes)
    store_reduced_wrench(i, motion, acceleration, constants, work, lanes)


@inlined
def outward(i, topology, constants, v, vdot, states, work, lanes, like):
    """Any other body i on a joint of one axis."""
    c, s, p = placement(i, topology, constants, states, lanes, like)
    omega, alpha, acceleration = at_joint(p, i, topology, work, lanes, like)
    ox, oy, oz = to_body(ANY, ANY, i, constants, c, s, omega)
    ex, ey, ez = to_body(ANY, ANY, i, constants, c, s, alpha)
    ux, uy, uz = to_body(ANY, ANY, i, constants, c, s, acceleration)
    rate = constants[i, MULTIPLIER] * load(v, velocity_at(i, topology, lanes), like)
    push = constants[i, MULTIPLIER] * load(vdot, velocity_at(i, topology, lanes), like)
    if topology[i, KIND] == PRISMATIC:
        # Coriolis term 2 omega x (z rate)
        ux, uy, uz = ux + 2.0 * (oy * rate), uy - 2.0 * (ox * rate), uz + push
    else:
        ex, ey, ez = ex + oy * rate, ey - ox * rate, ez + push
        oz = oz + rate
    motion = store_motion(i, (ox, oy, oz), (ex, ey, ez), (ux, uy, uz), topology, work, lanes)
    store_wrench(i, motion, (ux, uy, uz), constants, work, lanes)


@inlined
def inward_revolute(turn, i, topology, constants, states, work, tau, lanes, like):
    """The torque of revolute joint i; its wrench is added to its parent's."""
    _add_torque(TORQUE + 2, i, topology, constants, work, tau, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:  # nobody asks what the ground bears
        c, s = _turn_of_joint(i, topology, states, lanes, like)
        placed = c, s, row3(constants, i, POSITION)
        _pass_on(turn, i, placed, topology, constants, work, lanes, like)


@inlined
def inward_prismatic(i, topology, constants, states, work, tau, lanes, like):
    """The force of prismatic joint i; its wrench is added to its parent's."""
    _add_torque(FORCE + 2, i, topology, constants, work, tau, lanes, like)
    if topology[i, PARENT] < topology.shape[0] - 1:
        placed = placement(i, topology, constants, states, lanes, like)
        _pass_on(ANY, i, placed, topology, constants, work, lanes, like)


@inlined
def _add_torque(component, i, topology, constants, work, tau, lanes, like):
    """Add a component of the wrench of body i to the torque of its joint."""
    own = constants[i, MULTIPLIER] * load(work, wrench_at(i, lanes) + component * lanes, like)
    at = velocity_at(i, topology, lanes)
    store(tau, at, load(tau, at, like) + own)


@inlined
def _pass_on(turn, i, placed, topology, constants, work, lanes, like):
    """Add the wrench of body i, placed by cosine, sine and origin, to its parent's."""
    c, s, p = placed
    at = wrench_at(i, lanes)
    force = to_parent(turn, ANY, i, constants, c, s, load3(work, at + FORCE * lanes, lanes, like))
    moment = to_parent(turn, ANY, i, constants, c, s, load3(work, at + TORQUE * lanes, lanes, like))
    add_to_parent(i, force, plus_cross(moment, p, force), topology, work, lanes, like)

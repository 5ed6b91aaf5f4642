"""Bodies on floating and spherical joints, whose twists are in the bodies' own axes."""

from ...layout import FLOATING, KIND, PARENT
from ...math.vectors import cross, plus, plus_cross, plus_scaled, times, transposed_times
from ...numba_support.compilation import inlined
from ...numba_support.neighbours import add3, load3
from ...placement import place_by_quaternion, place_floating, place_spherical
from .bodies import add_to_parent, at_joint, store_motion, store_wrench
from .layout import FORCE, TORQUE, velocity_at, wrench_at

__all__ = ["inward_by_quaternion", "outward_by_quaternion"]


@inlined
def outward_by_quaternion(i, topology, constants, q, v, vdot, work, lanes, like):
    """Motion and wrench of body i."""
    iv = velocity_at(i, topology, lanes)
    if topology[i, KIND] == FLOATING:
        rotation, p = place_floating(i, topology, constants, q, lanes, like)
    else:
        rotation, p = place_spherical(i, topology, constants, q, lanes, like)
    omega, alpha, acceleration = at_joint(p, i, topology, work, lanes, like)
    omega, alpha = transposed_times(rotation, omega), transposed_times(rotation, alpha)
    acceleration = transposed_times(rotation, acceleration)
    if topology[i, KIND] == FLOATING:
        linear, angular = load3(v, iv, lanes, like), load3(v, iv + 3 * lanes, lanes, like)
        push = plus_cross(load3(vdot, iv, lanes, like), angular, linear)
        acceleration = plus(acceleration, plus_scaled(push, 2.0, cross(omega, linear)))
        iv = iv + 3 * lanes
    angular = load3(v, iv, lanes, like)
    alpha = plus_cross(plus(alpha, load3(vdot, iv, lanes, like)), omega, angular)
    motion = store_motion(i, plus(omega, angular), alpha, acceleration, topology, work, lanes)
    store_wrench(i, motion, acceleration, constants, work, lanes)


@inlined
def inward_by_quaternion(i, topology, constants, q, work, tau, lanes, like):
    """The torques of joint i; its wrench is added to its parent's."""
    at, iv = wrench_at(i, lanes), velocity_at(i, topology, lanes)
    force = load3(work, at + FORCE * lanes, lanes, like)
    moment = load3(work, at + TORQUE * lanes, lanes, like)
    if topology[i, KIND] == FLOATING:
        add3(tau, iv, lanes, like, force)
        iv = iv + 3 * lanes
    add3(tau, iv, lanes, like, moment)
    if topology[i, PARENT] < topology.shape[0] - 1:
        rotation, p = place_by_quaternion(i, topology, constants, q, lanes, like)
        force = times(rotation, force)
        moment = plus_cross(times(rotation, moment), p, force)
        add_to_parent(i, force, moment, topology, work, lanes, like)

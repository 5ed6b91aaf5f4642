"""The recursion of :mod:`..newton_euler` in frames of few operations, for torques alone.

Frames are those of dynamics/arrays/body_frames: against its parent a body is placed by P, Rz(turn) Rx(tilt)
Rz(q), so that a vector turns by two or three planes instead of nine products; and masses are regrouped as in
dynamics/arrays/regrouping, so that torques are those of the bodies, and wrenches are not. Exported
code is made from it. Of external wrenches and black boxes it knows nothing.
"""

from ...joint_terms import write_joint_terms
from ...layout import GRAVITY, KIND, PARENT, PRISMATIC, TERMS, V
from ...numba_support.compilation import spliced
from ...numba_support.memory import store
from ...states import turns_by_quaternion
from ..articulated_inertia import ANY, NONE
from ..articulated_layout import TURN
from .by_quaternion import inward_by_quaternion, outward_by_quaternion
from .layout import ACCELERATION, MOTION_COLUMNS, motion_at
from .one_axis import inward_prismatic, inward_revolute, outward, outward_reduced

__all__ = ["recursion"]


@spliced
def recursion(topology, constants, q, v, vdot, states, work, tau, lanes, like):
    """tau: outward over all bodies, then inward."""
    n = topology.shape[0] - 1
    ground = motion_at(n, topology, lanes)
    for k in range(MOTION_COLUMNS):
        store(work, ground + k * lanes, like)
    for k in range(3):
        store(work, ground + (ACCELERATION + k) * lanes, like - constants[n, GRAVITY + k])
    for i in range(n):
        if turns_by_quaternion(i, topology):
            outward_by_quaternion(i, topology, constants, q, v, vdot, work, lanes, like)
        elif topology[i, KIND] == PRISMATIC or topology[i, PARENT] == n:
            outward(i, topology, constants, v, vdot, states, work, lanes, like)
        elif topology[i, TURN] == NONE:
            outward_reduced(NONE, i, topology, constants, v, vdot, states, work, lanes, like)
        else:
            outward_reduced(ANY, i, topology, constants, v, vdot, states, work, lanes, like)
    if topology[n, TERMS] == 0:
        for k in range(topology[n, V]):
            store(tau, k * lanes, like)
    else:
        write_joint_terms(topology[n, TERMS], topology, constants, q, v, vdot, tau, 0, lanes)
    for i in range(n - 1, -1, -1):
        if turns_by_quaternion(i, topology):
            inward_by_quaternion(i, topology, constants, q, work, tau, lanes, like)
        elif topology[i, KIND] == PRISMATIC:
            inward_prismatic(i, topology, constants, states, work, tau, lanes, like)
        elif topology[i, TURN] == NONE:
            inward_revolute(NONE, i, topology, constants, states, work, tau, lanes, like)
        else:
            inward_revolute(ANY, i, topology, constants, states, work, tau, lanes, like)

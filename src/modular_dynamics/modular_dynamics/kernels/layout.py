"""Columns of the arrays that the kernels work on. Row k is joint k; the last row of work is the ground.

Each body's frame is turned so that its joint's axis is z ("aligned frame"); the turn is folded into the
constants at load, so that a joint of one degree of freedom is Rz(q) or a shift along z and nothing else.
Of work and joint states every element stands for L lanes side by side: L = 1 for a single state.
"""

# topology, int64 (n + 1, 6); its last row holds the lengths of q and of v, and TERMS
PARENT = 0  # row of the body that carries the joint; n for the ground
KIND = 1
Q = 2  # where the joint's coordinates start in q ...
V = 3  # ... and in v, vdot, tau
MODE = 4
VELOCITIES = 5  # how many elements of v are the joint's own: 1, 3 or 6; 0 of a mimic joint
TOPOLOGY_COLUMNS = 6
TERMS = 4  # of the last row: what joints add to the torques, a sum of ...
ARMATURES, SPRINGS, FRICTIONS = 1, 2, 4

REVOLUTE, PRISMATIC = 0, 1  # KIND
FLOATING, SPHERICAL = 3, 4  # from FLOATING on: positions with a quaternion
WHOLE = 0  # MODE: the joint's wrench goes on to the parent
CUT = 1  # it does not: a black box's given wrench stands for it
UNKNOWN = 2  # neither, and the torque is not known: inside a black box

# constants, float64 or float32 (n + 1, 35); of the last row only GRAVITY counts
ROTATION = 0  # 9: parent's aligned frame <- joint's aligned frame, row by row
POSITION = 9  # 3: the joint's origin in the parent's aligned frame [m]
MASS = 12  # [kg]
MOMENT = 13  # 3: mass times centre of mass [kg m]
INERTIA = 16  # 6: pseudo-inertia about the origin, xx yy zz xy xz yz [kg m^2]
MULTIPLIER = 22  # q = MULTIPLIER q[Q] + OFFSET: 1 and 0 but for mimic joints
OFFSET = 23
# what a joint adds to the torques of its own velocities, with what mimic joints add to those of their driver:
ARMATURE = 24  # inertia of the drive [kg m^2 or kg]
STIFFNESS, REST = 25, 26  # of a spring, and q[Q] where it is relaxed
DAMPING, FRICTION = 27, 28  # viscous and dry friction
EXTERNAL = 29  # 6: force and moment about the origin that act on the body from outside (an input)
CONSTANT_COLUMNS = 35
GRAVITY = 0  # 3, of the last row: gravitational acceleration [m/s^2]

# joint states, 1-D: sines of all joints' angles, their cosines, shifts along their axes [m]; a block each
SINE, COSINE, SHIFT = range(3)
STATE_BLOCKS = 3
WIDEST = 16  # lanes that are read at once at the most: blocks are whole multiples of it

# work of inverse dynamics, 1-D, n + 1 rows; the last one is the ground's
OMEGA = 0  # 3: angular velocity [rad/s]
ALPHA = 3  # 3: angular acceleration [rad/s^2]
ACCELERATION = 6  # 3: acceleration of the origin minus gravity [m/s^2]
FORCE = 9  # 3: force [N] and ...
TORQUE = 12  # 3: ... moment [N m] about the origin that the joint passes on to the body
WORK_COLUMNS = 15


def padded(joints: int) -> int:
    """Rows of one block of joint states."""
    return (joints + WIDEST - 1) // WIDEST * WIDEST

"""Values of MuJoCo's enumerations, under its names: only code that calls MuJoCo has to import it."""

__all__ = [
    "VELOCITIES",
    "Constraint",
    "Disable",
    "Equality",
    "Jacobian",
    "Joint",
    "Object",
    "SameFrame",
    "Transmission",
    "Wrap",
]


class Joint:
    """mjtJoint."""

    FREE, BALL, SLIDE, HINGE = range(4)


#: Lengths of joints' velocities, by mjtJoint.
VELOCITIES = (6, 3, 1, 1)


class Equality:
    """mjtEq, as far as it is read."""

    CONNECT, WELD, JOINT, TENDON = range(4)
    NAMES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")


class Transmission:
    """mjtTrn: what an actuator acts on."""

    JOINT, JOINTINPARENT, TENDON = 0, 1, 3


class Wrap:
    """mjtWrap: what a tendon passes."""

    JOINT, SITE = 1, 3


class Object:
    """mjtObj."""

    BODY, SITE = 1, 6


class SameFrame:
    """mjtSameFrame: an inertial frame that is the body's, or has its axes."""

    BODY, BODYROT = 1, 3


class Constraint:
    """mjtConstraint."""

    EQUALITY = 0


class Jacobian:
    """mjtJacobian."""

    DENSE = 0


class Disable:
    """mjtDisableBit: what the file switches off."""

    CONSTRAINT, EQUALITY, FRICTIONLOSS, SPRING, DAMPER, GRAVITY = 1, 2, 4, 32, 64, 128

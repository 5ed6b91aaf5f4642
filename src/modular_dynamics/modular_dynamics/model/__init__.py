"""The model: joints, bodies, subsystems and the graph that they form. Constant after construction."""

from . import checks, orders
from .checks import *  # noqa: F403  # all of them
from .closure import Anchor, Gear, LoopJoint, Spring
from .configuration import PositionLimits, joint_limits
from .graph import SubsystemGraph, register_compiler
from .subsystem import Body, Connection, Joint, JointType, Limits, Mimic, Subsystem

__all__ = [
    "Anchor",
    "Body",
    "Connection",
    "Gear",
    "Joint",
    "JointType",
    "Limits",
    "LoopJoint",
    "Mimic",
    "PositionLimits",
    "Spring",
    "Subsystem",
    "SubsystemGraph",
    "joint_limits",
    "orders",
    "register_compiler",
]
__all__ += checks.__all__

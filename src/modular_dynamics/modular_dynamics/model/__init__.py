"""The model: joints, bodies, subsystems and the graph that they form. Constant after construction."""

from .checks import (
    black_box_loads,
    black_box_wrenches,
    body_loads,
    carrying_body,
    link_wrenches,
    refuse_black_boxes,
    refuse_closures,
)
from .closure import Anchor, Gear, LoopJoint, Spring
from .graph import SubsystemGraph
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
    "Spring",
    "Subsystem",
    "SubsystemGraph",
    "black_box_loads",
    "black_box_wrenches",
    "body_loads",
    "carrying_body",
    "link_wrenches",
    "refuse_black_boxes",
    "refuse_closures",
]

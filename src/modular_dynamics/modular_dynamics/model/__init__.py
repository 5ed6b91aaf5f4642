"""The model: joints, bodies, subsystems and the graph that they form. Constant after construction."""

from .body import Body
from .closure import Anchor, Gear, LoopJoint, Spring
from .graph import SubsystemGraph
from .joint import Joint, JointType, Limits, Mimic
from .loads import black_box_loads, black_box_wrenches, body_loads
from .subsystem import Connection, Subsystem
from .support import refuse_black_boxes, refuse_closures

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
    "refuse_black_boxes",
    "refuse_closures",
]

"""The model: joints, bodies, subsystems and the graph that they form. Constant after construction."""

from . import joint_order
from .checks import (
    black_box_loads,
    black_box_wrenches,
    body_loads,
    carrying_body,
    joint_state_obstacle,
    link_wrenches,
    refuse_black_boxes,
    refuse_closures,
    root_floating_joints,
    without_torques,
)
from .configuration import PositionLimits, joint_limits, usual_range
from .findings import Finding, refusals_by_kind, summaries_by_kind
from .graph import SubsystemGraph
from .parameters import Parameter
from .structure import SourceText, body_of_link, checked_vectors, closing_elements, require_graph
from .subsystem import (
    Anchor,
    Body,
    Connection,
    Gear,
    Inertial,
    Joint,
    JointType,
    Limits,
    Link,
    LoopJoint,
    Mimic,
    Spring,
    Subsystem,
    merged,
)

__all__ = [
    "Anchor",
    "Body",
    "Connection",
    "Finding",
    "Gear",
    "Inertial",
    "Joint",
    "JointType",
    "Limits",
    "Link",
    "LoopJoint",
    "Mimic",
    "Parameter",
    "PositionLimits",
    "SourceText",
    "Spring",
    "Subsystem",
    "SubsystemGraph",
    "black_box_loads",
    "black_box_wrenches",
    "body_loads",
    "body_of_link",
    "carrying_body",
    "checked_vectors",
    "closing_elements",
    "joint_limits",
    "joint_order",
    "joint_state_obstacle",
    "link_wrenches",
    "merged",
    "refusals_by_kind",
    "refuse_black_boxes",
    "refuse_closures",
    "require_graph",
    "root_floating_joints",
    "summaries_by_kind",
    "usual_range",
    "without_torques",
]

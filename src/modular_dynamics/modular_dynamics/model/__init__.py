"""The model: joints, bodies, subsystems and the graph that they form. Constant after construction."""

from . import checks, joint_order
from .changes.sources import SourceText
from .checks import *  # noqa: F403  # all of them
from .closure import Anchor, Gear, LoopJoint, Spring
from .configuration import PositionLimits, joint_limits, usual_range
from .findings import Finding, refusals_by_kind, summaries_by_kind
from .graph import SubsystemGraph
from .inertial import Inertial, Link, merged
from .joint_states import joint_state_obstacle, root_floating_joints, without_torques
from .parameters import Parameter
from .structure import body_of_link, checked_vectors, closing_elements
from .subsystem import Body, Connection, Joint, JointType, Limits, Mimic, Subsystem

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
    "body_of_link",
    "checked_vectors",
    "closing_elements",
    "joint_limits",
    "joint_state_obstacle",
    "merged",
    "joint_order",
    "refusals_by_kind",
    "root_floating_joints",
    "summaries_by_kind",
    "usual_range",
    "without_torques",
]
__all__ += checks.__all__

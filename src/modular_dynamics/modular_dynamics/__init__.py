"""Robot dynamics by composition of subsystems: modular dual-quaternion Newton-Euler.

Lengths in metres, angles in radians, SI throughout; quaternions w x y z; wrenches [force, moment].
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .algebra import DualQuaternion, Quaternion
from .closure import (
    ClosedLoopDynamics,
    ClosedLoopMotion,
    Simulation,
    close_loops,
    closed_loop_bias,
    closed_loop_forward_dynamics,
    closed_loop_gravity_torque,
    closed_loop_inverse_dynamics,
    closed_loop_mass_matrix,
    closed_loop_spring_torque,
    constraint_projection,
    energy,
    simulate,
)
from .composition import Composition, DualQuaternions, SpatialVectors, compose, subsystem_graph_dot
from .dynamics import (
    CompileReport,
    ForwardDynamics,
    FramePoses,
    InverseDynamics,
    InverseDynamicsDerivatives,
    InverseDynamicsResult,
    Jacobian,
    MassMatrix,
    Regressor,
    bias,
    bias_batch,
    forward_dynamics,
    forward_dynamics_batch,
    frame_pose,
    frame_poses,
    frame_poses_batch,
    gravity_torque,
    gravity_torque_batch,
    inertial_parameters,
    inverse_dynamics,
    inverse_dynamics_batch,
    inverse_dynamics_derivatives,
    inverse_dynamics_derivatives_batch,
    jacobian,
    jacobian_batch,
    mass_matrix,
    mass_matrix_batch,
    regressor,
    regressor_batch,
)
from .exceptions import (
    ClosureError,
    DescriptionError,
    ModelWarning,
    ModularDynamicsError,
    PartitionError,
    SingularityError,
    StateError,
    UnsupportedModelError,
    UrdfError,
)
from .model import Joint, JointType, Subsystem, SubsystemGraph
from .urdf import load_urdf

if TYPE_CHECKING:
    from . import crosscheck as crosscheck

__all__ = [
    "ClosedLoopDynamics",
    "ClosedLoopMotion",
    "ClosureError",
    "CompileReport",
    "Composition",
    "DescriptionError",
    "DualQuaternion",
    "DualQuaternions",
    "ForwardDynamics",
    "FramePoses",
    "InverseDynamics",
    "InverseDynamicsDerivatives",
    "InverseDynamicsResult",
    "Jacobian",
    "Joint",
    "JointType",
    "MassMatrix",
    "ModelWarning",
    "ModularDynamicsError",
    "PartitionError",
    "Quaternion",
    "Regressor",
    "Simulation",
    "SingularityError",
    "SpatialVectors",
    "StateError",
    "Subsystem",
    "SubsystemGraph",
    "UnsupportedModelError",
    "UrdfError",
    "bias",
    "bias_batch",
    "close_loops",
    "closed_loop_bias",
    "closed_loop_forward_dynamics",
    "closed_loop_gravity_torque",
    "closed_loop_inverse_dynamics",
    "closed_loop_mass_matrix",
    "closed_loop_spring_torque",
    "compose",
    "constraint_projection",
    "crosscheck",
    "energy",
    "forward_dynamics",
    "forward_dynamics_batch",
    "frame_pose",
    "frame_poses",
    "frame_poses_batch",
    "gravity_torque",
    "gravity_torque_batch",
    "inertial_parameters",
    "inverse_dynamics",
    "inverse_dynamics_batch",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_derivatives_batch",
    "jacobian",
    "jacobian_batch",
    "load_urdf",
    "mass_matrix",
    "mass_matrix_batch",
    "regressor",
    "regressor_batch",
    "simulate",
    "subsystem_graph_dot",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # Pinocchio is loaded only by those who cross-check
    if name == "crosscheck":
        return import_module(".crosscheck", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The public functions over the kernels: torques, accelerations, matrices and poses of a graph."""

from . import quantities
from .arrays.joint_terms import friction_coefficients
from .base_parameters import BaseParameters, base_parameters
from .derivatives import (
    InverseDynamicsDerivatives,
    inverse_dynamics_derivatives,
    inverse_dynamics_derivatives_batch,
)
from .equation_of_motion import (
    MassMatrix,
    bias,
    bias_batch,
    gravity_torque,
    gravity_torque_batch,
    mass_matrix,
    mass_matrix_batch,
)
from .execution.generated import CompileReport
from .export.c_code import ExportedC
from .export.casadi_functions import CasadiFunctions
from .forward_derivatives import (
    ForwardDynamicsDerivatives,
    forward_dynamics_derivatives,
    forward_dynamics_derivatives_batch,
)
from .forward_dynamics import ForwardDynamics, forward_dynamics, forward_dynamics_batch
from .hybrid_dynamics import HybridDynamics, hybrid_dynamics, hybrid_dynamics_batch
from .inverse_dynamics import InverseDynamics, inverse_dynamics, inverse_dynamics_batch
from .inverse_dynamics_result import InverseDynamicsResult
from .jacobian import Jacobian, jacobian, jacobian_batch
from .kinematics import FramePoses, frame_pose, frame_poses, frame_poses_batch
from .quantities import *  # noqa: F403  # all of them
from .regressor import Regressor, inertial_parameters, regressor, regressor_batch

__all__ = [
    "CasadiFunctions",
    "BaseParameters",
    "CompileReport",
    "ExportedC",
    "ForwardDynamics",
    "ForwardDynamicsDerivatives",
    "FramePoses",
    "HybridDynamics",
    "InverseDynamics",
    "InverseDynamicsDerivatives",
    "InverseDynamicsResult",
    "Jacobian",
    "MassMatrix",
    "Regressor",
    "base_parameters",
    "bias",
    "bias_batch",
    "gravity_torque",
    "gravity_torque_batch",
    "forward_dynamics",
    "forward_dynamics_batch",
    "forward_dynamics_derivatives",
    "forward_dynamics_derivatives_batch",
    "frame_pose",
    "frame_poses",
    "frame_poses_batch",
    "friction_coefficients",
    "hybrid_dynamics",
    "hybrid_dynamics_batch",
    "inertial_parameters",
    "inverse_dynamics",
    "inverse_dynamics_batch",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_derivatives_batch",
    "jacobian",
    "jacobian_batch",
    "mass_matrix",
    "mass_matrix_batch",
    "regressor",
    "regressor_batch",
]
__all__ += quantities.__all__

"""Torques, accelerations, matrices and poses of a graph, computed by the compiled core."""

from .arguments import friction_coefficients
from .base_parameters import BaseParameters, base_parameters
from .derivatives import (
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from .equation_of_motion import coriolis_matrix, mass_matrix
from .forward_dynamics import HybridDynamics, forward_dynamics, hybrid_dynamics
from .inverse_dynamics import InverseDynamics, gravity_torque, inverse_dynamics, nonlinear_effects
from .kinematics import (
    frame_acceleration,
    frame_accelerations,
    frame_pose,
    frame_poses,
    frame_velocities,
    frame_velocity,
    jacobian,
    jacobian_drift,
)
from .regressor import inertial_parameters, regressor
from .transmitted_wrenches import InverseDynamicsResult
from .whole_body import (
    CentreOfMass,
    centre_of_mass,
    centre_of_mass_jacobian,
    centroidal_momentum,
    centroidal_momentum_matrix,
    centroidal_momentum_rate,
    kinetic_energy,
    potential_energy,
)

__all__ = [
    "BaseParameters",
    "CentreOfMass",
    "ForwardDynamicsDerivatives",
    "HybridDynamics",
    "InverseDynamics",
    "InverseDynamicsDerivatives",
    "InverseDynamicsResult",
    "base_parameters",
    "centre_of_mass",
    "centre_of_mass_jacobian",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "centroidal_momentum_rate",
    "coriolis_matrix",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_acceleration",
    "frame_accelerations",
    "frame_pose",
    "frame_poses",
    "frame_velocities",
    "frame_velocity",
    "friction_coefficients",
    "gravity_torque",
    "hybrid_dynamics",
    "inertial_parameters",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian",
    "jacobian_drift",
    "kinetic_energy",
    "mass_matrix",
    "nonlinear_effects",
    "potential_energy",
    "regressor",
]

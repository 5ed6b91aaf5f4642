"""The kernels' face: checked arguments in, torques and matrices out."""

from .equation_of_motion import MassMatrix, bias, gravity_torque, mass_matrix
from .inverse_dynamics import InverseDynamics, inverse_dynamics, inverse_dynamics_batch

__all__ = [
    "InverseDynamics",
    "MassMatrix",
    "bias",
    "gravity_torque",
    "inverse_dynamics",
    "inverse_dynamics_batch",
    "mass_matrix",
]

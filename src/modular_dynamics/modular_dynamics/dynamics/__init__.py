"""The kernels' face: checked arguments in, torques and matrices out."""

from .equation_of_motion import (
    MassMatrix,
    bias,
    bias_batch,
    gravity_torque,
    gravity_torque_batch,
    mass_matrix,
    mass_matrix_batch,
)
from .generated import CompileReport
from .inverse_dynamics import InverseDynamics, inverse_dynamics, inverse_dynamics_batch

__all__ = [
    "CompileReport",
    "InverseDynamics",
    "MassMatrix",
    "bias",
    "bias_batch",
    "gravity_torque",
    "gravity_torque_batch",
    "inverse_dynamics",
    "inverse_dynamics_batch",
    "mass_matrix",
    "mass_matrix_batch",
]

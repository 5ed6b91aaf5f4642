"""Compiled algorithms on raw arrays; no imports but numpy, numba (with its llvmlite), math, operator."""

from .checks import first_not_finite
from .composite_body import mass_matrix, mass_matrix_float64
from .jacobian import jacobian, jacobian_float64
from .kinematics import frame_poses, frame_poses_float64
from .newton_euler import inverse_dynamics, inverse_dynamics_float32, inverse_dynamics_float64
from .regressor import regressor, regressor_float64
from .states import SMALLEST_NORM

__all__ = [
    "SMALLEST_NORM",
    "first_not_finite",
    "frame_poses",
    "frame_poses_float64",
    "inverse_dynamics",
    "inverse_dynamics_float32",
    "inverse_dynamics_float64",
    "jacobian",
    "jacobian_float64",
    "mass_matrix",
    "mass_matrix_float64",
    "regressor",
    "regressor_float64",
]

"""Compiled algorithms on raw arrays; what they may import, import-linter holds (pyproject.toml)."""

from .entry import entries_are_direct, entry
from .recursions.articulated_body import forward_dynamics, forward_dynamics_float64
from .recursions.composite_body import mass_matrix, mass_matrix_float64
from .recursions.design_torques import inverse_dynamics_of_designs
from .recursions.jacobian import jacobian, jacobian_float64
from .recursions.kinematics import frame_poses, frame_poses_float64
from .recursions.newton_euler import inverse_dynamics, inverse_dynamics_float32, inverse_dynamics_float64
from .recursions.regressor import regressor, regressor_float64
from .recursions.torques.recursion import torques_float32, torques_float64
from .states import SMALLEST_NORM, first_not_finite

__all__ = [
    "SMALLEST_NORM",
    "entries_are_direct",
    "entry",
    "first_not_finite",
    "forward_dynamics",
    "forward_dynamics_float64",
    "frame_poses",
    "frame_poses_float64",
    "inverse_dynamics",
    "inverse_dynamics_float32",
    "inverse_dynamics_float64",
    "inverse_dynamics_of_designs",
    "jacobian",
    "jacobian_float64",
    "mass_matrix",
    "mass_matrix_float64",
    "regressor",
    "regressor_float64",
    "torques_float32",
    "torques_float64",
]

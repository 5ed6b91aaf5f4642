"""Compiled algorithms on raw arrays; what they may import, import-linter holds (pyproject.toml)."""

from . import closed_loop, explicit, loops, orthogonal, turns
from .articulated_body import forward_dynamics, forward_dynamics_float64
from .checks import first_not_finite
from .compilation import cached_by_all_sources
from .composite_body import mass_matrix, mass_matrix_float64
from .entry import entries_are_direct, entry
from .jacobian import jacobian, jacobian_float64
from .kinematics import frame_poses, frame_poses_float64
from .newton_euler import (
    inverse_dynamics,
    inverse_dynamics_float32,
    inverse_dynamics_float64,
)
from .regressor import regressor, regressor_float64
from .states import SMALLEST_NORM

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
    "jacobian",
    "jacobian_float64",
    "mass_matrix",
    "mass_matrix_float64",
    "regressor",
    "regressor_float64",
]

cached_by_all_sources(*(globals()[name] for name in __all__))
for module in (closed_loop, explicit, loops, orthogonal, turns):
    cached_by_all_sources(*vars(module).values())

"""Compiled algorithms on raw arrays; what they may import, import-linter holds (pyproject.toml)."""

from . import turns
from .checks import first_not_finite
from .loops import (
    constraint_rows,
    continuation,
    newton,
    planar_steps,
    planar_walk,
    projection,
)
from .loops import (
    inverse_dynamics as closed_loops,
)
from .math import orthogonal
from .numba_support.compilation import cached_by_all_sources
from .numba_support.entry import entry
from .recursions.articulated_body import forward_dynamics, forward_dynamics_float64
from .recursions.composite_body import mass_matrix, mass_matrix_float64
from .recursions.jacobian import jacobian, jacobian_float64
from .recursions.kinematics import frame_poses, frame_poses_float64
from .recursions.newton_euler import inverse_dynamics, inverse_dynamics_float32, inverse_dynamics_float64
from .recursions.regressor import regressor, regressor_float64
from .states import SMALLEST_NORM

__all__ = [
    "SMALLEST_NORM",
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
for module in (
    closed_loops,
    constraint_rows,
    continuation,
    newton,
    orthogonal,
    planar_steps,
    planar_walk,
    projection,
    turns,
):
    cached_by_all_sources(*vars(module).values())

"""The kernels' face: checked arguments in, torques out."""

from .inverse_dynamics import InverseDynamics, inverse_dynamics

__all__ = ["InverseDynamics", "inverse_dynamics"]

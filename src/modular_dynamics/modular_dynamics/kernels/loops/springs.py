"""Springs between links: their tensions, and what the joints hold of them."""

from ..numba_support.compilation import inlined_strictly
from .constraint_rows import evaluate_rows

__all__ = ["add_springs"]


@inlined_strictly
def add_springs(tree, springs, q, v, tau, tensions):
    """Write the tensions F_0 + k (L - L_0) + d dL/dt; add the torques that hold the springs to ``tau``."""
    evaluate_rows(tree, springs.rows, q, v, springs.values)
    length, J, laws = springs.values.phi, springs.values.J, springs.laws
    for s in range(length.shape[0]):
        rate = 0.0
        for k in range(v.shape[0]):
            rate += J[s, k] * v[k]
        tensions[s] = laws[s, 2] + laws[s, 0] * (length[s] - laws[s, 1]) + laws[s, 3] * rate
        for k in range(v.shape[0]):
            tau[k] += J[s, k] * tensions[s]

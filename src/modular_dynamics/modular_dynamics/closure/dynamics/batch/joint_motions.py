"""Velocities and accelerations of all joints from those of the independent ones, of many closed states."""

from typing import NamedTuple

import numpy as np

from ....dynamics.arrays.arguments import Array
from ....kernels.loops.planar.motions import joint_motions
from ....model import SubsystemGraph
from ..planar_arrays import planar_mechanism, planar_workspace
from ..solver import solver_of

__all__ = ["JointMotions", "joint_motions_batch"]


class JointMotions(NamedTuple):
    """Velocities and accelerations of all joints (n, nv)."""

    v: Array
    vdot: Array


def joint_motions_batch(graph: SubsystemGraph, coordinates: Array, v: Array, vdot: Array) -> JointMotions:
    """Of n states with closed coordinates (n, nq), as `closed_loop_inverse_dynamics_batch` gives them.

    v_full = W v, and W vdot + what the loops add at zero vdot; in closed form where all loops are planar
    (kernels/loops/planar/rates.py), else state by state.

    Args:
        v, vdot: of the independent joints (n, independent).
    """
    general = solver_of(graph)
    mechanism = planar_mechanism(general)
    if mechanism is None:
        results = [general.inverse_dynamics(*row) for row in zip(coordinates, v, vdot, strict=True)]
        shape = len(results), graph.nv
        velocities = np.array([one.velocities for one in results]).reshape(shape)
        return JointMotions(velocities, np.array([one.accelerations for one in results]).reshape(shape))
    full = JointMotions(*np.zeros((2, len(coordinates), graph.nv)))
    full.v[:, general.independent_v], full.vdot[:, general.independent_v] = v, vdot
    rates = planar_workspace(graph, mechanism).rates
    joint_motions(mechanism.steps, mechanism.index_in_v, rates, np.ascontiguousarray(coordinates), *full)
    return full

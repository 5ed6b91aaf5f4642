"""Quantities of motion: velocities and accelerations of links, centre of mass, momentum, energy, C(q, v)."""

from .centre_of_mass import (
    CentreOfMass,
    centre_of_mass,
    centre_of_mass_batch,
    centre_of_mass_jacobian,
    centre_of_mass_jacobian_batch,
)
from .coriolis import coriolis_matrix, coriolis_matrix_batch
from .energy import kinetic_energy, kinetic_energy_batch, potential_energy, potential_energy_batch
from .frame_motion import (
    frame_acceleration,
    frame_accelerations,
    frame_accelerations_batch,
    frame_velocities,
    frame_velocities_batch,
    frame_velocity,
    jacobian_drift,
    jacobian_drift_batch,
)
from .momentum import (
    MomentumMatrix,
    centroidal_momentum,
    centroidal_momentum_batch,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_batch,
    centroidal_momentum_rate,
    centroidal_momentum_rate_batch,
)

__all__ = [
    "CentreOfMass",
    "MomentumMatrix",
    "centre_of_mass",
    "centre_of_mass_batch",
    "centre_of_mass_jacobian",
    "centre_of_mass_jacobian_batch",
    "centroidal_momentum",
    "centroidal_momentum_batch",
    "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_batch",
    "centroidal_momentum_rate",
    "centroidal_momentum_rate_batch",
    "coriolis_matrix",
    "coriolis_matrix_batch",
    "frame_acceleration",
    "frame_accelerations",
    "frame_accelerations_batch",
    "frame_velocities",
    "frame_velocities_batch",
    "frame_velocity",
    "jacobian_drift",
    "jacobian_drift_batch",
    "kinetic_energy",
    "kinetic_energy_batch",
    "potential_energy",
    "potential_energy_batch",
]

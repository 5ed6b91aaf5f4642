"""Equation of motion and its derivatives
======================================

The parts of tau = M(q) a + h(q, v), and how the torques change with q, v and a.

Prints::

    M a + h gives the torques to 1e-12 N m: True
    gravity torques [N m]: [ 0.     -1.8927  0.4316 -0.4316]
    C v + g gives h to 1e-12 N m: True
    dtau/dq agrees with finite differences to 1e-6 N m/rad: True
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
q, v, a = np.array([0.1, 0.4, -0.3, 0.3]), np.full(4, 0.2), np.ones(4)
tau = md.inverse_dynamics(graph, q, v, a)
M, h, g = md.mass_matrix(graph, q), md.nonlinear_effects(graph, q, v), md.gravity_torque(graph, q)
print("M a + h gives the torques to 1e-12 N m:", np.abs(M @ a + h - tau).max() < 1e-12)
print("gravity torques [N m]:", g.round(4))
C = md.coriolis_matrix(graph, q, v)  # the one for which Mdot - 2 C is skew-symmetric
print("C v + g gives h to 1e-12 N m:", np.abs(C @ v + g - h).max() < 1e-12)
derivatives = md.inverse_dynamics_derivatives(graph, q, v, a)
step = 1e-6 * np.array([0.0, 1.0, 0.0, 0.0])  # of the joint `bend`
change = md.inverse_dynamics(graph, q + step, v, a) - md.inverse_dynamics(graph, q - step, v, a)
error = np.abs(derivatives.dq[:, 1] - change / 2e-6).max()
print("dtau/dq agrees with finite differences to 1e-6 N m/rad:", error < 1e-6)

"""Identification of a payload
===========================

Identification: tau = Y theta is linear in the inertial parameters theta; least squares finds a payload.

Prints::

    Y theta gives the torques to 1e-11 N m: True
    payload 0.50 kg at height 0.10 m
    what torques depend on: 22 sums of the 40 parameters, such as
    mcz(upper_stem) + 0.3 m(left_branch) + 0.3 m(right_branch)
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
q, v, a = np.random.default_rng(3).uniform(-1.0, 1.0, (3, 200, graph.nv))
Y = md.regressor(graph, q, v, a)  # (200, nv, 10 bodies)
theta = md.inertial_parameters(graph)
error = np.abs(Y @ theta - md.inverse_dynamics(graph, q, v, a)).max()
print("Y theta gives the torques to 1e-11 N m:", error < 1e-11)

# A payload of 0.5 kg at [0, 0, 0.1] m in the last body, as a robot would measure it, with noise of 0.01 N m.
payload = np.zeros_like(theta)
payload[-10:-6] = 0.5, 0.0, 0.0, 0.05
measured = Y @ (theta + payload) + np.random.default_rng(4).normal(0.0, 0.01, (200, graph.nv))
A = Y.reshape(-1, len(theta))[:, -10:-6]  # of its mass and first moment m c
missing = measured.ravel() - Y.reshape(-1, len(theta)) @ theta
estimate, *_ = np.linalg.lstsq(A, missing, rcond=None)
print(f"payload {estimate[0]:.2f} kg at height {estimate[3] / estimate[0]:.2f} m")
base = md.base_parameters(graph)
print(f"what torques depend on: {len(base.values)} sums of the {len(theta)} parameters, such as")
print(base.expressions[2])

"""Many states at once
===================

Many states at once, on all cores: one row per state; with `out=` nothing is allocated.

Prints::

    torques of 10000 states: (10000, 19), written into the given array: True
    single precision, within 1e-5 of the largest torque: True
    mass matrices of 100 states: (100, 19, 19)
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "charmie.urdf")
rng = np.random.default_rng(1)
q, v, a = rng.uniform(-1.0, 1.0, (3, 10_000, graph.nv))
tau = np.empty((10_000, graph.nv))
result = md.inverse_dynamics(graph, q, v, a, out=tau)
print(f"torques of {len(q)} states: {result.shape}, written into the given array: {result is tau}")
single = md.inverse_dynamics(graph, *(x.astype(np.float32) for x in (q, v, a)))
close = np.abs(single - tau).max() < 1e-5 * np.abs(tau).max()
print("single precision, within 1e-5 of the largest torque:", close)
print("mass matrices of 100 states:", md.mass_matrix(graph, q[:100]).shape)

"""Some joints are driven along a motion, the others hang freely: which torques do the motors need?

Prints:
    torques of turn and bend: [ 0.0354 -1.9547] N m
    the other joints accelerate by [-63.281  63.47 ] rad/s^2
    forward dynamics agrees to 1e-9: True
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
driven = graph.joint_names[:2]
q, v = np.array([0.1, 0.4, -0.3, 0.3]), np.full(4, 0.2)
vdot = np.array([1.0, -0.5, np.nan, np.nan])  # known for the driven joints
tau = np.array([np.nan, np.nan, 0.0, 0.0])  # known for the others: no motors
result = md.hybrid_dynamics(graph, q, v, vdot, tau, prescribed=driven)
print(f"torques of {' and '.join(driven)}: {result.tau[:2].round(4)} N m")
print(f"the other joints accelerate by {result.vdot[2:].round(3)} rad/s^2")
again = md.forward_dynamics(graph, q, v, result.tau)
print("forward dynamics agrees to 1e-9:", np.abs(again - result.vdot).max() < 1e-9)

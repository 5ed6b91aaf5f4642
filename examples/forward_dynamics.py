"""Forward and hybrid dynamics (ABA)
=================================

Accelerations under given torques; two joints driven, two hanging; a simulation of the open tree by SciPy.

Prints::

    forward dynamics inverts inverse dynamics to 1e-9: True
    turn and bend driven, the others hanging: [ 0.0354 -1.9547] N m
    released at rest, after 1 s: q = [ 0.1    4.824  1.916 -1.916] rad
    energy is kept to 1e-6 J: True
"""

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
q, v, a = np.array([0.1, 0.4, -0.3, 0.3]), np.full(4, 0.2), np.ones(4)
tau = md.inverse_dynamics(graph, q, v, a)
error = np.abs(md.forward_dynamics(graph, q, v, tau) - a).max()
print("forward dynamics inverts inverse dynamics to 1e-9:", error < 1e-9)

driven = graph.joint_names[:2]  # a is read for them, tau for the others, which have no motors
hanging = md.hybrid_dynamics(graph, q, v, [1.0, -0.5, 0.0, 0.0], np.zeros(4), prescribed=driven)
print(f"{' and '.join(driven)} driven, the others hanging: {hanging.tau[:2].round(4)} N m")


def rates(_t: float, state: np.ndarray) -> np.ndarray:
    """Return (v, a) without torques for a state (q, v)."""
    return np.concatenate([state[4:], md.forward_dynamics(graph, state[:4], state[4:], np.zeros(4))])


start = np.concatenate([q, np.zeros(4)])
motion = solve_ivp(rates, (0.0, 1.0), start, method="DOP853", rtol=1e-10, atol=1e-10)
end = motion.y[:, -1]
change = md.energy(graph, end[:4], end[4:]) - md.energy(graph, q, np.zeros(4))
print(f"released at rest, after 1 s: q = {end[:4].round(3)} rad")
print("energy is kept to 1e-6 J:", abs(change) < 1e-6)

"""The robot's dynamics as CasADi functions: gradients of the effort, as an optimizer needs them.

Prints:
    effort at rest: ... its gradient against finite differences: ... smaller than 1e-6: True
"""

from pathlib import Path

import casadi
import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
torque = graph.to_casadi(["gravity_torque"]).gravity_torque
q = casadi.SX.sym("q", graph.nq)
effort = casadi.sumsqr(torque(q))
gradient = casadi.Function("gradient", [q], [casadi.gradient(effort, q)])

at = np.full(graph.nq, 0.4)


def library(position):
    """The same by the library."""
    return np.sum(md.gravity_torque(graph, position) ** 2)


steps = 1e-6 * np.eye(graph.nq)
differences = np.array([(library(at + d) - library(at - d)) / 2e-6 for d in steps])
error = np.abs(np.array(gradient(at)).ravel() - differences).max() / np.abs(differences).max()
print(f"effort at rest: {library(at):.6g}", end=" ")
print(f"its gradient against finite differences: {error:.1e} smaller than 1e-6:", error < 1e-6)

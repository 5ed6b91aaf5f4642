"""C99 and CasADi functions of one robot
=====================================

Code for one robot: C99 for controllers, with a test program; CasADi functions for optimization.

Prints::

    arm.c arm.h arm_test.c {'inverse_dynamics': 161}, {'close_loops': 143, ... 'forward_dynamics': 697}
    gradient of the torques' squares by CasADi, largest difference from ours below 1e-10: True
"""

import tempfile
from pathlib import Path

import casadi
import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
q, v, a = np.full((3, graph.nv), 0.3)
tau = md.inverse_dynamics(graph, q, v, a)

with tempfile.TemporaryDirectory() as folder:  # gcc -std=c99 arm.c arm_test.c -lm && ./a.out compares them
    code = graph.export_c(Path(folder) / "arm.c", ["inverse_dynamics"])
    crane = md.load_urdf(ROBOTS / "crane.urdf").export_c(Path(folder) / "crane.c")  # two closed loops
    print(f"{code.source.name} {code.header.name} {code.test.name} {code.operations}, {crane.operations}")

torques = graph.to_casadi(["inverse_dynamics"]).inverse_dynamics
symbols = casadi.SX.sym("q", graph.nq)
effort = casadi.sumsqr(torques(symbols, v, a))
gradient = casadi.Function("gradient", [symbols], [casadi.gradient(effort, symbols)])
ours = 2 * md.inverse_dynamics_derivatives(graph, q, v, a).dq.T @ tau
error = np.abs(np.array(gradient(q)).ravel() - ours).max()
print("gradient of the torques' squares by CasADi, largest difference from ours below 1e-10:", error < 1e-10)

"""Code for one robot: machine code that the library then uses; C99 for controllers; CasADi for optimization.

`graph.compile()` keeps its code on disk and measures what it gains; the C comes with a test program.

Prints:
    ...
    the same torques within 1e-12 N m: True
    arm.c arm.h arm_test.c {'inverse_dynamics': 161}, {'close_loops': 107, ..._forward_dynamics': 799}
    gradient of the torques' squares by CasADi, largest difference from ours below 1e-10: True
"""

import tempfile
from pathlib import Path

import casadi
import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
q, v, vdot = np.full((3, graph.nv), 0.3)
before = md.inverse_dynamics(graph, q, v, vdot)
print(graph.compile())  # a table: what was made, in which time, and microseconds with and without it
after = md.inverse_dynamics(graph, q, v, vdot)  # from now on by the generated code
print("the same torques within 1e-12 N m:", np.abs(after - before).max() < 1e-12)

with tempfile.TemporaryDirectory() as folder:  # gcc -std=c99 arm.c arm_test.c -lm && ./a.out compares them
    code = graph.export_c(Path(folder) / "arm.c", ["inverse_dynamics"])
    crane = md.load_urdf(ROBOTS / "crane.urdf").export_c(Path(folder) / "crane.c")  # two closed loops
    print(f"{code.source.name} {code.header.name} {code.test.name} {code.operations}, {crane.operations}")

torques = graph.to_casadi(["inverse_dynamics"]).inverse_dynamics
symbols = casadi.SX.sym("q", graph.nq)
effort = casadi.sumsqr(torques(symbols, v, vdot))
gradient = casadi.Function("gradient", [symbols], [casadi.gradient(effort, symbols)])
ours = 2 * md.inverse_dynamics_derivatives(graph, q, v, vdot).dq.T @ after
error = np.abs(np.array(gradient(q)).ravel() - ours).max()
print("gradient of the torques' squares by CasADi, largest difference from ours below 1e-10:", error < 1e-10)

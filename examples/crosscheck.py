"""Comparison with Pinocchio
=========================

Comparison with Pinocchio, joint by joint and subsystem by subsystem. Needs the extra `crosscheck`.

Prints::

    largest torque 184.8 N m
    below 1e-11 N m in each of base torso left_arm right_arm head - True
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "charmie.urdf")
check = md.crosscheck.CrossCheck(graph)  # Pinocchio's model, built once
q, v, a = np.random.default_rng(2).uniform(-1.0, 1.0, (3, graph.nv))
residual = check(q, v, a, md.inverse_dynamics(graph, q, v, a))
small = all(worst < 1e-11 for worst in residual.per_subsystem.values())
print(f"largest torque {residual.scale:.1f} N m")
print("below 1e-11 N m in each of", *residual.per_subsystem, "-", small)

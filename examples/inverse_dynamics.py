"""Inverse dynamics (RNEA)
=======================

Joint torques of one state, and the same by Pinocchio.

Prints::

    four_link: 3 subsystems, 4 moving joints, nq = 4, nv = 4, moving mass 4.5 kg
    └─ stem (2 joints) at link base of the ground
       │  turn: continuous about [0, 0, 1], base → lower_stem
       │  bend: revolute about [0, 1, 0], lower_stem → upper_stem
       ├─ left_branch (1 joint) at link upper_stem of stem
       │     left: revolute about [1, 0, 0], upper_stem → left_branch
       └─ right_branch (1 joint) at link upper_stem of stem
             right: revolute about [1, 0, 0], upper_stem → right_branch
    torques [N m]: [ 0.0313 -1.7731  0.4375 -0.4257]
    differs from Pinocchio by less than 1e-12 N m: True
"""

from pathlib import Path

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
print(graph)  # its subsystems, joints and connection points
q, v, a = [0.1, 0.4, -0.3, 0.3], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]
tau = md.inverse_dynamics(graph, q, v, a)  # in the order of graph.joint_names
print("torques [N m]:", tau.round(4))
difference = md.crosscheck.rnea_residual(graph, q, v, a).max()  # needs the extra `crosscheck`
print("differs from Pinocchio by less than 1e-12 N m:", difference < 1e-12)

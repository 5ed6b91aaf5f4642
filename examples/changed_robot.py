"""Payloads, attached arms, locked joints
======================================

Changes of a robot: each gives a new graph at once; nothing is parsed or compiled again.

Prints::

    holding torques [N m]: [ 0.    0.    0.49 -0.49]
    with a load of 2 kg:   [ 0.   -1.96  0.49 -0.49]
    removed exactly: True
    joints: 4 and 8 are 12
    difference from Pinocchio below 1e-10 N m: True
    without the arm: True
    Parameter(value=0.5, unit='kg')
    holding torques [N m]: [ 0.    0.    0.69 -0.49]
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md
from modular_dynamics.algebra import from_xyz_rpy

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
q = graph.neutral()
print("holding torques [N m]:", md.gravity_torque(graph, q).round(2))
loaded = graph.with_payload("left_branch", mass=2.0, com=[0.1, 0.0, 0.1])
print("with a load of 2 kg:  ", md.gravity_torque(loaded, q).round(2))
empty = loaded.with_payload("left_branch", mass=0.0)
print("removed exactly:", np.array_equal(md.gravity_torque(empty, q), md.gravity_torque(graph, q)))
arm = md.load_urdf(ROBOTS / "vendor_arm.urdf")
pose = from_xyz_rpy([0.0, 0.0, 0.1], [0.0, np.pi / 2, 0.0])  # of the arm's root link in that link
both = graph.attach(arm, "right_branch", pose, prefix="arm_")
print("joints:", graph.nv, "and", arm.nv, "are", both.nv)
fixed = both.lock({both.joint_names[0]: 0.3})
residual = md.crosscheck.rnea_residual(fixed, *np.ones((3, fixed.nv))).max()
print("difference from Pinocchio below 1e-10 N m:", residual < 1e-10)
print("without the arm:", both.without("arm_" + arm.ground.name).joint_names == graph.joint_names)
print(graph.parameters["link left_branch mass"])
longer = graph.with_parameters({"joint left origin z": 0.5, "link left_branch mass": 0.7})
print("holding torques [N m]:", md.gravity_torque(longer, q).round(2))

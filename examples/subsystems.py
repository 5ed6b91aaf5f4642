"""Subsystems from a partition file
================================

A vendor's URDF divided by a partition file; the torques do not depend on the partition.

Prints::

    without the file: tv7_joint_1 tv7_left_finger_joint tv7_right_finger_joint
    with it: arm gripper
    torques differ by less than 1e-12 N m: True
    digraph "tv7_with_gripper" {
    ...
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

whole = md.load_urdf(ROBOTS / "vendor_arm.urdf")
divided = md.load_urdf(ROBOTS / "vendor_arm.urdf", partition=ROBOTS / "vendor_arm_partition.yaml")
print("without the file:", *(subsystem.name for subsystem in whole.subsystems))
print("with it:", *(subsystem.name for subsystem in divided.subsystems))
q, v, a = np.full((3, divided.nv), 0.3)
difference = md.inverse_dynamics(whole, q, v, a) - md.inverse_dynamics(divided, q, v, a)
print("torques differ by less than 1e-12 N m:", np.abs(difference).max() < 1e-12)
print(md.subsystem_graph_dot(divided))  # for Graphviz: dot -Tsvg

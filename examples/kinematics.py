"""Poses, velocities and Jacobians
===============================

Where links and the centre of mass are, how fast they move, and the torques that a force on a link needs.

Prints::

    left wrist at [m]: [-0.1293  0.2686  0.7298]
    distance between the wrists [m]: 0.6183
    velocity of the left wrist [m/s]: [0.0379 0.1216 0.1058]
    shoulder torque that holds 20 N [N m]: [1.0257]
    its pose as a unit dual quaternion: [ 0.1682 -0.9722  0.1376  0.0877 -0.1133 -0.0493 -0.3265  0.183 ]
    its acceleration [m/s^2]: [ 0.0058 -0.0101  0.0001]
    centre of mass, its velocity [m, m/s]: [0.1968 0.2159 0.4377] [0.0968 0.1074 0.0324]
    angular momentum about it [kg m^2/s]: [-0.243  -0.1251  0.2163]
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "charmie.urdf")
q = np.full(graph.nq, 0.2)
v = np.full(graph.nv, 0.1)
# Both wrists in the root link's frame, as 4 x 4 matrices.
poses = md.frame_poses(graph, q, ["body_12a", "body_12b"])
print("left wrist at [m]:", poses[0, :3, 3].round(4))
print("distance between the wrists [m]:", np.linalg.norm(poses[0, :3, 3] - poses[1, :3, 3]).round(4))
J = md.jacobian(graph, q, "body_12a")  # [velocity of its origin; angular velocity] = J v, in the root's axes
print("velocity of the left wrist [m/s]:", (J @ v)[:3].round(4))
load = np.array([0.0, 0.0, -20.0, 0.0, 0.0, 0.0])  # 20 N downward at the wrist, in the root's axes
effort = -J.T @ load  # what holds it, beside the robot's own weight
print("shoulder torque that holds 20 N [N m]:", effort[graph.v_slice("left_shoulder_flexion")].round(4))
print("its pose as a unit dual quaternion:", md.frame_pose(graph, q, "body_12a").vec8().round(4))
still = np.zeros(graph.nv)
print("its acceleration [m/s^2]:", md.frame_acceleration(graph, q, v, still, "body_12a")[:3].round(4))
centre = md.centre_of_mass(graph, q, v)
print("centre of mass, its velocity [m, m/s]:", centre.position.round(4), centre.velocity.round(4))
print("angular momentum about it [kg m^2/s]:", md.centroidal_momentum(graph, q, v)[3:].round(4))

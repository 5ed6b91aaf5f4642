"""Where links are and how fast they move: poses, jacobians, and the torques that a force on a link needs.

Prints:
    left hand at [m]: [-0.1293  0.2686  0.7298]
    hands apart by [m]: 0.6183
    it moves with [m/s]: [0.0379 0.1216 0.1058]
    which the shoulder holds with [N m]: [1.0257]
    as a unit dual quaternion: [ 0.1682 -0.9722  0.1376  0.0877 -0.1133 -0.0493 -0.3265  0.183 ]
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "charmie.urdf")
q = np.full(graph.nq, 0.2)
v = np.full(graph.nv, 0.1)
# Both hands in the root link's frame, as 4 x 4 matrices.
poses = md.frame_poses(graph, q, ["body_12a", "body_12b"])
print("left hand at [m]:", poses[0, :3, 3].round(4))
print("hands apart by [m]:", np.linalg.norm(poses[0, :3, 3] - poses[1, :3, 3]).round(4))
J = md.jacobian(graph, q, "body_12a")  # [velocity of its origin; angular velocity] = J v, in the root's axes
print("it moves with [m/s]:", (J @ v)[:3].round(4))
force = np.array([0.0, 0.0, -20.0, 0.0, 0.0, 0.0])  # 2 kg in the hand: -20 N along the root's z
effort = -J.T @ force  # what holds it, beside the robot's own weight
print("which the shoulder holds with [N m]:", effort[graph.v_slice("left_shoulder_flexion")].round(4))
print("as a unit dual quaternion:", md.frame_pose(graph, q, "body_12a").vec8().round(4))

"""A four-bar released from rest
=============================

A four-bar released at rest under gravity: accelerations of all joints, then its motion over 0.4 s.

At the end the torque for a given motion of the crank.

Prints::

    accelerations of J1 J4 J3 [rad/s^2]: [-185.396   73.909   40.46 ]
    crank [rad]: [ 0.3   -0.512 -3.557 -4.153 -3.014]
    energy stays within 1e-6 J: True
    loops stay closed within 1e-8 m: True
    seen from the crank: inertia 0.0116 kg m^2, gravity 2.151 N m
    torque 2.0212 N m
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_bar.urdf")
coordinates = md.close_loops(graph, [0.3])  # of all joints, from that of the crank
start = md.constrained_dynamics(graph, coordinates, np.zeros(graph.nv), [0.0])
print("accelerations of", *graph.joint_names, "[rad/s^2]:", start.a.round(3))
motion = md.simulate(graph, [0.3], [0.0], tau=None, t_end=0.4, times=np.linspace(0.0, 0.4, 5))
print("crank [rad]:", motion.coordinates[:, 0].round(3))
print("energy stays within 1e-6 J:", np.ptp(motion.energy) < 1e-6)
print("loops stay closed within 1e-8 m:", motion.residual.max() < 1e-8)
M, g = md.mass_matrix(graph, [0.3]), md.gravity_torque(graph, [0.3])
print(f"seen from the crank: inertia {M[0, 0]:.4f} kg m^2, gravity {g[0]:.3f} N m")
general = md.InverseDynamics(graph).solve([0.3], [3.0], [-2.0])
print(f"torque {general.tau[0]:.4f} N m")

"""Measured wrenches and black boxes
=================================

Wrenches that sensors report: a load on a link, and a subsystem known only by its force/torque sensor.

Prints::

    a push of 10 N on the left branch changes the torques by [N m]: [-1.1161  0.      0.      0.    ]
    with the right branch as a black box: [ 0.2037 -1.0049  0.4375     nan]
"""

from pathlib import Path

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
q, v, a = [0.1, 0.4, -0.3, 0.3], [0.0] * 4, [1.0] * 4
tau = md.inverse_dynamics(graph, q, v, a)

# What the world exerts on a link: [force, moment] at the link's origin, in its axes.
push = {"left_branch": [0.0, 10.0, 0.0, 0.0, 0.0, 0.0]}
pushed = md.inverse_dynamics(graph, q, v, a, external_wrenches=push)
print("a push of 10 N on the left branch changes the torques by [N m]:", (pushed - tau).round(4))

# What the predecessor exerts on a subsystem at its connection point. The subsystem's own masses are not
# used then, and the torques inside it are unknown: NaN.
measured = {"right_branch": [1.0, 2.0, 9.0, 0.1, 0.0, 0.0]}
tau = md.inverse_dynamics(graph, q, v, a, black_box_wrenches=measured)
print("with the right branch as a black box:", tau.round(4))

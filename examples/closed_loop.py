"""Inverse dynamics with closed loops
==================================

Inverse dynamics of a mechanism with closed loops, gears and a spring: the exoskeleton of Schappler et al.

Prints::

    independent joints: rho_1 rho_2 rho_4 rho_5 rho_7
    torques of the independent joints [N m]: [ 0.     -1.8223 -1.0899 12.5225  0.    ]
    wrench at the cut joint E [N, N m]: [-189.417    0.367    0.      -0.      -0.       0.   ]
    spring tensions [N]: {'spring': 55.017}
    condition 98.5 (large near a singular configuration)
    at the next position, in the same assembly mode: [-0.     -1.8223  0.0796 10.4936  0.    ]
    closed by all joints, slew, lift_cylinder, jib_cylinder [0.    0.19  0.102]
"""

from pathlib import Path

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

exo = md.load_urdf(ROBOTS / "exoskeleton.urdf")  # three loops, two gears, a spring
print("independent joints:", *exo.independent_joint_names)
solution = md.InverseDynamics(exo).solve([0.0, 0.0, 0.5, 0.5, 0.0], [0.0] * 5, [0.0] * 5)
print("torques of the independent joints [N m]:", solution.tau.round(4))
print("wrench at the cut joint E [N, N m]:", solution.wrenches["E"].round(3))
print("spring tensions [N]:", {name: round(tension, 3) for name, tension in solution.tensions.items()})
print(f"condition {solution.condition:.1f} (large near a singular configuration)")
later = md.InverseDynamics(exo).solve(
    [0.0, 0.0, 0.6, 0.5, 0.0], [0.0] * 5, [0.0] * 5, guess=solution.coordinates
)
print("at the next position, in the same assembly mode:", later.tau.round(4))

crane = md.load_urdf(ROBOTS / "crane.urdf")  # which strokes bring boom and jib near these angles?
wanted = dict.fromkeys(crane.joint_names, 0.0) | {"boom_hinge": 0.5, "jib_hinge": -0.5}
assembly = md.assemble(crane, list(wanted.values()))
print("closed by all joints,", ", ".join(crane.independent_joint_names), assembly.independent.round(3))

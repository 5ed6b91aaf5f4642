"""Putting a mechanism together, a crane: all joints move, motors too; near a guess, and within limits.

Prints:
    joints: slew boom_hinge lift_tube_hinge lift_cylinder jib_hinge jib_tube_hinge jib_cylinder
    closed: True, in ... evaluations
    lift cylinder 0.229 m, jib cylinder 0.148 m
    forces that hold it [N m, N]: [    0.   9599.5 -2482.6]
    the loops of 'crane' do not close within the limits of all joints:
      open are lift_pin by 0.423 [m or 1];
      they were closed beyond limits only, with ... 'lift_cylinder' at 0.719... Widen the limits
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

text = (Path(__file__).resolve().parents[1] / "urdf" / "crane.urdf").read_text("utf-8")
crane = md.load_urdf(text)
print("joints:", *crane.joint_names)
wanted = dict.fromkeys(crane.joint_names, 0.0) | {"boom_hinge": 0.7, "jib_hinge": -0.8}
found = md.assemble(crane, list(wanted.values()))
print(f"closed: {max(found.residual.values()) < 1e-10}, in {found.evaluations} evaluations")
slew, lift, jib = found.independent  # what closed-loop functions take as q
print(f"lift cylinder {lift:.3f} m, jib cylinder {jib:.3f} m")
rest = np.zeros(3)
held = md.closed_loop_inverse_dynamics(crane, found.independent, rest, rest, guess=found.coordinates)
print("forces that hold it [N m, N]:", held.tau.round(1))
try:
    md.assemble(md.load_urdf(text.replace('link="boom" xyz="0.8', 'link="boom" xyz="1.8')))  # 1 m farther out
except md.ClosureError as error:
    print(str(error).replace(": ", ":\n  ", 1).replace("; ", ";\n  "))

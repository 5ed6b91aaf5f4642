"""Every quantity of the composition
=================================

The paper's composition with every quantity on the way: twists, wrenches, the interconnection matrix A.

Prints::

    torques of composition and kernel agree to 1e-12 N m: True
    blocks of A (rows: the subsystem whose joints feel it; columns: the subsystem that causes it)
    stem         * * *
    left_branch  0 * 0
    right_branch 0 0 *
    left_branch on stem, force [N] and moment [N m]: [ 1.831 -0.055 -4.542 -0.437 -0.055 -0.177]
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "four_link.urdf")
q, v, a = [0.1, 0.4, -0.3, 0.3], [0.5, 0.0, 0.0, 0.2], [1.0, 1.0, 1.0, 1.0]
composition = md.compose(graph, q, v, a)
difference = np.abs(composition.tau - md.inverse_dynamics(graph, q, v, a)).max()
print("torques of composition and kernel agree to 1e-12 N m:", difference < 1e-12)
print("blocks of A (rows: the subsystem whose joints feel it; columns: the subsystem that causes it)")
for i, subsystem in enumerate(graph.subsystems):
    blocks = [composition.block(i, j) for j in range(len(graph.subsystems))]
    marks = ["*" if any(np.any(wrench.vec6()) for wrench in block) else "0" for block in blocks]
    print(f"{subsystem.name:12}", *marks)
wrench = -composition.connection_wrenches[1]  # the predecessor's on left_branch, turned round
print("left_branch on stem, force [N] and moment [N m]:", wrench.vec6().round(3))

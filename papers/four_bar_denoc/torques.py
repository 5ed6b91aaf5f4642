"""The crank's torque of the paper's four-bar over a turn: by DeNOC, and by the library's closed loops.

python -m papers.four_bar_denoc.torques
"""

from pathlib import Path

import numpy as np

import modular_dynamics as md
from papers.four_bar_denoc.denoc import FourBar, Link

ROBOT = Path(__file__).resolve().parents[2] / "urdf" / "four_bar.urdf"
#: Crank, coupler, output: length [m], mass [kg].
BARS = Link.uniform(0.05, 1.5), Link.uniform(0.10, 3.0), Link.uniform(0.13, 5.0)
SPEED, ACCELERATION = 3.0, -2.0  # of the crank [rad/s, rad/s^2]


def main() -> None:
    """Print both torques, and the force at the cut."""
    graph, bar = md.load_urdf(ROBOT), FourBar(*BARS, ground=0.15)
    print("crank [rad]  DeNOC [N m]  closed loops [N m]  force on the crank at J2 [N]")
    for angle in np.linspace(0.0, 2.0 * np.pi, 13):
        torque, force, _ = bar.inverse_dynamics(bar.close(angle), SPEED, ACCELERATION)
        (tau,) = md.inverse_dynamics(graph, [angle], [SPEED], [ACCELERATION])
        print(f"{angle:11.4f} {torque:12.6f} {tau:19.6f}  {force.round(3)}")


if __name__ == "__main__":
    main()

"""Picture of the page about first torques: which payload the UR5e's shoulder holds."""

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import modular_dynamics as md

ROOT = Path(__file__).resolve().parents[2]
JOINT = "shoulder_lift_joint"
PAYLOADS = {0.0: "#0072B2", 2.5: "#009E73", 5.0: "#D55E00"}  # [kg]: colour of Okabe and Ito's palette


def make(out: Path) -> None:
    """Write first_torques.png."""
    graph = md.load_urdf(ROOT / "urdf/ur5e.urdf")
    angles = np.linspace(-np.pi, 0.0, 181)
    q = np.zeros((len(angles), graph.nq))
    q[:, graph.q_slice(JOINT)] = angles[:, None]
    limit = graph.effort_limits[graph.v_slice(JOINT)][0]
    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(6.4, 2.8), layout="constrained")
        axis = figure.add_subplot()
        for mass, colour in PAYLOADS.items():
            torque = md.gravity_torque(graph.with_payload("tool0", mass=mass), q)[:, graph.v_slice(JOINT)]
            axis.plot(np.rad2deg(angles), torque, color=colour, lw=1.8, label=f"payload {mass:g} kg")
        for side in (-limit, limit):
            axis.axhline(side, color="0.35", lw=1.0, ls="--", label="effort limit" if side > 0.0 else None)
        axis.axhline(0.0, color="0.7", lw=0.8, zorder=0)
        axis.set(xlabel=f"{JOINT} [deg], arm stretched", ylabel="gravity torque [N m]")
        axis.set_xticks(np.arange(-180, 1, 45))
        axis.margins(x=0.0)
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        figure.savefig(out / "first_torques.png", dpi=150)

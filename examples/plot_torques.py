"""Torques of a motion as a plot
=============================

Torques of a motion as a plot: CHARMIE's shoulders over a sine, computed in one batch. Needs matplotlib.

Prints::

    wrote ...torques.png
"""

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np

import modular_dynamics as md

mpl.use("Agg")  # needs no screen
from matplotlib import pyplot as plt

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "charmie.urdf")
t = np.linspace(0.0, 2.0, 400)[:, None]
unit, turn = np.full(graph.nv, 0.3), np.pi
q, v, a = unit * np.sin(turn * t), unit * turn * np.cos(turn * t), -unit * turn**2 * np.sin(turn * t)
tau = md.inverse_dynamics(graph, q, v, a)
for name in ("left_shoulder_abduction", "left_shoulder_flexion", "left_elbow_flexion"):
    plt.plot(t, tau[:, graph.v_slice(name)], label=name)
plt.xlabel("time [s]")
plt.ylabel("torque [N m]")
plt.legend()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
plt.savefig(folder / "torques.png")
print("wrote", folder / "torques.png")

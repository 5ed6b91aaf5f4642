"""Pictures of the page about gravity compensation: the wiring, and the simulated arm's tracking errors."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from examples.demo.processes import Processes

ROOT = Path(__file__).resolve().parents[2]
JOINT = "shoulder_lift_joint"
PAYLOAD = "{link: tool0, inertia: {m: 2.0, com: {z: 0.08}, ixx: 0.003, iyy: 0.003, izz: 0.003}}"
NODE = [
    "autostart:=true",
    "use_sim_time:=true",
    "acceleration_source:=reference",
    f"robot_description_file:={ROOT / 'urdf/ur5e.urdf'}",
]
ARM = [f"robot:={ROOT / 'urdf/ur5e.urdf'}", "start:=[0.0, -1.2, 1.6, -0.4, 1.57, 0.0]"]
RUNS = [  # label, factor of the feedforward torques, colour of Okabe and Ito's palette
    ("PD controller alone", 0.0, "#D55E00"),
    ("feedforward, payload unknown", 1.0, "#0072B2"),
    ("feedforward with payload", 1.0, "#009E73"),
]


def make(out: Path) -> None:
    """Write gravity_compensation_wiring.png and gravity_compensation_errors.png."""
    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        draw_wiring().savefig(out / "gravity_compensation_wiring.png", dpi=150)
        draw_errors().savefig(out / "gravity_compensation_errors.png", dpi=150)


def draw_errors() -> Figure:
    """Run the simulated arm three times as the page does; draw the error of one joint."""
    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    axis = figure.add_subplot()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Processes(folder) as processes:
            processes.start("dynamics_node", *NODE)
            for k, (label, factor, colour) in enumerate(RUNS):
                if k == 2:
                    service = "/dynamics_node/set_payload", "modular_dynamics_interfaces/srv/SetPayload"
                    run("ros2.py", "service", "call", *service, PAYLOAD)
                file = folder / f"{k}.csv"
                given = [*ARM, "payload:=2.0", "duration:=4.0", f"feedforward:={factor}", f"csv:={file}"]
                run("simulated_arm.py", "--ros-args", *(word for one in given for word in ("-p", one)))
                table = np.genfromtxt(file, delimiter=",", names=True)
                axis.plot(table["time"], table[JOINT], color=colour, lw=1.8, label=label)
    axis.axhline(0.0, color="0.7", lw=0.8, zorder=0)
    axis.axvline(0.0, color="0.7", lw=0.8, ls=":", zorder=0)
    axis.set(xlabel="time from the motion's start [s]", ylabel=f"tracking error of\n{JOINT} [deg]")
    axis.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False)
    axis.margins(x=0.0)
    return figure


def run(file: str, *words: str) -> None:
    """Run a program of examples/nodes to its end."""
    command = [sys.executable, str(ROOT / "examples/nodes" / file), *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def draw_wiring() -> Figure:
    """Draw who sends what to whom."""
    figure = Figure(figsize=(7.2, 3.5))
    axis = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, 7.2), ylim=(0.0, 3.5))
    axis.axis("off")
    box(axis, (1.05, 1.75), "trajectory", "MoveIt, planner,\ntrajectory controller", "0.94")
    box(axis, (3.6, 2.75), "dynamics_node", "M(q) a + C(q, v) v + g(q),\nwith the payload", "#CDE7F5")
    box(axis, (3.6, 0.75), "your controller", "feedback + feedforward,\nwatchdog", "#E8F3DC")
    box(axis, (6.15, 1.75), "robot and driver", "ros2_control; may add\ngravity by itself", "#FBE5D6")
    arrow(axis, [(0.9, 2.2), (0.9, 2.75), (2.65, 2.75)], (1.78, 2.8), "reference: a")
    arrow(axis, [(0.9, 1.3), (0.9, 0.75), (2.65, 0.75)], (1.78, 0.8), "desired q, v")
    arrow(axis, [(3.6, 2.3), (3.6, 1.2)], (3.68, 1.75), "~/stamped_\neffort_commands", ha="left", va="center")
    arrow(axis, [(6.3, 2.2), (6.3, 2.75), (4.55, 2.75)], (5.42, 2.8), "joint_states")
    arrow(axis, [(5.9, 1.3), (5.9, 0.9), (4.55, 0.9)], (5.22, 0.95), "joint_states")
    arrow(axis, [(4.55, 0.6), (6.5, 0.6), (6.5, 1.3)], (5.52, 0.55), "effort command", va="top")
    arrow(axis, [(2.2, 3.05), (2.65, 3.05)], (2.15, 3.05), "~/set_payload", ha="right", va="center")
    arrow(axis, [(4.55, 3.05), (5.0, 3.05)], (5.05, 3.05), "/diagnostics", ha="left", va="center")
    return figure


def box(axis: Axes, centre: tuple[float, float], title: str, text: str, colour: str) -> None:
    """Draw a box, 1.9 by 0.9, with a title and what it does."""
    x, y = centre
    axis.add_patch(FancyBboxPatch((x - 0.89, y - 0.39), 1.78, 0.78, "round,pad=0.06", fc=colour, ec="0.35"))
    axis.text(x, y + 0.24, title, ha="center", va="center", weight="bold")
    axis.text(x, y - 0.14, text, ha="center", va="center")


def arrow(
    axis: Axes, way: Sequence[tuple[float, float]], place: tuple[float, float], text: str, **aligned: str
) -> None:
    """Draw an arrow along a way of straight pieces, and the name of its topic."""
    axis.plot(*zip(*way[:-1], strict=True), color="0.2", lw=1.2, solid_capstyle="round")
    style = {"arrowstyle": "-|>", "color": "0.2", "lw": 1.2, "shrinkA": 0.0, "shrinkB": 0.0}
    axis.annotate("", way[-1], way[-2], arrowprops=style)
    axis.text(*place, text, **{"ha": "center", "va": "bottom", **aligned})

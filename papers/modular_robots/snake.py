"""A snake of five Backbones that floats without weight, under both gait generators of section VI."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics import modular
from modular_dynamics.modular import gaits
from papers.report import ROOT

Array = NDArray[np.float64]
GAITS = {"rhythmic": "snake.yaml", "coupled chaotic maps": "chaotic_snake.yaml"}
DURATION = 6.0  # [s]
TOLERANCE = 1e-12  # of the integrator's steps
SHADES = colormaps["viridis"]
SHOWN = 0.0, 1.2, 1.7, 2.7, 3.3, 4.2, 5.6  # [s] at which the snake is drawn
COLOURS = "#2b6cb0", "#dd6b20", "#2f855a", "#b83280"


@dataclass(frozen=True, eq=False)
class Swim:
    """A motion, and what must not change in it.

    Attributes:
        momentum: (k, 6) linear and angular [N s, N m s]. gait_error: of joints' positions [rad].
    """

    graph: md.SubsystemGraph
    motion: md.Simulation
    momentum: Array
    gait_error: float


def snake(mount: str = "floating") -> modular.Assembly:
    """Return five Backbones in a row, docked so that all hinge axes are parallel; v0 is the base."""
    assembly = modular.Assembly(base=("v0", "backbone"), mount=mount, name="snake")
    for k in range(1, 5):
        assembly = assembly.dock(f"v{k - 1}", 3, f"v{k}", 4, kind="backbone")
    return assembly


def swim(name: str) -> Swim:
    """Return the motion under a gait of GAITS from rest, without gravity: nothing acts from outside."""
    graph, gait = snake().graph(gravity=(0.0, 0.0, 0.0)), gaits.load(ROOT / "config/gaits" / GAITS[name])
    times = np.linspace(0.0, DURATION, 241)
    start, options = (graph.neutral(), np.zeros(graph.nv)), {"rtol": TOLERANCE, "atol": TOLERANCE}
    motion = md.simulate(graph, *start, None, DURATION, times=times, gait=gait, **options)
    momentum = md.centroidal_momentum(graph, motion.coordinates, motion.velocities)
    error = float(np.abs(motion.coordinates[:, 7:] - gait.states(times).q).max())
    return Swim(graph, motion, momentum, error)


def draw_swims(swims: dict[str, Swim], path: Path) -> Path:
    """Draw both motions: hinges, torques, turning of the base, the snake from the side; return the path."""
    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(12.0, 8.6), layout="constrained")
        axes = figure.subplots(4, 2, height_ratios=[1.0, 1.0, 1.0, 2.0])
        for column, (name, one) in enumerate(swims.items()):
            motion, hinges = one.motion, one.graph.joint_names[1:]
            turn = 2.0 * np.arctan2(motion.coordinates[:, 5], motion.coordinates[:, 3])  # about y
            rows = (
                ("hinges [rad]", motion.coordinates[:, 7:]),
                ("torques [N m]", motion.tau[:, 6:]),
                ("base's turn [rad]", turn[:, None]),
            )
            for axis, (label, values) in zip(axes[:3, column], rows, strict=True):
                axis.set_prop_cycle(color=COLOURS)
                lines = axis.plot(motion.t, values, lw=1.3)
                if axis is axes[0, 0]:
                    figure.legend(lines, hinges, loc="outside upper center", ncols=4, frameon=False)
                axis.set_ylabel(label)
                axis.margins(x=0.0)
                axis.grid(alpha=0.25, lw=0.6)
            axes[2, column].set_xlabel("time [s]")
            axes[0, column].set_title(f"({'ab'[column]})  {name}", loc="left", fontweight="bold")
            _draw_instants(axes[3, column], one)
        bar = figure.colorbar(ScalarMappable(Normalize(0.0, DURATION), SHADES), ax=axes[3, :], pad=0.01)
        bar.set_label("time [s]")
        figure.savefig(path, dpi=130)
    return path


def _draw_instants(axis: Axes, one: Swim) -> None:
    """Draw the modules' centres from the side at some instants, and the centre of mass, which rests."""
    links = ["v0/cube", *(f"v{k}/cube" for k in range(1, 5))]
    for k in np.searchsorted(one.motion.t, SHOWN):
        centres = md.frame_poses(one.graph, one.motion.coordinates[k], links)[:, [0, 2], 3]
        axis.plot(*centres.T, "s-", ms=9, lw=2, alpha=0.7, color=SHADES(one.motion.t[k] / DURATION))
    rest = md.centre_of_mass(one.graph, one.motion.coordinates[0]).position
    axis.plot(rest[0], rest[2], "+", ms=14, mew=2, color="#c53030", label="centre of mass, at rest")
    axis.set(xlabel="x [m]", ylabel="z [m]", aspect="equal", ylim=(-0.075, 0.09))
    axis.grid(alpha=0.25, lw=0.6)
    axis.legend(loc="upper left", frameon=False)

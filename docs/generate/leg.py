"""The leg of docs/tutorials/leg_with_closed_loop.md, from the side: its parts, the cut, modes, a motion.

x points forwards, z up, so that y, the axis of all hinges, points into the picture.
"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import modular_dynamics as md
from docs.generate._page import run_page
from modular_dynamics.pictures import COLOURS

Array = NDArray[np.float64]
STYLE = {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "savefig.dpi": 150}
TIGHT: Any = {"bbox_inches": "tight", "pad_inches": 0.1}
GREY, BLUE, _, ORANGE, PURPLE = COLOURS[:5]
LINKS = ("thigh", "shank", "foot", "tube", "rod")
PIN = np.array([-0.02, 0.0, -0.06])  # in the shank's frame
OPEN = np.array([0.0, -0.4, 0.75, 0.32, 0.03])  # a configuration in which the loop is open


def make(out: Path) -> None:
    """Write leg_parts.png, leg_cut.png, leg_modes.png, leg_singular.png and leg_motion.png."""
    page = run_page("tutorials/leg_with_closed_loop")
    leg = page["leg"]
    closed = md.close_loops(leg, [0.0, -0.4, 0.06])
    with rc_context(STYLE):
        _draw_parts(leg, closed).savefig(out / "leg_parts.png", **TIGHT)
        _draw_cut(leg, closed).savefig(out / "leg_cut.png", **TIGHT)
        _draw_modes(leg, closed, page["other"]).savefig(out / "leg_modes.png", **TIGHT)
        _draw_singular(leg, page["longest"]).savefig(out / "leg_singular.png", **TIGHT)
        _draw_motion(leg, page["motion"]).savefig(out / "leg_motion.png", **TIGHT)


def _draw_parts(leg: md.SubsystemGraph, q: Array) -> Figure:
    figure = Figure(figsize=(5.6, 4.4), layout="constrained")
    axis = figure.subplots()
    at = _draw_leg(axis, leg, q)
    texts = (
        ("hip", "hip_roll, hip_pitch (motors)", (0.12, 0.05)),
        ("hinge", "tube_hinge (passive)", (-0.5, -0.02)),
        ("slide", "actuator (motor)", (-0.5, -0.26)),
        ("pin", "pin (cut joint)", (-0.5, -0.48)),
        ("knee", "knee (passive)", (0.3, -0.42)),
        ("foot", "foot", (0.1, -0.7)),
    )
    for name, text, place in texts:
        arrow = {"arrowstyle": "-", "color": "0.5", "shrinkB": 7}
        axis.annotate(text, at[name], place, va="center", arrowprops=arrow)
    axis.text(0.13, -0.2, "thigh", color=GREY, fontweight="bold")
    axis.text(0.09, -0.57, "shank", color=GREY, fontweight="bold")
    for colour, label in ((ORANGE, "motor"), (GREY, "passive joint"), (PURPLE, "cut joint")):
        face = colour if label == "motor" else "white"
        axis.plot([], [], "o", ms=8, mfc=face, mec=colour, mew=2, label=label)
    axis.legend(loc="lower right", frameon=False)
    _finish(axis, (-0.52, 0.58), (-0.8, 0.12))
    return figure


def _draw_cut(leg: md.SubsystemGraph, closed: Array) -> Figure:
    figure = Figure(figsize=(8.0, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axis, q, title in ((left, OPEN, "open tree: two frames"), (right, closed, "closed loop")):
        at, poses = _draw_leg(axis, leg, q, marks=False), _poses(leg, q)
        if axis is left:
            axis.plot(*np.transpose([at["pin"], at["rod"]]), ":", color=PURPLE, lw=2, zorder=9)
        _draw_frame(axis, at["pin"], poses["shank"][:3, :3], BLUE)
        _draw_frame(axis, at["rod"], poses["rod"][:3, :3], ORANGE)
        _finish(axis, (-0.2, 0.3), (-0.62, -0.14), title)
    for axis, name, text, place, colour in (
        (left, "pin", "predecessor's frame,\non the shank", (0.2, -0.53), BLUE),
        (left, "rod", "successor's frame,\non the rod", (-0.1, -0.5), ORANGE),
        (right, "pin", "origins coincide,\ny is the axis of the pin", (0.2, -0.55), PURPLE),
    ):
        arrow = {"arrowstyle": "-", "color": colour, "shrinkB": 9}
        at = _points(leg, OPEN if axis is left else closed)
        axis.annotate(text, at[name], place, color=colour, va="center", ha="center", arrowprops=arrow)
    return figure


def _draw_modes(leg: md.SubsystemGraph, *modes: Array) -> Figure:
    figure = Figure(figsize=(8.0, 4.9), layout="constrained")
    titles = "elbow down: knee bent backwards", "elbow up: knee bent forwards"
    for axis, q, title in zip(figure.subplots(1, 2), modes, titles, strict=True):
        at = _draw_leg(axis, leg, q)
        corners = np.array([at["knee"], at["hinge"], at["pin"]])
        axis.fill(*corners.T, color=PURPLE, alpha=0.25, lw=0)
        numbers = f"actuator {300.0 + 1000.0 * q[4]:.0f} mm, knee {q[2]:.2f} rad"
        _finish(axis, (-0.2, 0.56), (-0.82, 0.06), f"{title}\n{numbers}")
    return figure


def _draw_singular(leg: md.SubsystemGraph, longest: float) -> Figure:
    """The singular configuration, and the knee's angle over the actuator's length in both modes."""
    figure = Figure(figsize=(8.4, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.5))
    strokes = longest - np.geomspace(longest, 1e-7, 80)
    branches = []
    for knee in (1.0, -2.0):
        branch, guess = [], md.close_loops(leg, [0.0, 0.0, strokes[0]], [0.0, 0.0, knee, 0.0, strokes[0]])
        for stroke in strokes:
            guess = md.close_loops(leg, [0.0, 0.0, stroke], guess)
            branch.append(guess)
        branches.append(np.array(branch))
    at = _draw_leg(left, leg, branches[0][-1])
    left.plot(*np.transpose([at["hinge"], at["pin"]]), ":", color=PURPLE, lw=2, zorder=9)
    left.annotate("knee, pin and hinge\nin line", at["pin"], (0.24, -0.28), ha="center", color=PURPLE,
                  arrowprops={"arrowstyle": "-", "color": PURPLE, "shrinkB": 8})  # fmt: skip
    _finish(left, (-0.2, 0.42), (-0.82, 0.06))
    for branch, colour in zip(branches, (BLUE, ORANGE), strict=True):
        right.plot(300.0 + 1000.0 * branch[:, 4], branch[:, 2], color=colour, lw=2)
    right.text(331.0, 1.7, "elbow down: knee bent backwards", color=BLUE)
    right.text(331.0, -2.8, "elbow up: knee bent forwards", color=ORANGE)
    singular = 300.0 + 1000.0 * longest, branches[0][-1, 2]
    right.plot(*singular, "o", color=PURPLE, ms=9, zorder=5)
    right.annotate("singular configuration:\nthe modes meet", singular, (-14, 0), textcoords="offset points",
                   ha="right", va="center", color=PURPLE)  # fmt: skip
    right.axvspan(singular[0], 420.0, color="0.92", lw=0)
    right.text(414.5, 0.0, "out of reach", rotation=90, ha="center", va="center")
    right.set_xlim(300.0, 420.0)
    right.set_xlabel("length of the actuator [mm]")
    right.set_ylabel("knee angle [rad]")
    right.grid(alpha=0.25)
    return figure


def _draw_motion(leg: md.SubsystemGraph, motion: md.Simulation) -> Figure:
    figure = Figure(figsize=(8.4, 4.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.4))
    side = figure.add_subplot(grid[:, 0])
    chosen = range(0, len(motion.t) // 2 + 1, 10)  # half of the motion; the way back would lie on it
    for k in chosen:
        _draw_leg(side, leg, motion.coordinates[k], marks=False, alpha=0.3 + 0.7 * k / chosen[-1])
    feet = np.array([_points(leg, q)["foot"] for q in motion.coordinates])
    side.plot(*feet.T, "-", color=PURPLE, lw=1.2)
    _finish(side, (-0.5, 0.5), (-0.9, 0.06), f"leg from 0 to {motion.t[chosen[-1]]:.1f} s, path of the foot")
    panels = (1000.0 * motion.coordinates[:, 4] + 300.0, "length [mm]"), (motion.tau[:, 2], "force [N]")
    axis = None
    for row, (values, label) in enumerate(panels):
        axis = figure.add_subplot(grid[row, 1], sharex=axis)
        axis.plot(motion.t, values, color=(BLUE, ORANGE)[row], lw=1.6)
        axis.set_ylabel(label)
        axis.margins(x=0.0)
        axis.grid(alpha=0.25)
        if row == 0:
            axis.set_title("actuator", loc="left", fontweight="bold")
            axis.tick_params(labelbottom=False)
        else:
            axis.set_xlabel("time [s]")
    return figure


# ---- the leg in its plane ----------------------------------------------------------------------------------


def _poses(leg: md.SubsystemGraph, q: Array) -> dict[str, Array]:
    return dict(zip(LINKS, md.frame_poses(leg.tree, q, LINKS), strict=True))


def _points(leg: md.SubsystemGraph, q: Array) -> dict[str, Array]:
    """Return places by name in the plane (x, z), with the hip as origin."""
    poses = _poses(leg, q)
    origin = {name: pose[:3, 3] for name, pose in poses.items()}
    space = {
        "hip": origin["thigh"],
        "knee": origin["shank"],
        "foot": origin["foot"],
        "hinge": origin["tube"],
        "tube": origin["tube"] - 0.24 * poses["tube"][:3, 2],
        "slide": origin["tube"] - 0.15 * poses["tube"][:3, 2],
        "rod": origin["rod"],
        "pin": origin["shank"] + poses["shank"][:3, :3] @ PIN,
    }
    return {name: point[[0, 2]] - space["hip"][[0, 2]] for name, point in space.items()}


def _draw_leg(
    axis: Axes, leg: md.SubsystemGraph, q: Array, marks: bool = True, alpha: float = 1.0
) -> dict[str, Array]:
    """Draw links and, with marks, joints; return the places of `_points`."""
    at = _points(leg, q)
    bars: tuple[tuple[str, str, float, Any], ...] = (
        ("hip", "knee", 9, "0.72"),
        ("knee", "foot", 9, "0.82"),
        ("hip", "hinge", 5, "0.72"),
        ("knee", "pin", 5, "0.82"),
        ("hinge", "rod", 3, GREY),
        ("hinge", "tube", 7, BLUE),
    )
    for start, end, width, colour in bars:
        ends = np.transpose([at[start], at[end]])
        axis.plot(*ends, color=colour, lw=width, solid_capstyle="round", alpha=alpha)
    sole = at["foot"] + np.array([[-0.05, 0.0], [0.09, 0.0]])
    axis.plot(*sole.T, color="0.6", lw=4, alpha=alpha)
    style: dict[str, Any] = {"ms": 8, "mew": 2, "zorder": 8, "ls": ""}
    for name in ("hinge", "knee") if marks else ():
        axis.plot(*at[name], "o", mfc="white", mec=GREY, **style)
    for name in ("hip", "slide") if marks else ():
        axis.plot(*at[name], "o" if name == "hip" else "s", mfc=ORANGE, mec="white", **style)
    if marks:
        axis.plot(*at["pin"], "o", mfc="white", mec=PURPLE, **style)
    return at


def _draw_frame(axis: Axes, origin: Array, R: Array, colour: str, size: float = 0.09) -> None:
    """Draw the x and z axes of a frame, and y, which points into the picture."""
    for k, name in ((0, "x"), (2, "z")):
        tip = origin + size * R[[0, 2], k]
        axis.annotate("", tip, origin, zorder=10, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.8,
                      "shrinkA": 0, "shrinkB": 0})  # fmt: skip
        beside = origin + 1.05 * size * R[[0, 2], k] + 0.2 * size * R[[0, 2], 0] * (-1 if k == 2 else 1)
        axis.text(*beside, name, color=colour, ha="center", va="center", zorder=10)
    axis.plot(*origin, "o", mfc="white", mec=colour, ms=9, mew=1.6, zorder=11)
    axis.plot(*origin, "x", color=colour, ms=5, mew=1.6, zorder=12)


def _finish(axis: Axes, x: tuple[float, float], z: tuple[float, float], title: str = "") -> None:
    axis.set_aspect("equal")
    axis.set(xlim=x, ylim=z)
    axis.axis("off")
    axis.set_title(title, fontweight="bold", fontsize=10)

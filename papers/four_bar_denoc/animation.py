"""The four-bar over a turn: its links, the force at the cut joint J2, and the crank's torque, as a GIF."""

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.animation import PillowWriter
from matplotlib.figure import Figure

from papers.four_bar_denoc.bars import Array, Bars
from papers.four_bar_denoc.motions import Motion
from papers.four_bar_denoc.pictures import COLOURS, STYLE

FRAMES, RATE = 60, 15.0  # of a turn; [1/s]
LONGEST = 0.6  # of the arrow of the largest force, in lengths of the ground


def points(bars: Bars, theta: Array) -> Array:
    """Return J1, J2 by the crank, J2 by the coupler, J3, J4 in the plane (5,) [m], as complex numbers."""
    end = bars.ground + bars.output.length * np.exp(1j * theta[1])  # J3
    tip = end + bars.coupler.length * np.exp(1j * (theta[1] + theta[2]))
    return np.array([0.0, bars.crank.length * np.exp(1j * theta[0]), tip, end, bars.ground])


def animate(path: Path, bars: Bars, turn: Motion) -> Path:
    """Write the turn as an animation; return its path."""
    places = np.array([points(bars, theta) for theta in turn.q])  # (m, 5)
    force = turn.multipliers @ [1.0, 1j]
    arrow = LONGEST * bars.ground * force / np.abs(force).max()
    seen = np.concatenate([places.ravel(), places[:, 1] + arrow])
    with rc_context(STYLE):
        figure = Figure(figsize=(8.0, 3.6))  # without a layout engine, which would draw each frame twice
        figure.subplots_adjust(left=0.09, right=0.97, bottom=0.14, top=0.91, wspace=0.25)
        plane, curve = figure.subplots(1, 2)
        margin = 0.1 * bars.ground
        plane.set(
            xlim=(seen.real.min() - margin, seen.real.max() + margin),
            ylim=(seen.imag.min() - margin, seen.imag.max() + margin),
            xlabel="x [m]",
            ylabel="y [m]",
            aspect="equal",
        )
        plane.plot(*_xy(places[:, 1]), color="0.8", lw=0.8)
        plane.plot(*_xy(places[:, 3]), color="0.8", lw=0.8)
        plane.plot(*_xy(places[0, [0, 4]]), color="0.4", lw=1.0, marker="^", ms=9)
        bars_drawn = [
            plane.plot([], [], color=COLOURS[k], lw=4, marker="o", mfc="white", label=name)[0]
            for k, name in enumerate(("crank", "output", "coupler"))
        ]
        plane.legend(loc="lower right", frameon=False, fontsize=7)
        arrow_drawn = plane.quiver([0.0], [0.0], [0.0], [0.0], color="#c53030", zorder=3, angles="xy",
                                   scale_units="xy", scale=1.0, width=0.01)  # fmt: skip
        plane.set_title("force λ on the crank at J2", color="#c53030")
        degrees = np.degrees(turn.q[:, 0])
        curve.plot(degrees, turn.torque, color=COLOURS[0], lw=1.6)
        mark = curve.plot([], [], "o", color="0.1", ms=7)[0]
        curve.set(xlabel="crank angle [deg]", ylabel="torque of the crank [N m]", xticks=range(0, 361, 60))
        curve.grid(alpha=0.25, lw=0.6)
        value = curve.set_title(" ")
        writer = PillowWriter(fps=RATE)
        with writer.saving(figure, path, dpi=80):
            for k in np.linspace(0, len(degrees) - 1, FRAMES, endpoint=False).astype(int):
                J1, J2, tip, J3, J4 = places[k]
                for line, ends in zip(bars_drawn, ((J1, J2), (J4, J3), (J3, tip)), strict=True):
                    line.set_data(*_xy(np.array(ends)))
                arrow_drawn.set_offsets([[J2.real, J2.imag]])
                arrow_drawn.set_UVC(arrow[k].real, arrow[k].imag)
                mark.set_data([degrees[k]], [turn.torque[k]])
                value.set_text(f"|λ| = {abs(force[k]):.1f} N, torque = {turn.torque[k]:+.2f} N m")
                writer.grab_frame()
    return path


def _xy(places: Array) -> tuple[Array, Array]:
    return places.real, places.imag

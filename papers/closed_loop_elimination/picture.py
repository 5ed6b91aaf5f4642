"""Figure 3: the mechanism in its plane, with circles C1 and C2 (a) and C3 and C4 (b)."""

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle as Ring
from matplotlib.patches import Polygon
from matplotlib.patheffects import withStroke

from papers.closed_loop_elimination.circles import Sketch

STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
#: Bars between points, in the colours that both panels share.
BARS = {
    "upper arm, body 3": (("O2", "D", "O4"), "#4e5b6e"),
    "elbow, bodies 4 and 5": (("O4", "O5", "O6"), "#805ad5"),
    "central gear with lever, body 13": (("O5", "B"), "#dd6b20"),
    "rod, body 11": (("B", "C"), "#2b6cb0"),
    "rod, body 9": (("E", "F"), "#2f855a"),
    "crank of body 2 (body 8)": (("O2", "F"), "#c53030"),
    "forearm, body 6": (("O6", "A"), "#2c9a9a"),
}
LEVER = "two-armed lever, body 10", ("C", "D", "E"), "#b83280"
SPRING = "spring and slide Ls", ("B", "A"), "#8a7a1f"
RINGS = "#2b6cb0", "#dd6b20", "#2f855a", "#c53030"
#: Where each circle's label is: angle [deg] on it, and alignment.
RING_LABELS = (75, "left"), (118, "right"), (75, "left"), (225, "right")
#: Offsets of the points' labels [points], away from the bars.
OFFSETS = {
    "O2": (6, 5), "D": (-4, -17), "O4": (-4, -16), "O5": (-21, 5), "O6": (7, -10), "A": (7, 3), "B": (8, -5),
    "C": (-2, -17), "C′": (7, 2), "E": (-4, 8), "F": (-4, -16), "F′": (-17, 3),
}  # fmt: skip
MARGIN, LEFT = 0.03, 0.09  # [m] around circles and points, and more on the left for a label
#: Panels: title, circles, and their two intersections.
PANELS = (
    ("(a) lower part: {C, C′} = C1 ∩ C2", (0, 1), ("C", "C′")),
    ("(b) upper part: {F, F′} = C3 ∩ C4", (2, 3), ("F", "F′")),
)


def draw(drawn: Sketch, title: str, path: Path) -> Path:
    """Draw both panels; return the path."""
    corners = [one.at + sign * one.radius * (1 + 1j) for one in drawn.circles for sign in (-1, 1)]
    ends = np.array([*drawn.points.values(), *corners])
    x = ends.real.min() - MARGIN - LEFT, ends.real.max() + MARGIN
    y = ends.imag.min() - MARGIN, ends.imag.max() + MARGIN
    with rc_context(STYLE):
        figure = Figure(figsize=(12.0, 5.2), layout="constrained")
        for axis, (name, rings, meeting) in zip(figure.subplots(1, 2), PANELS, strict=True):
            _draw_mechanism(axis, drawn)
            _draw_circles(axis, drawn, rings, meeting)
            _label_points(axis, drawn, meeting)
            axis.set_title(name, loc="left", fontweight="bold")
            axis.set(xlabel="x of body 3 [m]", ylabel="y of body 3 [m]", aspect="equal", xlim=x, ylim=y)
        handles = axis.get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=5, frameon=False)
        figure.suptitle(title)
        figure.savefig(path, dpi=130)
    return path


def _xy(drawn: Sketch, names: tuple[str, ...]) -> tuple[list[float], list[float]]:
    points = [drawn.points[name] for name in names]
    return [point.real for point in points], [point.imag for point in points]


def _draw_mechanism(axis: Axes, drawn: Sketch) -> None:
    label, names, colour = LEVER
    axis.add_patch(Polygon(list(zip(*_xy(drawn, names), strict=True)), color=colour, alpha=0.3, label=label))
    for label, (names, colour) in BARS.items():
        axis.plot(*_xy(drawn, names), color=colour, lw=3.5, solid_capstyle="round", label=label)
    label, names, colour = SPRING
    axis.plot(*_xy(drawn, names), color=colour, lw=2.0, ls=(0, (1, 1)), label=label)


def _draw_circles(axis: Axes, drawn: Sketch, rings: tuple[int, ...], meeting: tuple[str, ...]) -> None:
    for k in rings:
        circle = drawn.circles[k]
        x, y = circle.at.real, circle.at.imag
        axis.add_patch(Ring((x, y), circle.radius, fill=False, color=RINGS[k], lw=1.0, ls=(0, (5, 3))))
        degrees, side = RING_LABELS[k]
        end = circle.at + circle.radius * np.exp(1j * np.radians(degrees))
        axis.annotate(
            f"{circle.name} about {circle.centre}", (end.real, end.imag), (4 * np.sign(end.real - x), 3),
            textcoords="offset points", color=RINGS[k], ha=side, va="bottom" if end.imag > y else "top",
        )  # fmt: skip
    axis.plot(*_xy(drawn, meeting[1:]), "o", mfc="white", mec="0.3", ms=6, zorder=4)


def _label_points(axis: Axes, drawn: Sketch, meeting: tuple[str, ...]) -> None:
    for name, point in drawn.points.items():
        if "′" in name and name not in meeting:
            continue
        if "′" not in name:
            axis.plot(point.real, point.imag, "o", color="0.1", ms=5, mec="white", zorder=4)
        axis.annotate(name, (point.real, point.imag), OFFSETS[name], textcoords="offset points", fontsize=11,
                      path_effects=[withStroke(linewidth=3, foreground="white")])  # fmt: skip

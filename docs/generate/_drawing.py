"""What the pictures of the pages share: style and colours, robots as flat shapes, frames, arrows, boxes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Polygon
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike, NDArray
from PIL import Image
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from modular_dynamics.pictures import subsystem_colours

Array = NDArray[np.float64]
ROBOTS = Path(__file__).resolve().parents[2] / "urdf"
WIDTH = 7.3  # [inch] of a page's column at which 9 points in the picture are 9 points on the screen
# Distinguishable with defective colour vision (Okabe and Ito), dark enough for lines on white.
FORCE, MOMENT, TWIST, INK, QUIET = "#D55E00", "#0072B2", "#009E73", "#222222", "#8a8f98"
AXES = "#D55E00", "#009E73", "#0072B2"  # x, y, z
HALO = 3.0  # [points] white around a label, so that it can be read on a robot


@contextmanager
def style() -> Iterator[None]:
    """Set fonts and spines."""
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        yield


def save(figure: Figure, path: Path) -> None:
    """Write a PNG for a page's column, with a palette of 256 colours, which makes the file small."""
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=150, facecolor="white")
    Image.open(picture).convert("RGB").quantize(256).save(path, optimize=True)


def light(colour: str, share: float = 0.65) -> tuple[float, float, float]:
    """Return the colour mixed with white."""
    r, g, b = (c + (1.0 - c) * share for c in to_rgb(colour))
    return r, g, b


@dataclass(frozen=True)
class View:
    """An axis that shows space in parallel projection: from where one looks [degrees]."""

    axis: Axes
    azimuth: float = -60.0
    elevation: float = 15.0

    @property
    def rotation(self) -> Array:
        """Rows: right, up and towards the viewer, in space."""
        a, e = np.radians([self.azimuth, self.elevation])
        towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        return np.array([right, np.cross(towards, right), towards])

    def flat(self, points: ArrayLike) -> Array:
        """Return points (..., 3) in the picture (..., 2)."""
        return np.asarray(points, dtype=float) @ self.rotation[:2].T

    def prepare(self) -> None:
        """Show all that is drawn, undistorted and without axes."""
        self.axis.set_aspect("equal")
        self.axis.axis("off")
        self.axis.autoscale_view()

    def robot(
        self,
        graph: md.SubsystemGraph,
        q: ArrayLike,
        colours: Mapping[str, str] | None = None,
        shift: Mapping[str, ArrayLike] | None = None,
        share: float = 0.72,
    ) -> None:
        """Draw the boxes, cylinders and spheres of a URDF, the nearest ones last.

        Args:
            colours: by link; default: of the link's subsystem, grey on the ground. shift: by link [m], for
                parts that are drawn apart. share: of white in the colours of faces.
        """
        own = colours_by_link(graph) | dict(colours or {})
        drawn = []
        for link, points in shapes(graph, q):
            moved = points + np.asarray((shift or {}).get(link, np.zeros(3)))
            flat = self.flat(moved)
            outline = flat[ConvexHull(flat).vertices]
            drawn.append((float((moved @ self.rotation[2]).mean()), outline, own.get(link, QUIET)))
        for order, (_, outline, colour) in enumerate(sorted(drawn, key=lambda one: one[0])):
            face, z = light(colour, share), 1.0 + order / len(drawn)
            self.axis.add_patch(Polygon(outline, fc=face, ec=light(colour, 0.1), lw=0.7, zorder=z))

    def sticks(self, graph: md.SubsystemGraph, q: ArrayLike, width: float = 5.0) -> None:
        """Draw a robot whose shapes are not at hand: lines from joint to joint, joints as dots."""
        poses, colours = poses_of(graph, q), colours_by_link(graph)
        for joint in graph.joints:
            ends = self.flat([poses[joint.parent_link][:3, 3], poses[joint.child_link][:3, 3]])
            self.axis.plot(
                *ends.T, color=light(colours.get(joint.parent_link, QUIET), 0.4), lw=width, zorder=1
            )
        for joint in graph.joints:
            dot = self.flat(poses[joint.child_link][:3, 3])
            self.axis.plot(
                *dot, "o", color=colours[joint.child_link], ms=width + 1.0, mec="white", zorder=1.5
            )

    def arrow(
        self, start: ArrayLike, vector: ArrayLike, colour: str, *, head: float = 14.0, **style: object
    ) -> None:
        """Draw an arrow in space [m]."""
        ends = self.flat([np.asarray(start), np.asarray(start) + np.asarray(vector)])
        options = {"lw": 2.0, "zorder": 5, "arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0} | style
        arrow = FancyArrowPatch(*ends, color=colour, mutation_scale=head, **options)
        self.axis.add_patch(arrow)
        self.axis.update_datalim(ends)

    def frame(self, H: Array, length: float, name: str = "", offset: tuple[float, float] = (8, -12)) -> None:
        """Draw the axes of a frame with pose H (4, 4) and its name; x, y, z are red, green, blue."""
        for column, colour in enumerate(AXES):
            self.arrow(H[:3, 3], length * H[:3, column], colour, head=9.0, lw=1.8, zorder=6)
        if name:
            self.label(H[:3, 3], name, offset)

    def label(
        self, point: ArrayLike, text: str, offset: tuple[float, float] = (6, 6), **style: object
    ) -> None:
        """Write text beside a point in space; offset in points."""
        options = {"ha": "left" if offset[0] >= 0 else "right", "va": "center", "fontsize": 9, "color": INK}
        outline = {"path_effects": [withStroke(linewidth=HALO, foreground="white")]}
        where = {"xytext": offset, "textcoords": "offset points", "zorder": 9}
        self.axis.annotate(text, self.flat(point), **(where | options | outline | style))


def poses_of(graph: md.SubsystemGraph, q: ArrayLike) -> dict[str, Array]:
    """Return the pose (4, 4) of each link in the root link's frame."""
    return dict(zip(graph.links, md.frame_poses(graph, q), strict=True))


def colours_by_link(graph: md.SubsystemGraph) -> dict[str, str]:
    """Return the colour of its subsystem for each link that moves, fixed ones on them included."""
    of_body = [subsystem_colours(graph)[one.name] for one in graph.subsystems for _ in range(len(one.bodies))]
    bodies = {link: graph.link_pose(link)[0] for link in graph.links}
    return {link: of_body[body] for link, body in bodies.items() if body is not None}


def shapes(graph: md.SubsystemGraph, q: ArrayLike) -> Iterator[tuple[str, Array]]:
    """Give the shapes of a URDF's visuals: link, and points (n, 3) whose hull is the shape [m]."""
    poses = poses_of(graph, q)
    turn = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    circle = np.array([np.cos(turn), np.sin(turn), 0.0 * turn]).T
    for link in ElementTree.fromstring(graph.urdf).iter("link"):
        for visual in link.iter("visual"):
            shape = visual.find("geometry")[0]
            origin = visual.find("origin")
            given = {} if origin is None else origin.attrib
            if shape.tag == "box":
                corners = np.stack(np.meshgrid(*[(-0.5, 0.5)] * 3), axis=-1).reshape(-1, 3)
                points = corners * numbers(shape.get("size"))
            elif shape.tag == "cylinder":
                ends = float(shape.get("length")) * np.array([[0, 0, -0.5], [0, 0, 0.5]])
                points = np.concatenate([float(shape.get("radius")) * circle + end for end in ends])
            elif shape.tag == "sphere":
                rings = [Rotation.from_euler("x", angle).apply(circle) for angle in turn[:12]]
                points = float(shape.get("radius")) * np.concatenate(rings)
            else:
                continue
            turned = Rotation.from_euler("xyz", numbers(given.get("rpy"))).apply(points)
            H = poses[link.get("name")]
            yield link.get("name"), (turned + numbers(given.get("xyz"))) @ H[:3, :3].T + H[:3, 3]


def numbers(text: str | None) -> Array:
    """Return three numbers of an attribute; zeros where it is missing."""
    return np.zeros(3) if text is None else np.array([float(word) for word in text.split()])


def box(
    axis: Axes,
    middle: tuple[float, float],
    size: tuple[float, float],
    text: str,
    colour: str,
    **style: object,
) -> None:
    """Draw a box with text in data coordinates."""
    (x, y), (w, h) = middle, size
    frame = FancyBboxPatch(
        (x - w / 2, y - h / 2),
        w,
        h,
        boxstyle="round,pad=0,rounding_size=0.06",
        fc=light(colour, 0.85),
        ec=colour,
        lw=1.2,
    )
    axis.add_patch(frame)
    axis.text(x, y, text, **({"ha": "center", "va": "center", "color": INK} | style))

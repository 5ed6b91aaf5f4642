"""Figures 2 to 5: the robot's pose with the torso's forces, and its bodies cut free."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from lxml import etree
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from mpl_toolkits.mplot3d import Axes3D
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import modular_dynamics as md
from modular_dynamics.loops import ReactionArrays, Rules
from papers.charmie_torso.mujoco_loops import Array, MujocoLoops

STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
#: Colours of forces: what is known first (springs, loads), and what is solved for, as in the paper.
SPRING, LOAD, ACTUATOR, JOINT, MOTION = "#dd6b20", "#c53030", "#2b6cb0", "#2f855a", "#1a202c"
KINDS = {SPRING: "springs", ACTUATOR: "linear actuators", JOINT: "joints", LOAD: "loads and weight"}
LENGTH = 1.2e-3  # [m/N] of arrows
REFERENCE = 100.0  # [N] of the arrow that shows the scale
LEAST, LABELLED = 3.0, 100.0  # [N] of arrows that are drawn, and named in Figure 2
HALF = 0.21, 0.35  # [m] of the panels' width and height
SAME_PLACE = 0.02  # [m] between labels that are put together
LIGHT = np.array([0.4, 0.5, 0.77])
VIEW = {"elev": 14.0, "azim": 58.0}  # from the front and the right
SIDES = 20  # of a drawn cylinder
#: Panels: body, horizontal and vertical axis, title.
PANELS = (
    ("body_5", 1, 2, "Figure 3: body 5\nfrom its right"),
    ("body_4", 1, 2, "Figure 4: body 4\nfrom its right"),
    ("body_4", 0, 2, "Figure 4: body 4\nfrom behind"),
    ("body_4sr", 0, 2, "Figure 5: body 4sr\nfrom behind"),
)


@dataclass(frozen=True, eq=False)
class Pose:
    """A time [s], the base's velocity (x, y, yaw), and forces as the rules share them; poses are theirs."""

    time: float
    velocity: Array
    reactions: ReactionArrays


@dataclass(frozen=True, eq=False)
class Force:
    """A force (3,) on a body at a point (3,), in world axes [N, m]."""

    name: str
    point: Array
    force: Array
    colour: str


def forces_on(
    rules: Rules, links: Sequence[str], reactions: ReactionArrays, body: str | None
) -> Iterator[Force]:
    """Yield the forces of the rules' joints on a body, or of all on the bodies that they hold."""
    for joint, wrench, points in zip(
        rules.joints.values(), reactions.wrenches, reactions.points, strict=True
    ):
        if body in (None, joint.on, joint.by):
            sign = -1.0 if body == joint.by else 1.0
            force = sign * reactions.poses[links.index(joint.axes), :3, :3] @ wrench[:3]
            known = "pull" in joint.transmits
            colour = SPRING if known else ACTUATOR if "push" in joint.transmits else JOINT
            point = points[0] if known and body == joint.by else points[1]
            yield Force(joint.name, point, force, colour)


def loads_on(peer: MujocoLoops, body: str, others: Iterable[str], gravity: Array) -> Iterator[Force]:
    """Yield the forces of arms and head, which are none of the ``others``, on a body, and its weight."""
    for child in peer.children(body):
        if child.startswith("body_") and child not in others:
            force = -peer.rotation(child) @ peer.reaction(child)[:3]
            yield Force(child.removeprefix("body_"), peer.origin(child), force, LOAD)
    if mass := peer.model.body(body).mass[0]:
        yield Force("weight", peer.inertial_load(body)[0], mass * gravity, LOAD)


def draw_poses(graph: md.SubsystemGraph, rules: Rules, poses: Sequence[Pose], path: Path) -> Path:
    """Figure 2: the robot with the forces in its torso; return the path."""
    with rc_context(STYLE):
        figure = Figure(figsize=(12.0, 8.0))
        for k, pose in enumerate(poses):
            axis = figure.add_subplot(1, len(poses), k + 1, projection="3d", computed_zorder=False)
            base = pose.reactions.poses[graph.links.index("body_3")]
            _draw_robot(axis, graph, pose.reactions.poses)
            _draw_forces(axis, base, forces_on(rules, graph.links, pose.reactions, None))
            if np.any(pose.velocity):
                _draw_motion(axis, base, pose.velocity)
            _arrow(axis, np.array([-0.45, 0.5, 0.0]), np.array([0.0, 0.0, LENGTH * REFERENCE]), "0.2", 2.0)
            axis.text(-0.45, 0.5, LENGTH * REFERENCE + 0.02, f"{REFERENCE:g} N", ha="center")
            axis.set(xlim=(-0.6, 0.6), ylim=(-0.6, 0.6), zlim=(0.0, 1.6))
            axis.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
            axis.set_box_aspect((1.2, 1.2, 1.6), zoom=1.2)
            axis.view_init(**VIEW)
            title = f"({'ab'[k]})  t = {pose.time:g} s"
            axis.text2D(0.5, 1.02, title, transform=axis.transAxes, fontweight="bold", ha="center")
        drawn = [(colour, 2.0, KINDS[colour]) for colour in (SPRING, ACTUATOR, JOINT)]
        drawn.append((MOTION, 4.0, "directions of motion"))
        handles = [Line2D([], [], color=colour, lw=width, label=label) for colour, width, label in drawn]
        figure.legend(handles=handles, loc="lower center", ncols=4, frameon=False)
        title = "Forces in the torso, of each lower body on the upper one"
        figure.suptitle(title, fontweight="bold", fontsize=12, y=0.95)
        figure.subplots_adjust(left=0.03, right=0.97, bottom=0.06, top=0.9, wspace=0.05)
        figure.savefig(path, dpi=130, bbox_inches="tight")
    return path


def _draw_forces(axis: Axes3D, base: Array, forces: Iterable[Force]) -> None:
    """Draw forces as arrows, large ones with their names, at the outer end; that on body 3 at its foot."""
    for one in forces:
        size = float(np.linalg.norm(one.force))
        if size > LEAST:
            _arrow(axis, one.point, LENGTH * one.force, one.colour, 2.0)
        if size > LABELLED:
            across = base[:3, 0] @ (one.point - base[:3, 3])  # to the robot's right, which is left here
            at, side, vertical = one.point, "right" if across > 0.1 else "left", "center"
            if one.name == "j3":
                side, vertical = "center", "top"
            elif one.force[2] > 0.0:
                at, vertical = one.point + LENGTH * one.force, "bottom"
            style = {"color": one.colour, "ha": side, "va": vertical, "zorder": 11}
            text = f"  {one.name} {size:.0f} N  "
            axis.text(*at, f"\n{text}" if one.name == "j3" else text, **style)


def _arrow(axis: Axes3D, point: Array, vector: Array, colour: str, width: float) -> None:
    head = min(0.7, 0.02 * width / float(np.linalg.norm(vector)))
    axis.quiver(*point, *vector, color=colour, lw=width, arrow_length_ratio=head, zorder=10)


def _draw_motion(axis: Axes3D, base: Array, velocity: Array) -> None:
    """Draw the directions of the base's translation and rotation on the floor, around it."""
    centre, (x, y, yaw) = base[:3, 3], velocity
    direction = np.array([x, y, 0.0]) / np.hypot(x, y)
    _arrow(axis, centre + 0.3 * direction, 0.3 * direction, MOTION, 4.0)
    angles = np.radians(VIEW["azim"]) - np.sign(yaw) * np.linspace(0.7, -0.7, 30)
    arc = centre + 0.42 * np.stack([np.cos(angles), np.sin(angles), np.zeros(30)], axis=-1)
    axis.plot(*arc[:-2].T, color=MOTION, lw=4.0, zorder=10)
    _arrow(axis, arc[-3], 1.5 * (arc[-1] - arc[-3]), MOTION, 4.0)


def _draw_robot(axis: Axes3D, graph: md.SubsystemGraph, poses: Array) -> None:
    """Draw the shapes of the URDF, shaded, so that forces inside are visible."""
    faces, colours = [], []
    for link, shape, colour in _shapes(graph.urdf):
        pose = poses[graph.links.index(link)]
        for face in shape:
            corners = face @ pose[:3, :3].T + pose[:3, 3]
            normal = np.cross(corners[2] - corners[0], corners[3] - corners[1])
            shade = 0.62 + 0.38 * abs(normal @ LIGHT) / np.linalg.norm(normal)
            faces.append(corners)
            colours.append((*(shade * colour), 0.35))
    axis.add_collection3d(Poly3DCollection(faces, facecolors=colours, edgecolors="none", zorder=1))


def _shapes(urdf: str) -> Iterator[tuple[str, list[Array], Array]]:
    """Yield link, faces (corners, 3) in the link's frame, and colour of each shape."""
    robot = etree.fromstring(urdf.encode())
    colours = {
        material.get("name"): np.array([float(x) for x in material.find("color").get("rgba").split()[:3]])
        for material in robot.findall("material")
    }
    for visual in robot.iterfind("link/visual"):
        origin, shape = visual.find("origin"), visual.find("geometry")[0]
        at, turn = (_numbers(origin, key) for key in ("xyz", "rpy"))
        cosines, sines = np.cos(turn), np.sin(turn)
        R = np.eye(3)
        for k, (c, s) in enumerate(zip(cosines, sines, strict=True)):
            single, i, j = np.eye(3), (k + 1) % 3, (k + 2) % 3
            single[[i, i, j, j], [i, j, i, j]] = c, -s, s, c
            R = single @ R
        faces = [face @ R.T + at for face in _faces(shape)]
        yield visual.getparent().get("name"), faces, colours[visual.find("material").get("name")]


def _numbers(element: etree._Element | None, key: str) -> Array:
    return np.array([float(x) for x in ("0 0 0" if element is None else element.get(key, "0 0 0")).split()])


def _faces(shape: etree._Element) -> list[Array]:
    """Return the faces of a box, cylinder or sphere about its centre."""
    if shape.tag == "box":
        half = 0.5 * _numbers(shape, "size")
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        return [half * np.insert(square, k, side, axis=1) for k in range(3) for side in (-1, 1)]
    radius = float(shape.get("radius"))
    turn = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    if shape.tag == "cylinder":
        half = 0.5 * float(shape.get("length"))
        rings = [(radius, -half), (radius, half)]
        caps = [np.column_stack([radius * circle[:-1], np.full(SIDES, z)]) for z in (-half, half)]
    else:
        rise = np.linspace(-0.5 * np.pi, 0.5 * np.pi, SIDES // 2)
        rings, caps = [*zip(radius * np.cos(rise), radius * np.sin(rise), strict=True)], []
    outlines = [np.column_stack([r * circle, np.full(SIDES + 1, z)]) for r, z in rings]
    bands = pairwise(outlines)
    return caps + [
        np.array([low[k], low[k + 1], high[k + 1], high[k]]) for low, high in bands for k in range(SIDES)
    ]


def draw_free_bodies(
    graph: md.SubsystemGraph, rules: Rules, pose: Pose, peer: MujocoLoops, path: Path
) -> Path:
    """Figures 3 to 5: forces on bodies 5, 4 and 4sr in their axes; return the path."""
    with rc_context(STYLE):
        figure = Figure(figsize=(13.0, 6.2), layout="constrained")
        for axis, (body, i, j, title) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
            frame = pose.reactions.poses[graph.links.index(body)]
            forces = [*forces_on(rules, graph.links, pose.reactions, body)]
            forces += loads_on(peer, body, rules.bodies, np.asarray(graph.gravity))
            labels: list[tuple[Array, float, str, str]] = []
            for one in forces:
                point, force = frame[:3, :3].T @ (one.point - frame[:3, 3]), frame[:3, :3].T @ one.force
                _draw_force(axis, one, point[[i, j]], force[[i, j]], labels)
            for place, side, text, colour in labels:
                axis.annotate(text, place, (5 * side, 0), textcoords="offset points", color=colour,
                              ha="left" if side > 0 else "right", va="center")  # fmt: skip
            axis.set_title(title, loc="left", fontweight="bold")
            axis.set(xlabel=f"{'xyz'[i]} [m]", ylabel=f"{'xyz'[j]} [m]")
            middle = np.mean([axis.dataLim.min, axis.dataLim.max], axis=0)
            for limits, centre, half in zip((axis.set_xlim, axis.set_ylim), middle, HALF, strict=True):
                limits(centre - half, centre + half)
            axis.set_aspect("equal")
            axis.grid(alpha=0.25, lw=0.6)
        handles = [Line2D([], [], color=colour, lw=2, label=label) for colour, label in KINDS.items()]
        figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
        scale = f"arrows: {REFERENCE:g} N as {LENGTH * REFERENCE:g} m"
        title = f"Forces on bodies of the torso [N] at {pose.time:g} s, in their axes; {scale}"
        figure.suptitle(title, fontweight="bold")
        figure.savefig(path, dpi=130)
    return path


def _draw_force(
    axis: Axes, one: Force, point: Array, force: Array, labels: list[tuple[Array, float, str, str]]
) -> None:
    """Draw an arrow; add its label, on the right of arrows that point up, to those of the same place."""
    size = float(np.linalg.norm(force))
    if size < LEAST:
        return
    tip, text = point + LENGTH * force, f"{one.name} {size:.0f}"
    style = {"arrowstyle": "-|>", "color": one.colour, "lw": 1.8, "shrinkA": 0, "shrinkB": 0}
    axis.annotate("", tip, point, arrowprops=style)
    axis.plot(*point, "o", color=one.colour, ms=4)
    axis.plot(*tip, alpha=0.0)  # into the axes' limits
    side = 1.0 if force[1] > 0.0 else -1.0
    middle = np.array(
        [max(point[0], tip[0]) if side > 0.0 else min(point[0], tip[0]), 0.5 * (point + tip)[1]]
    )
    for k, (place, _, other, colour) in enumerate(labels):
        if colour == one.colour and np.linalg.norm(place - middle) < SAME_PLACE:
            labels[k] = place, side, f"{other}\n{text}", colour
            return
    labels.append((middle, side, text, one.colour))

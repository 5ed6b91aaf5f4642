"""The care robot over its published motion, for README and the first page.

Links in the colours of their subsystems, the forces on arms and head, torques over time.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from mpl_toolkits.mplot3d import Axes3D
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics.motions import load_profile
from modular_dynamics.pictures import subsystem_colours

Array = NDArray[np.float64]
ROOT = Path(__file__).resolve().parents[2]
FRAMES = 50  # 5 s of motion at 10 frames a second
METRES_PER_NEWTON = 0.01


def make(out: Path) -> None:
    """Write charmie.gif."""
    graph = md.load_urdf(ROOT / "urdf/charmie.urdf")
    profile = load_profile(ROOT / "config/charmie_motion.yaml")
    times = np.linspace(0.0, profile.duration, FRAMES)
    order = [profile.joint_names.index(name) for name in graph.joint_names]
    q, v, a = (np.array([profile.sample(t)[k][order] for t in times]) for k in range(3))
    solver, colours = md.InverseDynamics(graph), subsystem_colours(graph)
    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(7.6, 3.7))
        space = figure.add_axes((-0.08, -0.2, 0.6, 1.35), projection="3d")
        tau = md.inverse_dynamics(graph, q, v, a)
        marks = [
            _draw_torques(figure.add_axes(place), graph, times, tau, name, colours[name])
            for name, place in (("left_arm", (0.57, 0.58, 0.41, 0.33)), ("torso", (0.57, 0.13, 0.41, 0.33)))
        ]
        figure.axes[-1].set_xlabel("time [s]")

        def draw(k: int) -> None:
            _draw_robot(space, solver.solve(q[k], v[k], a[k]), colours)
            for mark in marks:
                mark.set_xdata([times[k]] * 2)

        animation = FuncAnimation(figure, draw, frames=FRAMES, init_func=lambda: None)
        animation.save(out / "charmie.gif", PillowWriter(fps=10), dpi=100)


def _draw_torques(
    axis: Axes, graph: md.SubsystemGraph, times: Array, tau: Array, name: str, colour: str
) -> Line2D:
    """Draw the torques of one subsystem; return the line that marks a time."""
    for joint in graph.subsystem(name).joints:
        axis.plot(times, tau[:, graph.v_slice(joint.name)], color=colour, lw=1.0)
    slides = any(joint.type == "prismatic" for joint in graph.subsystem(name).joints)
    axis.set_title(
        f"{name} [N m]" if not slides else f"{name} [N, N m]", loc="left", fontsize=9, color=colour
    )
    axis.margins(x=0.0)
    axis.grid(alpha=0.25, lw=0.6)
    return axis.axvline(0.0, color="0.2", lw=1.0)


def _draw_robot(space: Axes3D, solution: md.InverseDynamicsResult, colours: Mapping[str, str]) -> None:
    """Draw links as lines between joints, and what each predecessor exerts on each subsystem."""
    graph = solution.graph
    poses = dict(zip(graph.links, md.frame_poses(graph, solution.q), strict=True))
    space.clear()
    for index, subsystem in enumerate(graph.subsystems):
        for k in subsystem.indices:
            parent = graph.parents[k]
            before = graph.ground if parent is None else graph.bodies[parent]
            owner = next((one.name for one in graph.subsystems if parent in one.indices), subsystem.name)
            _draw_line(space, poses[before.name], poses[graph.bodies[k].name][:3, 3], colours[owner])
        for body in subsystem.bodies:
            pose = poses[body.name]
            _draw_line(space, pose, pose[:3, :3] @ body.com + pose[:3, 3], colours[subsystem.name])
        if subsystem.name in ("left_arm", "right_arm", "head"):
            link, wrench = solution.connection_wrench_in_link(index)
            force = poses[link][:3, :3] @ wrench[:3] * METRES_PER_NEWTON
            space.quiver(*poses[link][:3, 3], *force, color="0.1", lw=1.2, arrow_length_ratio=0.2)
    space.set(xlim=(-0.6, 0.4), ylim=(-0.6, 0.4), zlim=(0.15, 1.3))
    space.set_aspect("equal")
    space.view_init(elev=18.0, azim=-60.0)
    space.set_axis_off()


def _draw_line(space: Axes3D, begin: Array, end: Array, colour: str) -> None:
    """Draw a bar from the origin of a pose to a point."""
    space.plot(*np.transpose([begin[:3, 3], end]), color=colour, lw=5.0, solid_capstyle="round")

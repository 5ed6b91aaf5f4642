"""Pictures of wrenches: at a wrist with a force/torque sensor, on a floating base with a foot, on CHARMIE."""

import re
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

import modular_dynamics as md
from docs.generate._drawing import AXES, FORCE, INK, QUIET, ROBOTS, WIDTH, Array, View, poses_of, save, style
from docs.generate._running import running
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.messages.stamps import stamp_message

PAGE = Path(__file__).resolve().parents[1] / "how_to" / "floating_base.md"
OFFSET = np.array([4.0, -2.5, 6.0])  # [N] of the sensor of the picture, in its frame
MASS = 1.2  # [kg] of what hangs beyond the sensor
POSES = {  # [rad]
    "tool down": (0.0, -0.331, 0.0, 1.745, 0.0, 1.065, 0.0),
    "tool level": (0.0, 0.015, 0.0, 1.847, 0.0, -0.262, 0.0),
}
DASHES = (0, (3, 1.5))
SCALES = {  # parameters of dynamics_node
    "force_scale: 0 (automatic)": {},
    "force_scale: 0.006, moment_scale: 0.05": {"force_scale": 0.006, "moment_scale": 0.05},
}
UPPER = 0.9  # [m] above which the second picture shows the arrows
Colour = tuple[float, float, float]
BENT = {"left_shoulder_abduction": 0.9, "left_elbow_flexion": 0.9, "right_shoulder_flexion": 0.6}


def make(out: Path) -> None:
    """Write the pictures."""
    with style():
        draw_wrist(out / "wrist_wrench.png")
        draw_leg(out / "floating_base.png")
        draw_charmie(out / "charmie_wrenches.png")


def draw_wrist(path: Path) -> None:
    """Draw an arm with a tool beyond a sensor at two poses, and the force that the sensor reports there."""
    graph = md.load_urdf(ROBOTS / "vendor_arm.urdf")
    figure = Figure(figsize=(WIDTH, 5.0), layout="constrained")
    rows = figure.subplots(2, 2, height_ratios=(5, 4), sharey="row")
    for (name, angles), (robot, bars) in zip(POSES.items(), rows.T, strict=True):
        poses = poses_of(graph, np.append(angles, 0.02))
        H = poses["tv7_gripper_base"]
        force = -MASS * H[:3, :3].T @ graph.gravity  # what holds the tool at rest, along the sensor's axes
        view = View(robot, -90.0, 0.0)
        view.sticks(graph, np.append(angles, 0.02))
        flange = view.flat([poses["tv7_link_7"][:3, 3], H[:3, 3]])
        robot.plot(*flange.T, color=QUIET, lw=5)
        tool = view.flat([H[:3, 3], poses["tv7_tool_center_point"][:3, 3]])
        robot.plot(*tool.T, color=INK, lw=9, solid_capstyle="butt", zorder=2)
        view.frame(H, 0.13)
        view.arrow(H[:3, 3], 0.017 * (H[:3, :3] @ force), INK, lw=2.4, linestyle=DASHES)
        view.label(H[:3, 3] + 0.017 * (H[:3, :3] @ force), "what holds the tool", (-10, 0))
        robot.set_title(name, fontweight="bold")
        view.prepare()
        robot.set_xlim(-0.95, 0.35)
        _draw_sensor(bars, force)
    rows[1, 0].set_ylabel("along the sensor's axes [N]")
    handles = [
        Patch(facecolor="0.5", label=f"weight of a tool of {MASS:g} kg"),
        Patch(facecolor="white", edgecolor="0.3", hatch="////", label="offset of the sensor"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)
    save(figure, path)


def _draw_sensor(axis: Axes, force: Array) -> None:
    """Draw the parts of a sensor's force along its axes."""
    places = np.arange(3)
    axis.bar(places - 0.2, force, 0.38, color=AXES)
    axis.bar(places + 0.2, OFFSET, 0.38, color="white", edgecolor=AXES, hatch="////")
    axis.axhline(0.0, color=INK, lw=0.8)
    axis.set_xticks(places, [f"force {name}" for name in "xyz"])
    axis.set_ylim(-14, 14)


def leg() -> md.SubsystemGraph:
    """Return the leg of the page, on a floating base."""
    text = re.search(r"^<!-- out/leg.urdf -->\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    assert text is not None
    return md.load_urdf(text[1], floating_base=True)


def draw_leg(path: Path) -> None:
    """Draw the wrench of the world on a base without and with the foot's force, at rest."""
    graph = leg()
    q = graph.pack({"hip": 0.6, "knee": -1.2}, others=graph.neutral())
    rest, poses = np.zeros(graph.nv), poses_of(graph, q)
    held = md.inverse_dynamics(graph, q, rest, rest)[graph.v_slice("root_joint")]
    H = poses["foot"]
    moved = np.concatenate([held[:3], held[3:] - np.cross(H[:3, 3], held[:3])])
    foot = np.concatenate([H[:3, :3].T @ moved[:3], H[:3, :3].T @ moved[3:]])
    stands = md.inverse_dynamics(graph, q, rest, rest, external_wrenches={"foot": foot})
    figure = Figure(figsize=(WIDTH, 3.8), layout="constrained")
    panels = figure.subplots(1, 2)
    view = _leg_view(panels[0], graph, q, "no wrench at the foot is known")
    view.arrow(poses["trunk"][:3, 3], [0.0, 0.0, 0.004 * held[2]], FORCE)
    view.label([0.0, 0.0, 0.004 * held[2]], f"base_wrench: {held[2]:.1f} N\nand {held[4]:.2f} N m", (12, -4))
    _torques(view, poses, md.inverse_dynamics(graph, q, rest, rest))
    view = _leg_view(panels[1], graph, q, "the foot's wrench is on ~/external_wrench")
    view.arrow(H[:3, 3] - [0, 0, 0.004 * moved[2]], [0.0, 0.0, 0.004 * moved[2]], FORCE)
    view.label(H[:3, 3] - [0, 0, 0.15], f"external_wrench\non foot: {moved[2]:.1f} N", (12, 0))
    view.label(
        poses["trunk"][:3, 3] + [0, 0, 0.2], f"base_wrench: {abs(stands[2]):.1f} N", (0, 0), ha="center"
    )
    _torques(view, poses, stands)
    save(figure, path)


def _leg_view(axis: Axes, graph: md.SubsystemGraph, q: Array, title: str) -> View:
    view = View(axis, -70.0, 10.0)
    view.robot(graph, q)
    axis.set_title(title, fontweight="bold", fontsize=9)
    view.prepare()
    axis.set(xlim=(-0.45, 0.6), ylim=(-0.82, 0.4))
    return view


def _torques(view: View, poses: dict[str, Array], tau: Array) -> None:
    for joint, link, torque in (("hip", "thigh", tau[6]), ("knee", "shank", tau[7])):
        view.label(poses[link][:3, 3], f"{joint}: {round(torque, 1) + 0.0:.1f} N m", (-64, 0), ha="center")


def draw_charmie(path: Path) -> None:
    """Draw the arrows of ~/markers as dynamics_node publishes them: in its own scale, and in a larger one."""
    graph = md.load_urdf(ROBOTS / "charmie.urdf")
    q = graph.pack(BENT, others=graph.neutral())
    figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
    for axis, (title, scales) in zip(figure.subplots(1, 2), SCALES.items(), strict=True):
        view = View(axis, -55.0, 14.0)
        view.robot(graph, q, dict.fromkeys(graph.links, QUIET), share=0.8)
        for start, end, colour in _arrows(graph, q, scales):
            if not scales or start[2] > UPPER:
                view.arrow(start, end - start, colour, head=11.0, lw=2.2)
        axis.set_title(title, fontweight="bold", fontsize=9)
        view.prepare()
        if scales:
            axis.set(xlim=(-0.55, 0.55), ylim=(0.55, 1.65))
    save(figure, path)


def _arrows(
    graph: md.SubsystemGraph, q: Array, scales: dict[str, float]
) -> list[tuple[Array, Array, Colour]]:
    """Return the arrows of a node at rest: start, end [m], colour."""
    with running(DynamicsNode, robot_description_file=str(ROBOTS / "charmie.urdf"), **scales) as both:
        publisher = both.partner.create_publisher(JointState, "joint_states", 10)
        heard = both.listen(MarkerArray, "dynamics_node/markers")
        message = JointState(name=[*graph.joint_names], position=q.tolist(), velocity=[0.0] * graph.nv)

        def sent() -> object:
            message.header.stamp = stamp_message(both.node.now())
            publisher.publish(message)
            return heard

        both.spin_until(sent)
    poses, arrows = poses_of(graph, q), []
    for marker in heard[-1][1].markers:
        if marker.action == marker.ADD:
            H, colour = poses[marker.header.frame_id], marker.color
            start, end = np.array([[p.x, p.y, p.z, 1.0] for p in marker.points]) @ H[:3].T
            arrows.append((start, end, (colour.r, colour.g, colour.b)))
    return arrows

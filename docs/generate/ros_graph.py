"""Pictures of topics and services as running nodes have them: dynamics_node; one process per subsystem."""

import re
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

import modular_dynamics as md
from docs.generate._drawing import FORCE, INK, MOMENT, ROBOTS, TWIST, WIDTH, box, save, style
from docs.generate._running import running
from modular_dynamics.pictures import subsystem_colours
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.subsystem.node import SubsystemNode

BOX = """
version: 1
subsystems: [{name: stem, joints: [turn, bend]}, {name: b, root_link: left_branch, black_box: true}]
"""
# Runs that together have all topics: a floating base with a black box, closed loops, a description as topic.
RUNS: list[dict[str, Any]] = [
    {
        "floating_base": True,
        "robot_description_file": str(ROBOTS / "four_link.urdf"),
        "partition_file": "BOX",
    },
    {"gravity_source": "imu", "robot_description_file": str(ROBOTS / "exoskeleton.urdf")},
    {"publish_robot_description": True, "robot_description_file": str(ROBOTS / "four_link.urdf")},
    {},
]
IN, OUT, ASK = "subscribed", "published", "service"


class Group(NamedTuple):
    """Topics or services that belong together: heading, who is usually at the other end, names."""

    kind: str
    heading: str
    partner: str
    names: tuple[str, ...]


GROUPS = (
    Group(IN, "the robot", "robot_state_publisher", ("robot_description",)),
    Group(IN, "its state", "joint_state_broadcaster", ("joint_states",)),
    Group(IN, "wanted accelerations", "whoever plans the motion", ("reference",)),
    Group(IN, "motion of the base", "state estimator, IMU", ("odometry", "imu")),
    Group(IN, "measured wrenches", "force/torque sensors", ("~/external_wrench", "~/black_box/NAME/wrench")),
    Group(OUT, "torques", "controllers",
          ("~/joint_torques", "~/effort_commands", "~/stamped_effort_commands")),
    Group(OUT, "parts of the torques", "plots, contact detection", ("~/torque_terms", "~/external_torques")),
    Group(OUT, "wrenches", "plots, structural loads, rviz2", (
        "~/connection_wrenches", "~/connections/NAME/wrench", "~/joint_wrenches", "~/base_wrench",
        "~/loop_joints/NAME/wrench", "~/markers",
    )),
    Group(OUT, "motion", "robot_state_publisher, black boxes",
          ("~/completed_joint_states", "~/black_box/NAME/motion")),
    Group(OUT, "the robot, and its condition", "rviz2, monitors",
          ("~/subsystem_graph", "robot_description", "/diagnostics")),
    Group(ASK, "compute", "", ("~/inverse_dynamics", "~/equation_of_motion", "~/trajectory_torques")),
    Group(ASK, "change the robot", "",
          ("~/set_payload", "~/attach_subsystem", "~/detach_subsystem", "~/lock_joints")),
    Group(ASK, "black boxes", "", ("~/tare_black_box", "~/identify_payload")),
)  # fmt: skip
DRAWN = {(group.kind, name) for group in GROUPS for name in group.names}
#: Of rclpy, of every lifecycle node; controller_state is there only where control_msgs is installed.
COMMON = re.compile(
    r"/clock|/rosout|/parameter_events|controller_state|~/(transition_event|change_state|get_\w+|describe_\w+|list_\w+|set_parameters\w*)"
)


def make(out: Path) -> None:
    """Write the pictures.

    Raises:
        ValueError: a node has a topic or service that the picture does not have, or the other way round.
    """
    partition = out / "black_box.yaml"
    partition.write_text(BOX, "utf-8")
    try:
        found = {one for run in RUNS for one in _entities(_with_file(run, partition))}
    finally:
        partition.unlink()
    if found != DRAWN:
        raise ValueError(f"only nodes have {sorted(found - DRAWN)}, only the picture {sorted(DRAWN - found)}")
    with style():
        _draw_node(out / "dynamics_node.png")
        _draw_subsystems(out / "subsystem_nodes.png")


def _with_file(run: dict[str, Any], partition: Path) -> dict[str, Any]:
    return {name: str(partition) if value == "BOX" else value for name, value in run.items()}


def _entities(parameters: dict[str, Any]) -> set[tuple[str, str]]:
    """Return kind and name of what dynamics_node has, names as in docs/reference/interfaces.md."""
    with running(DynamicsNode, **parameters) as both:
        node = both.node
        own = [(OUT, one.topic_name) for one in node.publishers]
        own += [(IN, one.topic_name) for one in node.subscriptions]
        own += [(ASK, node.resolve_service_name(one.srv_name)) for one in node.services]
    return {(kind, short_name(name)) for kind, name in own if not COMMON.fullmatch(short_name(name))}


def short_name(name: str) -> str:
    """Return a name below the node's as ~/..., of one part of the robot as NAME."""
    if name in ("/diagnostics", "/clock", "/rosout", "/parameter_events"):
        return name
    own = name.replace("/dynamics_node/", "~/")
    own = own if own.startswith("~/") else own.removeprefix("/")
    return re.sub(r"^~/(black_box|connections|loop_joints)/[^/]+/", r"~/\1/NAME/", own)


# The pictures: coordinates are inches.
LINE, HEAD, GAP = 0.165, 0.42, 0.13  # height of a name, of heading and partner, between boxes
LEFT, NODE, RIGHT = (0.0, 2.15), (2.75, 3.85), (4.45, WIDTH)  # columns
EDGE = 0.03
COLOURS = {IN: MOMENT, OUT: FORCE, ASK: TWIST}


def _draw_node(path: Path) -> None:
    """Draw dynamics_node between its topics, services below."""
    heights = {kind: [HEAD + LINE * len(g.names) for g in GROUPS if g.kind == kind] for kind in COLOURS}
    height = max(sum(of) + GAP * (len(of) - 1) for kind, of in heights.items() if kind != ASK)
    below = max(heights[ASK]) + 0.2
    figure = Figure(figsize=(WIDTH + 2.0 * EDGE, height + below + 2.0 * EDGE))
    axis = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axis.set(xlim=(-EDGE, WIDTH + EDGE), ylim=(-below - EDGE, height + EDGE))
    axis.axis("off")
    middle = 0.5 * (NODE[0] + NODE[1]), 0.5 * height
    box(
        axis,
        middle,
        (NODE[1] - NODE[0], height),
        "dynamics_node",
        INK,
        fontweight="bold",
        rotation=90,
        fontsize=12,
    )
    for kind, (x0, x1) in ((IN, LEFT), (OUT, RIGHT)):
        own = [group for group in GROUPS if group.kind == kind]
        space = (height - sum(heights[kind])) / max(len(own) - 1, 1)
        top = height
        for group, size in zip(own, heights[kind], strict=True):
            _draw_group(axis, group, (x0, x1), top, size)
            y = top - 0.5 * size
            ends = ((x1, y), (NODE[0], y)) if kind == IN else ((NODE[1], y), (x0, y))
            _connect(axis, *ends, COLOURS[kind])
            top -= size + space
    own = [group for group in GROUPS if group.kind == ASK]
    share = (WIDTH + GAP) / len(own)
    for index, group in enumerate(own):
        x0, size = index * share, HEAD + LINE * len(group.names) - LINE
        _draw_group(axis, group, (x0, x0 + share - GAP), -0.35, size)
        x = min(max(x0 + 0.5 * (share - GAP), NODE[0] + 0.2), NODE[1] - 0.2)
        _connect(axis, (x0 + 0.5 * (share - GAP), -0.35), (x, 0.0), COLOURS[ASK], "<|-|>")
    save(figure, path)


def _draw_group(axis: Axes, group: Group, columns: tuple[float, float], top: float, size: float) -> None:
    x0, x1 = columns
    colour = COLOURS[group.kind]
    box(axis, (0.5 * (x0 + x1), top - 0.5 * size), (x1 - x0, size), "", colour)
    heading = f"services: {group.heading}" if group.kind == ASK else group.heading
    axis.text(x0 + 0.08, top - 0.06, heading, va="top", fontweight="bold", color=colour)
    if group.partner:
        axis.text(x0 + 0.08, top - 0.22, group.partner, va="top", fontsize=8.5, style="italic", color="0.35")
    for index, name in enumerate(reversed(group.names)):
        y = top - size + 0.1 + LINE * index
        axis.text(x0 + 0.08, y, name, va="center", family="monospace", fontsize=8.5, color=INK)


def _connect(axis: Axes, start: Any, end: Any, colour: str, heads: str = "-|>") -> None:
    arrow = FancyArrowPatch(
        start, end, arrowstyle=heads, mutation_scale=11, color=colour, lw=1.4, shrinkA=1, shrinkB=1
    )
    axis.add_patch(arrow)


def _draw_subsystems(path: Path) -> None:
    """Draw one process per subsystem of CHARMIE, with what their nodes say to each other.

    Raises:
        ValueError: a node does not have the topics that the edges of the graph need.
    """
    graph = md.load_urdf(ROBOTS / "charmie.urdf")
    colours, names = subsystem_colours(graph), [one.name for one in graph.subsystems]
    edges = [(names[one.predecessor], one.name) for one in graph.subsystems if one.predecessor is not None]
    topics = [(f"/{before}/motion_out/{after}", f"/{after}/wrench_out") for before, after in edges]
    file = str(ROBOTS / "charmie.urdf")
    with running(SubsystemNode, "torso", robot_description_file=file, subsystem="torso") as both:
        own = {one.topic_name for one in (*both.node.publishers, *both.node.subscriptions)}
    if missing := {name for pair in topics for name in pair} - own:
        raise ValueError(f"the torso's node has no {sorted(missing)}")
    figure = Figure(figsize=(WIDTH, 2.9))
    axis = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axis.set(xlim=(0.0, WIDTH), ylim=(0.0, 2.9))
    axis.axis("off")
    arms = ("left_arm", "right_arm", "head")
    places = {"base": (0.65, 1.6), "torso": (3.35, 1.6)} | {
        n: (6.6, 2.55 - 0.95 * k) for k, n in enumerate(arms)
    }
    for name, place in places.items():
        height = 2.4 if name == "torso" else 0.5  # so that all edges are level
        box(axis, place, (1.2, height), f"{name}\nsubsystem_node", colours[name])
    for (before, after), (motion, wrench) in zip(edges, topics, strict=True):
        x0, x1, y = places[before][0] + 0.6, places[after][0] - 0.6, places[after][1]
        _connect(axis, (x0, y + 0.08), (x1, y + 0.08), TWIST)
        _connect(axis, (x1, y - 0.08), (x0, y - 0.08), FORCE)
        label = {"ha": "center", "family": "monospace", "fontsize": 8}
        axis.text(0.5 * (x0 + x1), y + 0.13, motion[1:], va="bottom", color=TWIST, **label)
        axis.text(0.5 * (x0 + x1), y - 0.14, wrench[1:], va="top", color=FORCE, **label)
    note = "all nodes: joint_states in, torques of their own joints out (NAME/joint_torques)"
    axis.text(0.05, 0.12, note, color="0.35")
    save(figure, path)

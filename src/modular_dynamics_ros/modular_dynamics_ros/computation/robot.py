"""A robot for the nodes: its graph, which joints are measured and which have torques, and joint data."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics.model import (
    Limits,
    joint_state_obstacle,
    root_floating_joints,
    summaries_by_kind,
    without_torques,
)
from modular_dynamics.urdf import DescriptionHeader, description_header
from modular_dynamics_ros.computation.floating_base import FloatingBase, floating_base_of
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import NoJointsError, RobotError, SettingError

#: Speed [rad/s or m/s] below which dry friction rises linearly: a sign function would chatter at rest.
FRICTION_SPEED = 1e-3
CONNECTION_POINT = "the connection point"  # `source` of the base of a subsystem alone


@dataclass(frozen=True, eq=False)
class Robot:
    """One robot; constant.

    The torques of joints inside black boxes are unknown. The state of such a joint is needed only if a joint
    outside moves with it: one further out on the robot, or one that mimics it. With closed loops the state is
    that of the independent joints; passive joints and joints of gears follow.

    Attributes:
        state_names: (n,) joints whose state is needed, in graph order; indices: in the graph's velocities.
        joint_names: (m,) joints whose torques can be known, all outside black boxes; published: their indices
        in state_names.
        effort_limits: (n,) [N m or N], infinite where the URDF gives none or, as vendors do, zero.
        damping, dry_friction: (n,) friction coefficients of the joints in state_names; with closed loops of
        all velocities of all joints (nv,).
        closed: whether it has loop joints, passive joints, gears or springs.
        passive_names: the joints with one coordinate that loops and gears move.
        base: the floating joint at the root; None: the root is fixed.
        frame_prefix: begins the names of the links in TF.
        locked: positions of locked joints, which the graph does not have [rad or m].
        about: one line on the robot for the log.
    """

    graph: md.SubsystemGraph
    state_names: tuple[str, ...]
    indices: NDArray[np.intp]
    joint_names: tuple[str, ...]
    published: NDArray[np.intp]
    effort_limits: Array
    damping: Array
    dry_friction: Array
    closed: bool = False
    passive_names: tuple[str, ...] = ()
    base: FloatingBase | None = None
    frame_prefix: str = ""
    locked: Mapping[str, float] = field(default_factory=dict)
    about: str = ""

    @cached_property
    def all_known(self) -> bool:
        """Whether states and torques of all the graph's joints, and of no others, are known."""
        names = self.graph.joint_names
        return names == self.state_names == self.joint_names and len(names) == self.graph.nv

    @property
    def commanded(self) -> dict[str, int]:
        """Index in `state_names` of each joint outside black boxes, whose effort is commanded."""
        return dict(zip(self.joint_names, self.published.tolist(), strict=True))

    def position_unit(self, joint: str) -> str:
        """Return the unit, rad or m, of a joint with one coordinate."""
        return "m" if self.graph.joint(joint).type == "prismatic" else "rad"

    def frame(self, link: str) -> str:
        """Return the name of a link in TF."""
        return self.frame_prefix + link

    def link(self, frame: str) -> str:
        """Return the link of a frame, with or without prefix, or the frame's name if it is not a link."""
        return frame.removeprefix(self.frame_prefix)

    @property
    def black_boxes(self) -> tuple[str, ...]:
        """Names of the subsystems whose wrench comes from outside."""
        return tuple(subsystem.name for subsystem in self.graph.subsystems if subsystem.black_box)

    @property
    def mounting(self) -> str:
        """Return one line on how the root is held or moved; empty of a part, which another part carries."""
        if self.base is None:
            return (
                f"the root link '{self.graph.ground.name}' is taken as fixed in the world; set "
                "floating_base:=true of dynamics_node to take its motion from odometry"
            )
        if self.base.source == CONNECTION_POINT:
            return ""
        if self.base.source == "imu":
            return f"the root link '{self.base.link}' is taken as fixed, and turned as topic imu says"
        return f"the base '{self.base.link}' floats, and moves as topic odometry says"

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the library's warnings about the description, one line of each kind."""
        return tuple(summaries_by_kind(self.graph.warnings))


def xacro_mappings(arguments: Sequence[str]) -> dict[str, str] | None:
    """Return arguments of a xacro file by name, from texts such as "prefix:=left_"; None if there are none.

    Raises:
        SettingError: a text that is no such argument.
    """
    mappings: dict[str, str] = {}
    for argument in arguments:
        name, assigned, value = argument.partition(":=")
        if not (name.strip() and assigned):
            raise SettingError(f"xacro_arguments has '{argument}'; name:=value is needed")
        mappings[name.strip()] = value
    return mappings or None


def load_robot(
    description: str | Path,
    partition_file: str = "",
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81),
    xacro_arguments: Sequence[str] = (),
    base_source: str = "",
    *,
    frame_prefix: str = "",
    strict: bool = False,
) -> Robot:
    """Return the robot of a URDF's path or text: see `read_graph` and `robot_of`."""
    graph = read_graph(description, partition_file, gravity, xacro_arguments, base_source, strict=strict)
    return robot_of(graph, base_source, frame_prefix)


def read_graph(
    description: str | Path,
    partition_file: str = "",
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81),
    xacro_arguments: Sequence[str] = (),
    base_source: str = "",
    *,
    strict: bool = False,
) -> md.SubsystemGraph:
    """Read a graph from a URDF's path or text.

    Args:
        xacro_arguments: of a xacro file, each name:=value.
        base_source: topic with the motion of its root link, odometry or imu; empty: the root is fixed. With
            odometry the URDF may already have a floating joint at the root.
        strict: whether inertias that no body can have are an error; else they are in the robot's `warnings`.

    Raises:
        RobotError: the library refuses the description. SettingError: it refuses the partition file.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", md.ModelWarning)  # nodes log graph.warnings
            partition, mappings = partition_file or None, xacro_mappings(xacro_arguments)
            options: dict[str, Any] = {"gravity": gravity, "strict": strict, "mappings": mappings}
            load = partial(md.load_urdf, description, partition, **options)
            graph = load()
            return load(floating_base=True) if base_source and not root_floating_joints(graph) else graph
    except (md.ModularDynamicsError, OSError) as error:
        # an error in a tag has a line number, one in a partition file has another place or none
        of_file = partition_file and isinstance(error, md.PartitionError) and not isinstance(error.line, int)
        raise SettingError(f"partition_file: {error}") if of_file else RobotError(str(error)) from error


def robot_of(graph: md.SubsystemGraph, base_source: str = "", frame_prefix: str = "") -> Robot:
    """Return the robot of a graph that `read_graph` has read, of a changed one, or of a subsystem alone.

    Args:
        base_source: what the state of the floating joint at the root comes from; empty: the root is fixed.

    Raises:
        RobotError: joint_states cannot carry the state of a joint. NoJointsError: no joint's torque can be
            computed.
    """
    # with an imu only an added floating joint is the base; the URDF's own one is refused
    moved = base_source in ("odometry", CONNECTION_POINT) or (base_source and graph.floating_base)
    bases = root_floating_joints(graph) if moved else ()
    if obstacle := joint_state_obstacle(graph, bases):
        raise RobotError(obstacle)
    if reason := without_torques(graph, bases):
        raise NoJointsError(reason)
    inside = {joint.name for one in graph.subsystems if one.black_box for joint in one.joints}
    names = tuple(name for name in graph.independent_joint_names if name not in inside.union(bases))
    closed = graph.has_loops
    needed = set(names) if closed else {*names, *_moving_with(graph, inside)}
    states = tuple(name for name in graph.joint_names if name in needed.difference(bases))
    outside = [joint for joint in graph.joints if joint.name not in inside]
    damping, dry = md.friction_coefficients(outside, graph.joint_names)
    if closed or bases:  # of each velocity of a joint
        velocities = [graph.joint(name).type.nv for name in graph.joint_names]
        damping, dry = np.repeat(damping, velocities), np.repeat(dry, velocities)
    indices = np.array([graph.v_slice(name).start for name in states], dtype=np.intp)
    place, independent = {name: k for k, name in enumerate(states)}, set(graph.independent_joint_names)
    limits = (graph.joint(name).limits.effort for name in states)
    passive = [
        name for name in graph.joint_names if name not in independent and graph.joint(name).type.nv == 1
    ]
    return Robot(
        graph,
        states,
        indices,
        names,
        published=np.array([place[name] for name in names], dtype=np.intp),
        effort_limits=np.array([limit if limit and limit > 0.0 else np.inf for limit in limits]),
        damping=damping if closed else damping[indices],
        dry_friction=dry if closed else dry[indices],
        closed=closed,
        passive_names=tuple(passive),
        base=floating_base_of(graph, base_source, graph.independent_joint_names, states) if bases else None,
        frame_prefix=frame_prefix,
        about=f"robot '{graph.name}': {len(graph.subsystems)} subsystems, {len(graph.joint_names)} joints",
    )


def header_of(description: str) -> DescriptionHeader:
    """Return name and stamp of a URDF's text. Raises RobotError: no URDF, or an invalid stamp."""
    try:
        return description_header(description)
    except md.ModularDynamicsError as error:
        raise RobotError(str(error)) from error


def _moving_with(graph: md.SubsystemGraph, inside: set[str]) -> set[str]:
    """Return the joints that drive, or carry towards the ground, a joint outside black boxes."""
    driving: set[str] = set()
    passed: set[int] = set()  # joints whose way to the ground was followed
    for k, joint in enumerate(graph.joints):
        above: int | None = None if joint.name in inside else k
        while above is not None and above not in passed:
            passed.add(above)
            driving.add(graph.driver(graph.joints[above]))
            above = graph.parents[above]
    return driving


def friction_torques(v: Array, damping: Array, dry: Array) -> Array:
    """Return torques (n,) [N m or N] that overcome friction at velocities v (n,).

    Those of the library with ``friction="urdf"``, but for dry friction at speeds below FRICTION_SPEED.
    """
    return np.asarray(damping * v + dry * np.clip(v / FRICTION_SPEED, -1.0, 1.0))


def position_range(limits: Limits) -> tuple[float, float]:
    """Return lower and upper limit [rad or m], infinite where there are none.

    Both zero, as vendors write for unknown limits, count as none, and so does a lower one above the upper
    one. Unlike in `modular_dynamics.position_limits`, equal ones that are not zero hold the joint there.
    """
    lower = -math.inf if limits.lower is None else limits.lower
    upper = math.inf if limits.upper is None else limits.upper
    if lower > upper or lower == upper == 0.0:
        return -math.inf, math.inf
    return lower, upper

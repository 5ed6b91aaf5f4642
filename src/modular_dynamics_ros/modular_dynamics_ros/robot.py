"""A robot ready to compute: graph, solver, cross-check and the joint data that the node needs."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.bad_message import listed
from modular_dynamics_ros.feedforward import friction_coefficients

__all__ = ["Robot", "RobotError", "load_robot"]


class RobotError(ValueError):
    """A robot description that the node cannot use, in the library's words or by what the node lacks."""


@dataclass(frozen=True)
class Robot:
    """One robot description, compiled and warmed up.

    Joints inside black boxes are unknown to the node: it neither needs their state nor gives their torque.

    Attributes:
        joint_names: the other joints, in graph order; indices: where they stand in the graph's vectors.
        effort_limits: (n,) [N m or N], infinite where the URDF gives none or, as vendors do, zero.
        damping, dry_friction: (n,) friction coefficients of these joints.
        check: the same robot in Pinocchio; None where Pinocchio cannot treat it, and `no_check` says why.
    """

    graph: md.SubsystemGraph
    solver: md.InverseDynamics
    check: Any
    no_check: str
    joint_names: tuple[str, ...]
    indices: np.ndarray
    effort_limits: np.ndarray
    damping: np.ndarray
    dry_friction: np.ndarray

    @property
    def black_boxes(self) -> tuple[str, ...]:
        """Names of the subsystems whose wrench comes from outside."""
        return tuple(subsystem.name for subsystem in self.graph.subsystems if subsystem.black_box)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the library wants a person to know about the description."""
        return (*self.graph.warnings, *self.graph.notes)


def load_robot(
    description: str | Path, partition_file: str = "", gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
) -> Robot:
    """Build a robot from a URDF's path or text, and run everything once: the first answer must not be slow.

    Raises:
        RobotError: the library refuses the description, or it has joints whose state joint_states cannot
        carry.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", md.ModelWarning
            )  # they are in graph.warnings, which the node logs
            graph = md.load_urdf(description, partition_file or None, gravity=gravity)
            solver = md.InverseDynamics(graph)
    except (md.ModularDynamicsError, OSError) as error:
        raise RobotError(str(error)) from error
    if floating := [joint.name for joint in graph.joints if joint.type == "floating"]:
        raise RobotError(
            f"joint {listed(floating)} is floating: joint_states cannot carry its state, so dynamics_node "
            "needs a robot with a fixed base"
        )
    inside = {
        joint.name for subsystem in graph.subsystems if subsystem.black_box for joint in subsystem.joints
    }
    names = tuple(name for name in graph.joint_names if name not in inside)
    damping, dry = friction_coefficients(
        [joint for joint in graph.joints if joint.name not in inside], graph.joint_names
    )
    indices = np.array([graph.v_slice(name).start for name in names], dtype=np.intp)
    check, no_check = _cross_check(graph)
    robot = Robot(
        graph,
        solver,
        check,
        no_check,
        names,
        indices,
        _effort_limits(graph, names),
        damping[indices],
        dry[indices],
    )
    _warm_up(robot)
    return robot


def _effort_limits(graph: md.SubsystemGraph, names: tuple[str, ...]) -> np.ndarray:
    limits = (graph.joint(name).limits.effort for name in names)
    return np.array([limit if limit and limit > 0.0 else np.inf for limit in limits])


def _cross_check(graph: md.SubsystemGraph) -> tuple[Any, str]:
    try:
        return md.crosscheck.CrossCheck(graph), ""
    except ImportError as error:  # Pinocchio is imported with md.crosscheck; the node lives without it
        return None, f"Pinocchio cannot be imported ({error})"
    except md.ModularDynamicsError as error:
        return None, str(error)


def _warm_up(robot: Robot) -> None:
    graph, rest = robot.graph, np.zeros(robot.graph.nv)
    no_wrenches = {name: np.zeros(6) for name in robot.black_boxes}
    robot.solver.warm_up()
    tau = robot.solver(graph.neutral(), rest, rest, None, no_wrenches)
    if robot.check is not None:
        robot.check(graph.neutral(), rest, rest, tau, None, no_wrenches)

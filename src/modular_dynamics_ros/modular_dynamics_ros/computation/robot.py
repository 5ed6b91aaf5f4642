"""A robot ready to compute: graph, solver, cross-check and the joint data that the node needs."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import modular_dynamics as md
from modular_dynamics.exceptions import SingularityError
from modular_dynamics_ros.computation.closed_solver import ClosedSolver
from modular_dynamics_ros.computation.feedforward import friction_coefficients
from modular_dynamics_ros.computation.open_solver import OpenSolver
from modular_dynamics_ros.computation.robot_error import RobotError
from modular_dynamics_ros.messages.bad_message import listed

__all__ = ["Robot", "RobotError", "load_robot"]


@dataclass(frozen=True)
class Robot:
    """One robot description, compiled and warmed up.

    Nobody knows the torques of joints inside black boxes. The state of such a joint is needed only where a
    joint outside moves with it: one further out on the robot, or one that mimics it.

    With closed loops the state is that of the independent joints; the loops, gears and passive joints follow.

    Attributes:
        state_names: (n,) joints whose state is needed, in graph order; indices: where they stand in the
        graph's vectors.
        joint_names: (m,) joints whose torques can be known: all outside black boxes; published: where they
        stand among state_names.
        effort_limits: (n,) [N m or N], infinite where the URDF gives none or, as vendors do, zero.
        damping, dry_friction: (n,) friction coefficients of the joints in state_names; with closed loops of
        all joints.
        closed: whether it has loop joints, passive joints, gears or springs: the solver is a `ClosedSolver`.
        passive_names: the joints that the loops and gears move.
        check: the same robot, or its open tree, in Pinocchio; None where Pinocchio cannot treat it, and
        `no_check` says why.
    """

    graph: md.SubsystemGraph
    solver: Any  # an OpenSolver or a ClosedSolver
    check: Any
    no_check: str
    state_names: tuple[str, ...]
    indices: np.ndarray
    joint_names: tuple[str, ...]
    published: np.ndarray
    effort_limits: np.ndarray
    damping: np.ndarray
    dry_friction: np.ndarray
    closed: bool = False
    passive_names: tuple[str, ...] = ()

    @property
    def black_boxes(self) -> tuple[str, ...]:
        """Names of the subsystems whose wrench comes from outside."""
        return tuple(subsystem.name for subsystem in self.graph.subsystems if subsystem.black_box)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the library wants a person to know about the description."""
        return (*self.graph.warnings, *self.graph.notes)


def load_robot(
    description: str | Path,
    partition_file: str = "",
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81),
    *,
    with_check: bool = True,
) -> Robot:
    """Build a robot from a URDF's path or text, and run everything once: the first answer must not be slow.

    Args:
        with_check: whether it is built in Pinocchio, too, which takes time.

    Raises:
        RobotError: the library refuses the description, or it has joints whose state joint_states cannot
        carry, or none whose torque could be told.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", md.ModelWarning
            )  # they are in graph.warnings, which the node logs
            graph = md.load_urdf(description, partition_file or None, gravity=gravity)
            closed = _is_closed(graph)
            solver = ClosedSolver(graph) if closed else OpenSolver(graph)
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
    names = tuple(name for name in graph.independent_joint_names if name not in inside)
    if not names:
        raise RobotError(f"'{graph.name}' has no moving joint outside black boxes: no torque can be told")
    needed = set(names) if closed else {*names, *_moving_with(graph, inside)}
    states = tuple(name for name in graph.joint_names if name in needed)
    damping, dry = friction_coefficients(
        [joint for joint in graph.joints if joint.name not in inside], graph.joint_names
    )
    indices = np.array([graph.v_slice(name).start for name in states], dtype=np.intp)
    if closed:
        _close_once(solver)
    else:
        _warm_up(graph, solver)
    check, no_check = _cross_check(graph.tree if closed else graph) if with_check else (None, "not asked for")
    return Robot(
        graph,
        solver,
        check,
        no_check,
        states,
        indices,
        names,
        np.array([states.index(name) for name in names], dtype=np.intp),
        _effort_limits(graph, states),
        damping if closed else damping[indices],
        dry if closed else dry[indices],
        closed,
        tuple(name for name in graph.joint_names if name not in graph.independent_joint_names),
    )


def _is_closed(graph: md.SubsystemGraph) -> bool:
    return any((graph.loop_joints, graph.passive_joints, graph.gears, graph.springs))


def _close_once(solver: ClosedSolver) -> None:
    """Warm up. Raises RobotError: there is no configuration in which the loops close."""
    try:
        solver.warm_up()
    except SingularityError:
        pass  # only the first configuration is a dead point
    except md.ModularDynamicsError as error:
        raise RobotError(str(error)) from error


def _moving_with(graph: md.SubsystemGraph, inside: set[str]) -> set[str]:
    """Joints that drive a joint outside black boxes, or one that carries it on its way to the ground."""
    found = set()
    for k, joint in enumerate(graph.joints):
        above: int | None = None if joint.name in inside else k
        while above is not None:
            found.add(graph.driver(graph.joints[above]))
            above = graph.parents[above]
    return found


def _effort_limits(graph: md.SubsystemGraph, names: tuple[str, ...]) -> np.ndarray:
    limits = (graph.joint(name).limits.effort for name in names)
    return np.array([limit if limit and limit > 0.0 else np.inf for limit in limits])


def _cross_check(graph: md.SubsystemGraph) -> tuple[Any, str]:
    rest = np.zeros(graph.nv)
    try:
        check = md.crosscheck.CrossCheck(graph)
        check(graph.neutral(), rest, rest, rest, None, _no_wrenches(graph))
    except ImportError as error:  # Pinocchio is imported with md.crosscheck; the node lives without it
        return None, f"Pinocchio cannot be imported ({error})"
    except md.ModularDynamicsError as error:
        return None, str(error)
    except Exception as error:  # whatever fails in a check must not stop what it checks
        return None, f"{type(error).__name__}: {error}"
    return check, ""


def _no_wrenches(graph: md.SubsystemGraph) -> dict[str, np.ndarray]:
    return {subsystem.name: np.zeros(6) for subsystem in graph.subsystems if subsystem.black_box}


def _warm_up(graph: md.SubsystemGraph, solver: OpenSolver) -> None:
    rest = np.zeros(graph.nv)
    solver(graph.neutral(), rest, rest, None, _no_wrenches(graph))

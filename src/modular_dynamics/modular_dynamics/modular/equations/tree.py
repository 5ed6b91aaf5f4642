"""What the equations of Meister & Gutenkunst need of a robot, from its SubsystemGraph."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...algebra import to_rotation_translation
from ...exceptions import StateError, UnsupportedModelError
from ...model import JointType, SubsystemGraph, refuse_closures, require_graph
from ...model.number_arrays import number_array
from .forms import adjoint, generalized_mass, homogeneous, inverse

__all__ = ["HasGraph", "TreeData", "body_wrenches", "graph_of", "tree_data"]

Vector = NDArray[np.float64]
_SUPPORTED = JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC


class HasGraph(Protocol):
    """An object such as an assembly of modules, which gives its graph."""

    def graph(self) -> SubsystemGraph:
        """Return the robot as a SubsystemGraph."""


class TreeData(NamedTuple):
    """A tree of n joints; joint i moves body i, and bodies stand behind those that carry them.

    Attributes:
        bodies, joints: their names. parents: the body that carries each joint; None: the base.
        columns: (n,) where each joint stands in q, v and tau, which are in joint_names' order.
        H0: (n, 4, 4) H_i(0), body i's frame in its parent's at q_i = 0 (eq. 18).
        S: (n, 6) unit twists s_i = (v, w) in body i's frame (eqs. 11, 12).
        M: (n, 6, 6) generalized masses in the bodies' frames: diag(m 1, I) (eq. 29 with its blocks in the
            order of (v, w)) where the centre of mass is the origin; [[m 1, -m c^], [m c^, I - m c^ c^]] with
            the centre of mass at c and I about it.
        mass: (n,) [kg]. com: (n, 3) centres of mass in the bodies' frames [m]. inertia: (n, 3, 3) about them.
        Vdot0: (6,) (0 0 g 0 0 0), the base's acceleration against gravity (eq. 23), in the base's frame.
        armature, stiffness, rest_position, damping, friction: (n,) of the joints' drives and springs.
        joint_names: of q, v and tau. links: body (None: the base) and pose of every link.
    """

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    parents: tuple[int | None, ...]
    columns: NDArray[np.intp]
    H0: Vector
    S: Vector
    M: Vector
    mass: Vector
    com: Vector
    inertia: Vector
    Vdot0: Vector
    armature: Vector
    stiffness: Vector
    rest_position: Vector
    damping: Vector
    friction: Vector
    joint_names: tuple[str, ...]
    links: Mapping[str, tuple[int | None, Vector]]


def graph_of(robot: SubsystemGraph | HasGraph) -> SubsystemGraph:
    """Return the graph itself, or that of an object with a method ``graph()``. Raises GraphTypeError."""
    given: Any = robot
    has_graph = not isinstance(given, (SubsystemGraph, type)) and callable(getattr(given, "graph", None))
    graph = given.graph() if has_graph else given
    require_graph(graph)
    checked: SubsystemGraph = graph
    return checked


def tree_data(robot: SubsystemGraph | HasGraph) -> TreeData:
    """Return masses, unit twists and poses of a robot, which is an open tree.

    A virtual joint is a prismatic or revolute joint like the others; its body may have no mass.

    Raises:
        UnsupportedModelError: closed loops (pass ``graph.tree`` to leave them open), black boxes, mimic
            joints, joints that are neither revolute, continuous nor prismatic; each by its name.
        GraphTypeError: neither a graph nor an object with one.
    """
    graph = graph_of(robot)
    _refuse_unsupported(graph)
    n = len(graph.joints)
    H0, S, M = np.zeros((n, 4, 4)), np.zeros((n, 6)), np.zeros((n, 6, 6))
    for k, (joint, body) in enumerate(zip(graph.joints, graph.bodies, strict=True)):
        H0[k] = homogeneous(*to_rotation_translation(joint.x_parent_joint))
        part = slice(0, 3) if joint.type is JointType.PRISMATIC else slice(3, 6)
        S[k, part] = joint.axis / np.linalg.norm(joint.axis)
        M[k] = generalized_mass(body.mass, body.com, body.inertia)
    return TreeData(
        tuple(body.name for body in graph.bodies),
        tuple(joint.name for joint in graph.joints),
        graph.parents,
        np.array([graph.v_slice(joint.name).start for joint in graph.joints], np.intp),
        H0,
        S,
        M,
        np.array([body.mass for body in graph.bodies], np.float64),
        np.array([body.com for body in graph.bodies], np.float64).reshape(-1, 3),
        np.array([body.inertia for body in graph.bodies], np.float64).reshape(-1, 3, 3),
        np.concatenate([-graph.gravity, np.zeros(3)]),
        np.array([joint.armature for joint in graph.joints], np.float64),
        np.array([joint.stiffness for joint in graph.joints], np.float64),
        np.array([joint.rest_position for joint in graph.joints], np.float64),
        np.array([joint.damping for joint in graph.joints], np.float64),
        np.array([joint.friction for joint in graph.joints], np.float64),
        graph.joint_names,
        {link: _placed(graph, link) for link in graph.links},
    )


def body_wrenches(tree: TreeData, wrenches: Mapping[str, ArrayLike] | None) -> Vector:
    """Return F^e (n, 6): sums of wrenches on links, in body frames by F_a = Ad_{H_ba}^T F_b (eq. 17).

    Args:
        wrenches: (force, moment) [N, N m] that act on links, in the link's frame, by the link's name.

    Raises:
        StateError: no mapping, an unknown link, or not six finite numbers.
    """
    F = np.zeros((len(tree.bodies), 6))
    given: Any = {} if wrenches is None else wrenches
    if not isinstance(given, Mapping):
        raise StateError(f"wrenches is {given!r:.80}; a mapping of links to (force, moment) is needed")
    for link, wrench in given.items():
        if link not in tree.links:
            raise StateError(f"no link '{link}' for a wrench; the links: {', '.join(tree.links)}")
        values = number_array(f"the wrench on link '{link}'", wrench)
        if values.shape != (6,) or not np.isfinite(values).all():
            raise StateError(
                f"the wrench on link '{link}' is {wrench!r:.80}; (force, moment), six finite numbers, "
                "is needed"
            )
        body, H_body_link = tree.links[link]
        if body is not None:
            F[body] += adjoint(inverse(H_body_link)).T @ values
    return F


def _placed(graph: SubsystemGraph, link: str) -> tuple[int | None, Vector]:
    body, x_body_link = graph.link_pose(link)
    return body, homogeneous(*to_rotation_translation(x_body_link))


def _refuse_unsupported(graph: SubsystemGraph) -> None:
    refuse_closures(graph, "the closed form")
    if boxes := [subsystem.name for subsystem in graph.subsystems if subsystem.black_box]:
        raise UnsupportedModelError(
            f"'{graph.name}' has the black boxes {', '.join(boxes)}, whose masses are unknown; the closed "
            "form needs those of all bodies"
        )
    for joint in graph.joints:
        if joint.mimic is not None:
            raise UnsupportedModelError(
                f"joint '{joint.name}' mimics '{joint.mimic.joint}'; the closed form supports joints with a "
                "coordinate of their own"
            )
        if joint.type not in _SUPPORTED:
            raise UnsupportedModelError(
                f"joint '{joint.name}' is {joint.type.value}; the closed form supports revolute, continuous "
                "and prismatic joints: virtual ones of these types, on links without mass, move a base"
            )

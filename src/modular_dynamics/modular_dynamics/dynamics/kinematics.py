"""Poses, velocities and accelerations of a robot's links, and their Jacobians.

Of many states all have one axis more in front. Closed loops are ignored: q, v and a are those of all joints
of the tree, passive ones included.
"""

from collections.abc import Iterable, Sequence

from numpy.typing import ArrayLike

from ..algebra import DualQuaternion, from_rotation_translation
from ..exceptions import StateError
from ..model import SubsystemGraph, checked_vectors, require_graph
from .arguments import Array
from .core_robot import AT_ROOT, OWN_AXES, SPATIAL, core_frames
from .quantity import Quantity, evaluate


def _no_shape(graph: SubsystemGraph) -> tuple[int, ...]:
    """Return no shape: it depends on the links, and each call gives it to `evaluate`."""
    return ()


_POSES = Quantity("frame_poses", ("q",), _no_shape, "poses")
_VELOCITIES = Quantity("frame_velocities", ("q", "v"), _no_shape, "velocities")
_ACCELERATIONS = Quantity("frame_accelerations", ("q", "v", "a"), _no_shape, "accelerations")
_DRIFT = Quantity("frame_accelerations", ("q", "v", "a"), _no_shape, "accelerations", at_rest=("a",))
_MOTIONS = Quantity("frame_motions", ("q", "v", "a"), _no_shape, "motions")
_JACOBIAN = Quantity("jacobian", ("q",), lambda graph: (6, graph.nv), "elements of the Jacobian")

_AXES = {"root": 0, "link": OWN_AXES}
_POINTS = {"link": 0, "root": AT_ROOT}
_KINDS = {"classical": 0, "spatial": SPATIAL}


def _choice(what: str, value: object, choices: dict[str, int]) -> int:
    """Return the core's number of a choice. Raises StateError: not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise StateError(f"{what} is {value!r}; {' or '.join(map(repr, choices))} is needed")
    return choices[value]


def _link_names(graph: SubsystemGraph, links: object) -> tuple[str, ...]:
    """Return names of links as a tuple; None: all links. Raises StateError: not a sequence of names."""
    require_graph(graph)
    if links is None:
        return graph.links
    names = tuple(links) if isinstance(links, Iterable) and not isinstance(links, str) else (links,)
    if isinstance(links, str) or not all(isinstance(name, str) for name in names):
        raise StateError(f"links is {links!r}; a sequence of link names is needed")
    return names


def frame_pose(graph: SubsystemGraph, q: ArrayLike, link: str) -> DualQuaternion:
    """Return x_root_link: the pose of one link at positions q (nq,), in the root link's frame. [m]

    The product of the poses along the way, x_root_joint x_joint_body ... x_body_link (Silva & Adorno,
    section II). Of its two signs the one whose rotation has w >= 0.

    Raises:
        StateError: a link that the graph does not have, a wrong shape, a number that is not finite.
    """
    require_graph(graph)
    (q,) = checked_vectors(graph, q=q)
    matrix = frame_poses(graph, q, (link,))[0]
    return from_rotation_translation(matrix[:3, :3], matrix[:3, 3])


def frame_poses(
    graph: SubsystemGraph,
    q: ArrayLike,
    links: Sequence[str] | None = None,
    *,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return homogeneous matrices [[R, p], [0, 1]] (links, 4, 4): p_root = R p_link + p. [m]

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m].
        links: their names, fixed ones and those on the ground included; by default all of ``graph.links``,
            in that order.
        threads, out: as of ``inverse_dynamics``; ``out`` shares no memory with q.

    Raises:
        StateError: a link that the graph does not have, a wrong shape, a number that is not finite; of many
            states with the row.
    """
    names = _link_names(graph, links)
    frames, shape = graph.once(core_frames, names), (len(names), 4, 4)
    return evaluate(graph, _POSES, (q,), out, threads, before=(frames,), shape=shape)


def frame_velocity(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, link: str, axes: str = "root", point: str = "link"
) -> Array:
    """Return [pdot; omega] (6,) of one link: see :func:`frame_velocities`."""
    velocity: Array = frame_velocities(graph, q, v, (link,), axes, point)[..., 0, :]
    return velocity


def frame_velocities(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    links: Sequence[str] | None = None,
    axes: str = "root",
    point: str = "link",
    *,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return velocities [pdot; omega] (links, 6) of links, relative to the root link: J v.

    Linear velocity of a point of the link [m/s], then its angular velocity [rad/s] (Featherstone, Rigid Body
    Dynamics Algorithms, chapter 2). Of a link on the ground they are zero.

    Args:
        q: positions (nq,). v: velocities (nv,).
        links: their names; by default all of ``graph.links``.
        axes: "root" or "link", whose axes the vectors are in. As of ``jacobian``.
        point: the point of the link whose velocity is meant: "link", its origin; or "root", the point that
            coincides with the root's origin at this instant. With axes and point both "root" the result is
            the spatial velocity in the root's frame, with both "link" that in the link's frame.
        threads, out: as of ``frame_poses``.

    Raises:
        StateError: a link that the graph does not have, unknown axes or point, a wrong shape, a number that
            is not finite.
    """
    names = _link_names(graph, links)
    form = _choice("axes", axes, _AXES) + _choice("point", point, _POINTS)
    frames, shape = graph.once(core_frames, names), (len(names), 6)
    return evaluate(graph, _VELOCITIES, (q, v), out, threads, before=(frames, form), shape=shape)


def frame_acceleration(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    link: str,
    axes: str = "root",
    point: str = "link",
    kind: str = "classical",
) -> Array:
    """Return [linear; angular] acceleration (6,) of one link: see :func:`frame_accelerations`."""
    acceleration: Array = frame_accelerations(graph, q, v, a, (link,), axes, point, kind)[..., 0, :]
    return acceleration


def frame_accelerations(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    links: Sequence[str] | None = None,
    axes: str = "root",
    point: str = "link",
    kind: str = "classical",
    *,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return accelerations (links, 6) of links, relative to the root link: linear [m/s^2], angular [rad/s^2].

    Gravity is not part of them: an accelerometer shows R^T (a - g).

    Args:
        q: positions (nq,). v, a: velocities and accelerations (nv,).
        links, axes, point: as of ``frame_velocities``.
        kind: "classical", the acceleration of a point that moves with the link; or "spatial", that less omega
            x pdot, the rate of the velocity at a point that is fixed in space (Featherstone, chapter 2). In
            the link's axes the latter is the derivative of ``frame_velocities``, number by number.
        threads, out: as of ``frame_poses``.

    Raises:
        StateError: as of ``frame_velocities``, or an unknown kind.
    """
    names = _link_names(graph, links)
    form = _choice("axes", axes, _AXES) + _choice("point", point, _POINTS) + _choice("kind", kind, _KINDS)
    frames, shape = graph.once(core_frames, names), (len(names), 6)
    return evaluate(graph, _ACCELERATIONS, (q, v, a), out, threads, before=(frames, form), shape=shape)


def frame_motions(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    links: Sequence[str] | None = None,
    *,
    threads: int | None = None,
) -> Array:
    """Return poses, velocities and accelerations (links, 8, 3) in the root link's axes, in one sweep.

    Rows: the three of the rotation R_root_link, position, angular velocity, linear velocity, angular
    acceleration and linear (classical) acceleration of the link's origin. Arguments and errors as of
    ``frame_accelerations``.
    """
    names = _link_names(graph, links)
    frames, shape = graph.once(core_frames, names), (len(names), 8, 3)
    return evaluate(graph, _MOTIONS, (q, v, a), None, threads, before=(frames,), shape=shape)


def jacobian(
    graph: SubsystemGraph,
    q: ArrayLike,
    link: str,
    axes: str = "root",
    *,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Return J (6, nv) of a link: [pdot; omega] = J v, its velocity relative to the root link.

    pdot is the velocity of the link's origin [m/s], omega its angular velocity [rad/s]; both in the axes of
    the root link (axes = "root", where p is that of ``frame_pose``) or of the link itself ("link"). Of a
    revolute joint with unit axis z through point o the column is [z x (p - o); z], of a prismatic one [z; 0]
    (Featherstone, Rigid Body Dynamics Algorithms, chapter 2); of a floating joint it is the six columns of
    its twist v = (linear, angular) in its body's axes. Columns of joints that do not carry the link are
    zero; a mimic joint's, times its multiplier, is added to its driver's. So J^T maps a force and a moment at
    the link's origin, in the same axes, to the joint torques that they cause.

    Args:
        q: positions (nq,) in the order of ``graph.joint_names`` [rad or m].
        link: any link; of one on the ground J is zero.
        threads, out: as of ``frame_poses``.

    Raises:
        StateError: a link that the graph does not have, unknown axes, a wrong shape, a number that is not
            finite.
    """
    form = _choice("axes", axes, _AXES)
    links = _single_link(graph, link)
    frames = graph.once(core_frames, links)
    return evaluate(graph, _JACOBIAN, (q,), out, threads, before=(frames, form))


def jacobian_drift(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike,
    link: str,
    axes: str = "root",
    *,
    threads: int | None = None,
) -> Array:
    """Return Jdot v (6,) of a link: d/dt (J v) = J a + Jdot v, with J of :func:`.jacobian` in the same axes.

    The acceleration of the link at a = 0: classical in the root link's axes, spatial in its own, which turn.

    Args:
        threads: as of ``frame_poses``.

    Raises:
        StateError: as of ``frame_velocities``.
    """
    form = _choice("axes", axes, {"root": 0, "link": OWN_AXES + SPATIAL})
    links = _single_link(graph, link)
    frames = graph.once(core_frames, links)
    drift = evaluate(graph, _DRIFT, (q, v, None), None, threads, before=(frames, form), shape=(1, 6))
    return drift[..., 0, :]


def _single_link(graph: SubsystemGraph, link: object) -> tuple[str]:
    """Return a tuple of one link's name. Raises StateError: not a name."""
    require_graph(graph)
    if not isinstance(link, str):
        raise StateError(f"link is {link!r}; a name is needed")
    return (link,)

"""Centre of mass, momentum and energy of all moving bodies.

Of many states all have one axis more in front. Closed loops are ignored: q, v and a are those of all joints
of the tree. Vectors are in the root link's axes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import StateError, UnsupportedModelError
from ..model import SubsystemGraph, refuse_black_boxes
from .arguments import Array
from .quantity import Quantity, evaluate


def _require_known_masses(graph: SubsystemGraph) -> None:
    """Raise StateError for black boxes, whose masses are unknown."""
    refuse_black_boxes(graph, "the motion of all masses")


def _require_moving_mass(graph: SubsystemGraph) -> None:
    """Raise StateError for black boxes, whose masses are unknown, or where all masses are zero."""
    refuse_black_boxes(graph, "the centroidal momentum matrix")
    _moving_mass(graph)


_SUMS = Quantity(
    "whole_body",
    ("q", "v", "a"),
    lambda graph: (16,),
    "sums over all bodies",
    _require_known_masses,
    at_rest=("v", "a"),
)
_MOMENTUM_MATRIX = Quantity(
    "momentum_matrix",
    ("q",),
    lambda graph: (6, graph.nv),
    "elements of the centroidal momentum matrix",
    _require_moving_mass,
)


def _moving_mass(graph: SubsystemGraph) -> float:
    """Return the mass of all moving bodies [kg]. Raises StateError: it is zero."""
    mass = sum(body.mass for body in graph.bodies)
    if not mass > 0.0:
        raise StateError(f"the moving bodies of '{graph.name}' have no mass, and so no centre of mass")
    return mass


class _Sums(NamedTuple):
    """Sums over all moving bodies.

    Attributes:
        first: mass times centre of mass (3,) [kg m]. kinetic: energy [J], without that of armatures.
        momentum: linear, and angular about the root's origin (6,) [kg m/s, kg m^2/s].
        rate: the derivative of momentum (6,) [N, N m].
    """

    first: Array
    momentum: Array
    rate: Array
    kinetic: Array


def _sums(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike | None, a: ArrayLike | None, threads: int | None
) -> _Sums:
    """Return the sums of one state or many; v, a: None stands for zeros."""
    sums = evaluate(graph, _SUMS, (q, v, a), None, threads)
    return _Sums(sums[..., :3], sums[..., 3:9], sums[..., 9:15], sums[..., 15])


class CentreOfMass(NamedTuple):
    """What `centre_of_mass` computes, in the root link's axes.

    Attributes:
        mass: of all moving bodies [kg].
        position: (3,) from the root's origin [m]. velocity: [m/s]; None without v. acceleration: [m/s^2],
            without gravity; None without a.
    """

    mass: float
    position: Array
    velocity: Array | None
    acceleration: Array | None


def centre_of_mass(
    graph: SubsystemGraph,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    threads: int | None = None,
) -> CentreOfMass:
    """Return centre of mass c = sum m_i c_i / m of all moving bodies, its velocity and its acceleration.

    Args:
        q: positions (nq,). v: velocities (nv,). a: accelerations (nv,), which need v.
        threads: as of ``inverse_dynamics``.

    Raises:
        StateError: a wrong shape, a number that is not finite, a black box in the graph, no moving mass, or
            a without v; of many states with the row.
    """
    if v is None and a is not None:
        raise StateError("a is given without v; the acceleration of the centre of mass needs both")
    sums = _sums(graph, q, v, a, threads)
    mass = _moving_mass(graph)
    velocity = None if v is None else sums.momentum[..., :3] / mass
    acceleration = None if a is None else sums.rate[..., :3] / mass
    return CentreOfMass(mass, sums.first / mass, velocity, acceleration)


def centre_of_mass_jacobian(graph: SubsystemGraph, q: ArrayLike, *, threads: int | None = None) -> Array:
    """Return J (3, nv) of the centre of mass: its velocity is J v, in the root link's axes.

    The linear rows of :func:`centroidal_momentum_matrix`, over the mass. Arguments and errors as there.
    """
    matrix = centroidal_momentum_matrix(graph, q, threads=threads)
    jacobian: Array = matrix[..., :3, :] / _moving_mass(graph)
    return jacobian


def centroidal_momentum_matrix(
    graph: SubsystemGraph, q: ArrayLike, *, threads: int | None = None, out: Array | None = None
) -> Array:
    """Return A (6, nv): momentum of all moving bodies about their centre of mass, [linear; angular] = A v.

    By composite bodies (Orin, Goswami & Lee, Centroidal dynamics of a humanoid robot, 2013). Armatures are
    not included. [kg, kg m, kg m^2]

    Args:
        q: positions (nq,).
        threads, out: as of ``mass_matrix``.

    Raises:
        StateError: a wrong shape, a number that is not finite, a black box in the graph, or no moving mass.
    """
    return evaluate(graph, _MOMENTUM_MATRIX, (q,), out, threads)


def centroidal_momentum(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, *, threads: int | None = None
) -> Array:
    """Return [linear; angular] momentum (6,) of all moving bodies about their centre of mass, A v.

    The matrix A is not made. Arguments and errors as of ``centre_of_mass``. [kg m/s, kg m^2/s]
    """
    sums = _sums(graph, q, v, None, threads)
    return _about_centre(graph, sums.first, sums.momentum)


def centroidal_momentum_rate(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, threads: int | None = None
) -> Array:
    """Return the derivative (6,) of ``centroidal_momentum``: Adot v + A a [N, N m].

    It equals the sum of all external forces, weight included, and of their moments about the centre of mass.
    Arguments and errors as of ``centre_of_mass``.
    """
    sums = _sums(graph, q, v, a, threads)
    return _about_centre(graph, sums.first, sums.rate)


def _about_centre(graph: SubsystemGraph, first: Array, vectors: Array) -> Array:
    """Return [linear, angular], given about the root's origin, about the centre of mass first / mass."""
    moved = vectors.copy()
    moved[..., 3:] -= np.cross(first / _moving_mass(graph), vectors[..., :3])
    return moved


@np.errstate(over="ignore", invalid="ignore")  # overflow is reported when the result is checked
def kinetic_energy(
    graph: SubsystemGraph, q: ArrayLike, v: ArrayLike, *, threads: int | None = None
) -> Array | float:
    """Return T = v^T M v / 2 [J], armatures included; body by body, without M.

    Args:
        q: positions (nq,). v: velocities (nv,); of many states (n, nq) and (n, nv), which give (n,).
        threads: as of ``inverse_dynamics``.

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
    """
    total, rates = _sums(graph, q, v, None, threads).kinetic, np.asarray(v, np.float64)
    for joint in graph.joints:
        if joint.armature:
            scale = 1.0 if joint.mimic is None else joint.mimic.multiplier
            own = scale * rates[..., graph.v_slice(graph.driver(joint))]
            total = total + 0.5 * joint.armature * (own * own).sum(axis=-1)
    return _energy(graph, total)


@np.errstate(over="ignore", invalid="ignore")
def potential_energy(graph: SubsystemGraph, q: ArrayLike, *, threads: int | None = None) -> Array | float:
    """Return U = -m g . c + sum k (q - q_rest)^2 / 2 [J]: in gravity, and of springs at joints.

    It is zero with all masses at the root's origin and the springs relaxed; its derivative along v is the
    power of ``gravity_torque`` and of the joints' springs.

    Args:
        q: positions (nq,); of many states (n, nq), which give (n,).
        threads: as of ``inverse_dynamics``.

    Raises:
        StateError: a wrong shape, a number that is not finite, or a black box in the graph.
        UnsupportedModelError: springs between links; ``energy`` includes these.
    """
    sums, positions = _sums(graph, q, None, None, threads), np.asarray(q, np.float64)
    if graph.springs:
        names = ", ".join(spring.name for spring in graph.springs)
        raise UnsupportedModelError(
            f"potential_energy of '{graph.name}' would leave out its springs {names}; energy(graph, q, v) of "
            "closed robots includes them, and graph.tree has none"
        )
    total: Array = -sums.first @ graph.gravity
    for joint in graph.joints:
        if joint.stiffness:
            own = positions[..., graph.q_slice(graph.driver(joint))][..., 0]
            if joint.mimic is not None:
                own = joint.mimic.multiplier * own + joint.mimic.offset
            total = total + 0.5 * joint.stiffness * (own - joint.rest_position) ** 2
    return _energy(graph, total)


def _energy(graph: SubsystemGraph, energy: Array) -> Array | float:
    """Return the energies, of one state as a number. Raises StateError: they are not finite."""
    if not np.isfinite(energy).all():
        raise StateError(f"q and v of '{graph.name}' are finite, but so large that the energy is not")
    return float(energy) if np.ndim(energy) == 0 else energy

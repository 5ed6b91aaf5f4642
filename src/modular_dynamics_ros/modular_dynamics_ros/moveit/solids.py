"""Shapes of even density as rigid bodies: volume, centre and moments.

Of density 1: the mass is the volume [m^3], moments of inertia are in m^5.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics.algebra import Quaternion, rotation_matrix
from modular_dynamics_ros.exceptions import NumbersError

#: Largest mass of a load [kg], and its largest distance [m].
HEAVIEST, FARTHEST = 1e5, 1e3

Array = NDArray[np.float64]
#: Largest size of a solid [m].
SMALLEST = 1e-6
#: Numbers of dimensions by type of shape_msgs/SolidPrimitive; a prism (5) has a polygon.
BOX, SPHERE, CYLINDER, CONE = 1, 2, 3, 4


class Load(NamedTuple):
    """Mass [kg], centre of mass (3,) [m], moments of inertia about it (3, 3) [kg m^2]."""

    mass: float
    com: Array
    inertia: Array

    def moved(self, rotation: Array, position: Array) -> "Load":
        """Return the load at a pose: R c + p, R I R^T."""
        return Load(self.mass, rotation @ self.com + position, rotation @ self.inertia @ rotation.T)

    def scaled(self, mass: float) -> "Load":
        """Return the same shape with another mass."""
        return Load(mass, self.com, self.inertia * (mass / self.mass))

    def raise_if_impossible(self) -> None:
        """Raise NumbersError where no body has these numbers, or they are beyond what a robot carries."""
        numbers = np.array([self.mass, *self.com, *self.inertia.ravel()])
        if (
            not np.isfinite(numbers).all()
            or not 0.0 < self.mass <= HEAVIEST
            or abs(self.com).max() > FARTHEST
        ):
            raise NumbersError(f"mass {self.mass:g} kg, centre {self.com.tolist()} m: beyond all limits")
        principal = np.linalg.eigvalsh(self.inertia)
        if principal[0] < 0.0 or principal[:2].sum() < (1.0 - 1e-6) * principal[2]:
            raise NumbersError("no body has its moments of inertia")

    def is_close(self, other: "Load") -> bool:
        """Return whether the numbers are equal up to rounding."""
        pairs = (self.mass, other.mass), (self.com, other.com), (self.inertia, other.inertia)
        return all(np.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in pairs)


def sum_of(loads: Sequence[Load]) -> Load:
    """Return rigidly connected loads as one; Steiner: m (|d|^2 - d d^T) about the common centre."""
    mass = sum(load.mass for load in loads)
    com = sum((load.mass * load.com for load in loads), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for load in loads:
        d = load.com - com
        inertia = inertia + load.inertia + load.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Load(mass, com, inertia)


def _box(x: float, y: float, z: float) -> Load:
    volume = x * y * z
    moments = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * volume / 12
    return Load(volume, np.zeros(3), moments)


def _sphere(radius: float) -> Load:
    volume = 4 / 3 * np.pi * radius**3
    return Load(volume, np.zeros(3), 0.4 * volume * radius**2 * np.eye(3))


def _cylinder(height: float, radius: float) -> Load:
    volume = np.pi * radius**2 * height
    across = volume * (3 * radius**2 + height**2) / 12
    return Load(volume, np.zeros(3), np.diag([across, across, 0.5 * volume * radius**2]))


def _cone(height: float, radius: float) -> Load:
    """Return a cone with its origin halfway between base and tip, the tip on z."""
    volume = np.pi * radius**2 * height / 3
    across = volume * 3 / 80 * (4 * radius**2 + height**2)
    return Load(
        volume, np.array([0.0, 0.0, -height / 4]), np.diag([across, across, 0.3 * volume * radius**2])
    )


_BODIES: Mapping[int, tuple[str, int, Callable[..., Load]]] = {
    BOX: ("box", 3, _box),
    SPHERE: ("sphere", 1, _sphere),
    CYLINDER: ("cylinder", 2, _cylinder),
    CONE: ("cone", 2, _cone),
}


def body_of_primitive(kind: int, dimensions: Sequence[float]) -> Load:
    """Return the body of a shape_msgs/SolidPrimitive.

    Raises:
        NumbersError: another kind, or dimensions that no such solid has.
    """
    if kind not in _BODIES:
        raise NumbersError(f"a solid of type {kind}; known are box (1), sphere (2), cylinder (3), cone (4)")
    name, count, make = _BODIES[kind]
    sizes = [float(size) for size in dimensions[:count]]
    if len(sizes) < count or not all(SMALLEST <= size <= FARTHEST for size in sizes):
        limits = f"{count} from {SMALLEST:g} to {FARTHEST:g} m are needed"
        raise NumbersError(f"a {name} with dimensions {list(dimensions)}; {limits}")
    return make(*sizes)


def body_of_mesh(vertices: Array, triangles: NDArray[np.int64]) -> Load:
    """Return the body of a closed surface: vertices (k, 3) [m], vertex indices of triangles (m, 3).

    The tetrahedra between the middle and each triangle, with their signs, add up to the solid.

    Raises:
        NumbersError: a vertex that is not there, not finite or far away, or a surface that is not closed.
    """
    known = ((triangles >= 0) & (triangles < len(vertices))).all()
    if not known or not (np.abs(vertices) <= FARTHEST).all():
        raise NumbersError("a mesh with vertices that are not there, not finite or far away")
    if not _is_closed(vertices, triangles):
        raise NumbersError(
            "a mesh whose surface is not closed, or whose triangles are not all the same way round"
        )
    middle = vertices.mean(axis=0)  # far from the origin digits would be lost
    corners = (vertices - middle)[triangles]
    sums = corners.sum(axis=1)
    six = np.linalg.det(corners)  # six times the volume of each tetrahedron
    volume = six.sum() / 6
    if not abs(volume) > 1e-9 * np.abs(six).sum() / 6:
        raise NumbersError("a mesh whose surface encloses no volume")
    centre = six @ sums / 24 / volume
    squares = np.einsum("t,tki,tkj->ij", six, corners, corners) + np.einsum("t,ti,tj->ij", six, sums, sums)
    second = squares / 120 - volume * np.outer(centre, centre)
    sign = np.sign(volume)  # triangles may be listed either way round
    return Load(sign * volume, centre + middle, sign * (np.trace(second) * np.eye(3) - second))


def _is_closed(vertices: Array, triangles: NDArray[np.int64]) -> bool:
    """Return whether each edge is passed equally often both ways; vertices at one place are merged."""
    places, index = np.unique(vertices, axis=0, return_inverse=True)
    corners = index.ravel()[triangles]
    start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    there, back = start * len(places) + end, end * len(places) + start
    return len(triangles) > 0 and np.array_equal(np.sort(there), np.sort(back))


def placed(body: Load, pose: Any) -> Load:
    """Return a body at a geometry_msgs/Pose; an unset orientation is the identity.

    Raises:
        NumbersError: not finite, far away, or a quaternion of a norm far from 1.
    """
    p, r = pose.position, pose.orientation
    position, turn = np.array([p.x, p.y, p.z]), np.array([r.w, r.x, r.y, r.z])
    if not turn.any():
        turn[0] = 1.0
    size = float(np.linalg.norm(turn))
    if not (abs(position) <= FARTHEST).all():
        raise NumbersError(
            f"a pose {position.tolist()}; {FARTHEST:g} m at most, in each direction, is accepted"
        )
    if not 1e-3 < size < 1e3:
        raise NumbersError(f"a pose whose quaternion has the norm {size:g}; 1 is needed")
    return body.moved(rotation_matrix(Quaternion(*(turn / size))), position)

"""What MoveIt has attached to links, as one payload for each link.

The solids and meshes of an object have an even density; its mass scales them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics.algebra import Quaternion, rotation_matrix
from modular_dynamics_ros.exceptions import NumbersError, ParameterError

Array = NDArray[np.float64]
HEAVIEST, FARTHEST = 1e5, 1e3  # largest mass of a load [kg], largest size of a solid and its distance [m]
SMALLEST = 1e-6  # least size of a solid [m]
BOX, SPHERE, CYLINDER = 1, 2, 3  # types of shape_msgs/SolidPrimitive


class Load(NamedTuple):
    """Mass [kg], centre of mass (3,) [m], moments of inertia about it (3, 3) [kg m^2].

    Of a body of density 1 the mass is the volume [m^3], and the moments of inertia are in m^5.
    """

    mass: float
    com: Array
    inertia: Array

    def moved(self, rotation: Array, position: Array) -> "Load":
        """Return the load at a pose: R c + p, R I R^T."""
        return Load(self.mass, rotation @ self.com + position, rotation @ self.inertia @ rotation.T)

    def scaled(self, mass: float) -> "Load":
        """Return the same shape with another mass."""
        return Load(mass, self.com, self.inertia * (mass / self.mass))

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


_BODIES: Mapping[int, tuple[str, int, Callable[..., Load]]] = {
    BOX: ("box", 3, _box),
    SPHERE: ("sphere", 1, _sphere),
    CYLINDER: ("cylinder", 2, _cylinder),
}


def body_of_primitive(kind: int, dimensions: Sequence[float]) -> Load:
    """Return the body of a shape_msgs/SolidPrimitive.

    Raises:
        NumbersError: another kind, or dimensions that no such solid has.
    """
    if kind not in _BODIES:
        raise NumbersError(f"a solid of type {kind}; known are box (1), sphere (2), cylinder (3)")
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
        raise NumbersError("a mesh whose surface is not closed, or whose triangles have different senses")
    middle = vertices.mean(axis=0)  # about the origin, digits of a distant mesh would be lost
    corners = (vertices - middle)[triangles]
    sums = corners.sum(axis=1)
    volumes = np.linalg.det(corners) / 6  # of the tetrahedra
    volume = volumes.sum()
    if not abs(volume) > 1e-9 * np.abs(volumes).sum():
        raise NumbersError("a mesh whose surface encloses no volume")
    centre = volumes @ sums / 4 / volume
    squares = np.einsum("t,tki,tkj->ij", volumes, corners, corners)
    squares += np.einsum("t,ti,tj->ij", volumes, sums, sums)
    second = squares / 20 - volume * np.outer(centre, centre)
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
        raise NumbersError(f"a pose {position.tolist()}; {FARTHEST:g} m at most, in each direction")
    if not 1e-3 < size < 1e3:
        raise NumbersError(f"a pose whose quaternion has the norm {size:g}; 1 is needed")
    return body.moved(rotation_matrix(Quaternion(*(turn / size))), position)


def masses_by_id(texts: Sequence[str]) -> dict[str, float]:
    """Return masses [kg] from texts ID=KILOGRAMS.

    Raises:
        ParameterError: another form, a mass that no object has, or an id twice.
    """
    masses: dict[str, float] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            mass = np.nan if "_" in number else float(number)
        except ValueError:
            mass = np.nan
        if not name or not 0.0 < mass <= HEAVIEST:
            raise ParameterError(
                f"object_masses: '{text}'; ID=KILOGRAMS is needed, above 0 and up to {HEAVIEST:g}, as box=0.8"
            )
        if name in masses:
            raise ParameterError(f"object_masses: '{name}' is there twice")
        masses[name] = mass
    return masses


class Masses:
    """Masses of objects: by name, else by the message that attached them.

    Args:
        given: [kg] by the id of an object.
    """

    def __init__(self, given: Mapping[str, float]) -> None:
        self._given, self._messages = given, dict[str, float]()

    def take(self, message: Any) -> None:
        """Note the weight in an AttachedCollisionObject, if it is one; planning scenes do not keep it."""
        entry, weight = message.object, float(message.weight)
        if entry.operation == entry.ADD and entry.id:
            self._messages[entry.id] = weight if 0.0 < weight <= HEAVIEST else 0.0

    def forget(self, names: Iterable[str]) -> None:
        """Forget these objects, which are detached: a new one of the same id has its own message's mass."""
        for name in names:
            self._messages.pop(name, None)

    def of(self, name: str) -> float:
        """Return the mass [kg] of an object. Raises NumbersError: it is not known."""
        if not (mass := self._given.get(name) or self._messages.get(name)):
            raise NumbersError("its mass is not known: name it in object_masses, or attach it with a weight")
        return mass


def payloads_of(attached: Sequence[Any], masses: Masses, refuse: Callable[[str], None]) -> dict[str, Load]:
    """Return mass, centre in the link's frame and inertia about it, by link.

    Args:
        attached: moveit_msgs/AttachedCollisionObject, as a planning scene has them.
        refuse: called with a line about each object that is not counted.
    """
    payloads: dict[str, Load] = {}
    for entry in attached:
        link = entry.link_name
        try:
            load = _load(entry, masses)
        except NumbersError as error:
            refuse(f"object '{entry.object.id}' on link '{link}' is not counted: {error}")
            continue
        payloads[link] = sum_of([payloads[link], load]) if link in payloads else load
    return payloads


def _load(attached: Any, masses: Masses) -> Load:
    """Return an object as a load in its link's frame."""
    entry, frame = attached.object, attached.object.header.frame_id
    if frame != attached.link_name:
        raise NumbersError(f"its pose is given in frame '{frame}', and not in that of its link")
    counts = len(entry.primitives), len(entry.meshes)
    poses = len(entry.primitive_poses), len(entry.mesh_poses)
    if counts != poses:
        has = f"{counts[0]} solids with {poses[0]} poses and {counts[1]} meshes with {poses[1]}"
        raise NumbersError(f"it has {has}; each needs one")
    shapes = [
        (body_of_primitive(solid.type, solid.dimensions), pose)
        for solid, pose in zip(entry.primitives, entry.primitive_poses, strict=True)
    ]
    for mesh, pose in zip(entry.meshes, entry.mesh_poses, strict=True):
        vertices = np.array([[p.x, p.y, p.z] for p in mesh.vertices], float).reshape(-1, 3)
        triangles = np.array([triangle.vertex_indices for triangle in mesh.triangles], np.int64)
        shapes.append((body_of_mesh(vertices, triangles.reshape(-1, 3)), pose))
    if not shapes:
        raise NumbersError("it has neither solids nor meshes, so that its centre is not known")
    whole = placed(sum_of([placed(body, pose) for body, pose in shapes]), entry.pose)
    return whole.scaled(masses.of(entry.id))

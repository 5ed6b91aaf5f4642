"""Objects that MoveIt has attached to links, as one payload for each link."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from modular_dynamics_ros.exceptions import NumbersError, ParameterError
from modular_dynamics_ros.moveit.solids import HEAVIEST, Load, body_of_mesh, body_of_primitive, placed, sum_of


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
    """Masses of objects: by name, by the message that attached them, or by density, in this order.

    Args:
        given: [kg] by the id of an object. density: [kg/m^3] of all others; 0: it is not known.
    """

    def __init__(self, given: Mapping[str, float], density: float) -> None:
        self._given, self._density, self._messages = given, density, dict[str, float]()

    def take(self, message: Any) -> None:
        """Note the weight in an AttachedCollisionObject, if it is one; planning scenes do not keep it."""
        entry, weight = message.object, float(message.weight)
        if entry.operation == entry.ADD and entry.id:
            self._messages[entry.id] = weight if 0.0 < weight <= HEAVIEST else 0.0

    def forget(self, names: Iterable[str]) -> None:
        """Forget these objects, which are detached: a new one of the same id has its own message's mass."""
        for name in names:
            self._messages.pop(name, None)

    def of(self, name: str, volume: float) -> float:
        """Return the mass [kg] of an object.

        Raises:
            NumbersError: nothing says it.
        """
        mass = self._given.get(name) or self._messages.get(name) or self._density * volume
        if not mass > 0.0:
            raise NumbersError(
                "its mass is not known: name it in object_masses, attach it with a weight, or set density"
            )
        return float(mass)


def payloads_of(attached: Sequence[Any], masses: Masses, refuse: Callable[[str], None]) -> dict[str, Load]:
    """Return mass, centre in the link's frame and inertia about it, by link.

    Args:
        attached: moveit_msgs/AttachedCollisionObject, as a planning scene has them.
        refuse: called with a line about each object that is not counted.
    """
    payloads: dict[str, Load] = {}
    for one in attached:
        try:
            own = _load(one, masses)
        except NumbersError as error:
            refuse(f"object '{one.object.id}' on link '{one.link_name}' is not counted: {error}")
            continue
        before = payloads.get(one.link_name)
        payloads[one.link_name] = own if before is None else sum_of([before, own])
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
    load = whole.scaled(masses.of(entry.id, whole.mass))
    load.raise_if_impossible()
    return load

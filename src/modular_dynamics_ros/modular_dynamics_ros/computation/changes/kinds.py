"""The kinds of changes that a robot may get while a node runs, each a constant value."""

import re
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import modular_dynamics as md
from modular_dynamics.algebra import Quaternion, pose
from modular_dynamics.text.files import content_of, path_of
from modular_dynamics.text.numbers import LARGEST
from modular_dynamics.text.sizes import MAX_BYTES
from modular_dynamics_ros.computation.values import UNIT_NORM, checked_numbers
from modular_dynamics_ros.exceptions import ChangeFileError, NumbersError, RobotError

IDENTITY_POSE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:/", re.IGNORECASE)  # begins file:///robots/hand.urdf


class Change:
    """One change of a robot. `str` says what it does, for the log."""

    def apply(self, graph: md.SubsystemGraph) -> md.SubsystemGraph:
        """Return the changed graph. Raises ModularDynamicsError: the graph does not allow it."""
        raise NotImplementedError

    def without_unknown(self, graph: md.SubsystemGraph) -> "Change | None":
        """Return the part of the change that a graph without some names allows; None if there is none."""
        raise NotImplementedError


Changes = tuple[Change, ...]


@dataclass(frozen=True)
class Payload(Change):
    """A load on a link, in the link's frame.

    Attributes:
        mass: [kg]. com: [m]. inertia: ixx, ixy, ixz, iyy, iyz, izz about the centre of mass [kg m^2].
    """

    link: str
    mass: float
    com: tuple[float, ...]
    inertia: tuple[float, ...]

    @staticmethod
    def of(link: str, mass: float, com: Any, inertia: Any) -> "Payload":
        """Return a payload with checked numbers.

        Raises:
            NumbersError: of a wrong count, not finite, or larger than descriptions may have them.
        """
        what = f"the payload on link '{link}'"
        (kilograms,) = checked_numbers(f"{what}, mass", [mass], 1, LARGEST)
        centre = checked_numbers(f"{what}, centre of mass", com, 3, LARGEST)
        return Payload(link, kilograms, centre, checked_numbers(f"{what}, inertia", inertia, 6, LARGEST))

    def apply(self, graph: md.SubsystemGraph) -> md.SubsystemGraph:
        """Return the graph with the load on its link."""
        xx, xy, xz, yy, yz, zz = self.inertia
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        return graph.with_payload(self.link, mass=self.mass, com=self.com, inertia=inertia)

    def without_unknown(self, graph: md.SubsystemGraph) -> "Payload | None":
        """Return None if the link is not in the graph."""
        return self if self.link in graph.links else None

    def __str__(self) -> str:
        return f"payload of {self.mass:g} kg on '{self.link}'"


@dataclass(frozen=True)
class Attachment(Change):
    """Another robot, fixed to a link of this one.

    Attributes:
        urdf: its text. pose: of its root link in the link [m; quaternion w x y z].
        prefix: begins all its names. robot: read from the text.
    """

    name: str
    urdf: str
    link: str
    pose: tuple[float, ...]
    prefix: str
    robot: md.SubsystemGraph = field(compare=False, repr=False)

    @staticmethod
    def of(
        name: str, urdf: str, link: str, pose: Any = IDENTITY_POSE, prefix: str = "", *, strict: bool = False
    ) -> "Attachment":
        """Return an attachment whose robot is read from a text; may take long.

        Raises:
            NumbersError: an invalid pose. RobotError: not a URDF.
        """
        if not urdf.lstrip("\ufeff \t\r\n").startswith("<"):  # load_urdf would read other text as a path
            text = f"'{name}' needs the text of a URDF, which begins with '<', not '{urdf[:40]}'"
            raise RobotError(f"{text}; a path belongs into the field file")
        return Attachment(name, urdf, link, _checked_pose(name, pose), prefix, _read(urdf, strict))

    @staticmethod
    def of_file(name: str, path: str, link: str, pose: Any, prefix: str, *, strict: bool) -> "Attachment":
        """Return an attachment of a URDF or xacro file; later changes of the file have no effect.

        Raises:
            NumbersError, RobotError: as of `of`. ChangeFileError: the file cannot be read.
        """
        numbers = _checked_pose(name, pose)
        if _URI.match(path):  # as a path it would lose a slash in messages
            text = f"file of '{name}': {path[:200]!r} is a URI; a path is needed"
            raise ChangeFileError(f"{text}, such as /robots/hand.urdf")
        file = path_of(path)
        try:  # the library may take what is no path for a text, and a pipe would be waited for
            content_of(file, "URDF or xacro file", MAX_BYTES, md.DescriptionError)
        except md.DescriptionError as error:
            raise ChangeFileError(f"file of '{name}': {error}") from error
        robot = _read(file, strict)
        return Attachment(name, robot.urdf, link, numbers, prefix, robot)

    def apply(self, graph: md.SubsystemGraph) -> md.SubsystemGraph:
        """Return the graph with the other robot attached."""
        x, y, z, *rotation = self.pose
        x_link_root = pose(Quaternion(*rotation), [x, y, z])
        return graph.attach(self.robot, self.link, x_link_root, prefix=self.prefix)

    def without_unknown(self, graph: md.SubsystemGraph) -> "Attachment | None":
        """Return None if the link is not in the graph."""
        return self if self.link in graph.links else None

    def __str__(self) -> str:
        return f"'{self.name}' ({self.robot.name}) attached to '{self.link}'"


@dataclass(frozen=True)
class Lock(Change):
    """Holds joints with one coordinate at positions [rad or m]."""

    positions: Mapping[str, float]

    def apply(self, graph: md.SubsystemGraph) -> md.SubsystemGraph:
        """Return the graph with the joints locked."""
        return graph.lock(dict(self.positions))

    def without_unknown(self, graph: md.SubsystemGraph) -> "Lock | None":
        """Return the lock of those joints that the graph has."""
        return self.without([name for name in self.positions if name not in graph.joint_names])

    def without(self, joints: Collection[str]) -> "Lock | None":
        """Return the lock without some joints; None if none is left."""
        left = {name: position for name, position in self.positions.items() if name not in joints}
        return Lock(left) if left else None

    def __str__(self) -> str:
        return "locked: " + ", ".join(f"{name} at {at:g}" for name, at in self.positions.items())


def locked_positions(changes: Changes) -> dict[str, float]:
    """Return for each locked joint the position [rad or m] at which it is held."""
    locks = (change.positions for change in changes if isinstance(change, Lock))
    return {name: position for positions in locks for name, position in positions.items()}


def _checked_pose(name: str, numbers: Any) -> tuple[float, ...]:
    """Return the pose with a quaternion of norm one; all zeros, an unset message, are the identity.

    Raises:
        NumbersError: not seven finite numbers, huge, or a quaternion without norm one.
    """
    checked = checked_numbers(f"the pose of '{name}'", numbers, 7, LARGEST)
    if not any(checked):
        return IDENTITY_POSE
    norm = sum(number * number for number in checked[3:]) ** 0.5
    if not abs(norm - 1.0) <= UNIT_NORM:
        raise NumbersError(
            f"the pose of '{name}': its quaternion w x y z = {list(checked[3:])} has the norm {norm:g}, not 1"
        )
    return (*checked[:3], *(number / norm for number in checked[3:]))


def _read(source: str | Path, strict: bool) -> md.SubsystemGraph:
    """Return the robot to attach. Raises RobotError: it cannot be used."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", md.ModelWarning)  # they are also in graph.warnings
            return md.load_urdf(source, strict=strict)
    except (md.ModularDynamicsError, OSError) as error:
        raise RobotError(f"the robot to attach: {error}") from error

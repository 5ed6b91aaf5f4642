"""Another robot, fixed to a link."""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import modular_dynamics as md
from modular_dynamics.algebra import Quaternion, pose
from modular_dynamics.text.files import content_of, path_of
from modular_dynamics.text.sizes import MAX_BYTES
from modular_dynamics_ros.computation.checked_numbers import checked_numbers
from modular_dynamics_ros.computation.values import LARGEST, UNIT_NORM
from modular_dynamics_ros.exceptions import ChangeFileError, NumbersError, RobotError

__all__ = ["IDENTITY_POSE", "Attachment"]

IDENTITY_POSE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
#: How file:///robots/hand.urdf or package://robots/hand.urdf begins.
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:/", re.IGNORECASE)


@dataclass(frozen=True)
class Attachment:
    """Another robot, fixed to a link of this one.

    Attributes:
        urdf: its text. pose: of its root link in the link [m; quaternion w x y z].
        prefix: before all its names. robot: read from the text.
    """

    name: str
    urdf: str
    link: str
    pose: tuple[float, ...]
    prefix: str
    robot: md.SubsystemGraph = field(compare=False, repr=False)
    kind = "attachment"

    @staticmethod
    def of(
        name: str, urdf: str, link: str, pose: Any = IDENTITY_POSE, prefix: str = "", *, strict: bool = False
    ) -> "Attachment":
        """Read from a text; may take long.

        Raises:
            NumbersError: an invalid pose. RobotError: not a URDF.
        """
        if not urdf.lstrip("\ufeff \t\r\n").startswith("<"):  # load_urdf would read other text as a path
            text = f"'{name}' needs the text of a URDF, which begins with '<', not '{urdf[:40]}'"
            raise RobotError(f"{text}; a path belongs into the field file")
        numbers = _checked_pose(name, pose)
        return Attachment(name, urdf, link, numbers, prefix, _read(urdf, strict))

    @staticmethod
    def of_file(name: str, path: str, link: str, pose: Any, prefix: str, *, strict: bool) -> "Attachment":
        """Read from a URDF or xacro file; later changes of the file have no effect.

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
        """See `Change`."""
        x, y, z, *rotation = self.pose
        x_link_root = pose(Quaternion(*rotation), [x, y, z])
        return graph.attach(self.robot, self.link, x_link_root, prefix=self.prefix)

    def without_unknown(self, graph: md.SubsystemGraph) -> "Attachment | None":
        """See `Change`."""
        return self if self.link in graph.links else None

    def content(self) -> Mapping[str, Any]:
        """See `Change`."""
        return {
            "name": self.name,
            "link": self.link,
            "pose": list(self.pose),
            "prefix": self.prefix,
            "urdf": self.urdf,
        }

    def __str__(self) -> str:
        return f"'{self.name}' ({self.robot.name}) attached to '{self.link}'"


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
    try:
        with warnings.catch_warnings():
            # the warnings are also in graph.warnings
            warnings.simplefilter("ignore", md.ModelWarning)
            return md.load_urdf(source, strict=strict)
    except (md.ModularDynamicsError, OSError) as error:
        raise RobotError(f"the robot to attach: {error}") from error

"""Errors of the library, all of one base class. Messages say what is wrong, where, and what is needed."""

from typing import TypeVar

__all__ = [
    "AssemblyError",
    "ClosureError",
    "DescriptionError",
    "GaitError",
    "GraphTypeError",
    "MissingDependencyError",
    "MjcfError",
    "ModelError",
    "ModelWarning",
    "ModularDynamicsError",
    "PartitionError",
    "SingularityError",
    "StateError",
    "StudyError",
    "UnknownNameError",
    "UnsupportedModelError",
    "UrdfError",
    "XacroError",
]


#: Most characters of a message about a description.
_LONGEST = 2_000
D = TypeVar("D", bound="DescriptionError")


class ModularDynamicsError(Exception):
    """Base of every error that this library raises itself."""


class DescriptionError(ModularDynamicsError, ValueError):
    """A robot description (URDF text, tags, partition file) that cannot become a model.

    Args:
        message: what is wrong and what is needed.
        line: of the element in the URDF; or file and line as text ("a.yaml, line 3"); None if not known.
        unreadable: nothing could be read at the source, or not with the arguments that were given.
    """

    def __init__(self, message: str, line: int | str | None = None, *, unreadable: bool = False) -> None:
        self.line, self.unreadable = line, unreadable
        where = f"line {line}" if isinstance(line, int) else line
        super().__init__(_readable(f"{where}: {message}" if where else message))

    def located(self: D, where: str, line: int | str | None) -> D:
        """Return the error with ``where``, which names the file, before its message; ``line``: in it."""
        error = type(self)(f"{where}{self}", unreadable=self.unreadable)
        error.line = line
        return error


def _readable(message: str) -> str:
    """Return the message, shortened if long, with unprintable characters escaped."""
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST * 3 // 4]} ... {message[-_LONGEST // 4 :]}"
    return "".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in message)


class UrdfError(DescriptionError):
    """The URDF itself is invalid: malformed, contradictory, or physically impossible."""


class MjcfError(DescriptionError):
    """The MJCF is invalid: MuJoCo's compiler refuses it, or what it says cannot become a model."""


class XacroError(UrdfError):
    """The description contains xacro that cannot be expanded, or may not be; part of it would be missing."""


class PartitionError(DescriptionError):
    """The partition into subsystems (tags or YAML) contradicts the robot or itself."""


class GaitError(DescriptionError):
    """Parameters of a gait that describe no motion: an unknown key, a joint twice, a number out of range."""


class StudyError(DescriptionError):
    """A study of designs that cannot be read, begun or continued; the message names file or folder."""


class ModelError(ModularDynamicsError, ValueError):
    """An impossible model, or an impossible change of one: masses that no body has, names used twice."""


class AssemblyError(ModelError):
    """Modules that cannot be docked or undocked so; the message names modules and ports."""


class UnknownNameError(ModularDynamicsError, KeyError):
    """A link, joint, subsystem or parameter that the model does not have; the message names the choices."""

    def __str__(self) -> str:  # KeyError shows the representation of its argument
        return str(self.args[0])


class StateError(ModularDynamicsError, ValueError):
    """Positions, velocities, accelerations, wrenches or poses: a wrong shape, not finite, impossible."""


class GraphTypeError(ModularDynamicsError, TypeError):
    """An argument is not a SubsystemGraph: a URDF's path, for example, or an object of another library."""


class ClosureError(ModularDynamicsError, ValueError):
    """Loops that cannot close, or whose independent coordinates do not determine them.

    Attributes:
        residual: the closure residual [m or 1], by loop joint or geared joint.
        coordinates: of all joints at the closest configuration, or None.
    """

    def __init__(self, message: str, residual: object = None, coordinates: object = None) -> None:
        super().__init__(message)
        self.residual, self.coordinates = residual, coordinates


class SingularityError(ClosureError):
    """The independent coordinates do not move the mechanism (singular configuration), or branches cross.

    Attributes:
        condition: of the constraint Jacobian; at a singular configuration of its dependent part.
    """

    def __init__(self, message: str, condition: float, coordinates: object = None) -> None:
        super().__init__(message, None, coordinates)
        self.condition = condition

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (str(self), self.condition, self.coordinates)


class UnsupportedModelError(ModularDynamicsError, NotImplementedError):
    """The model is valid, but this computation does not support one of its elements."""


class MissingDependencyError(ModularDynamicsError, ImportError):
    """A part of the library needs an optional package that cannot be imported; the message says what to do.

    Args:
        feature: what needs the package. package: its name. extra: of modular_dynamics that installs it.
        failure: why it cannot be imported, and what to do (`optional_packages.import_failure`).
    """

    def __init__(self, feature: str, package: str, extra: str, failure: str) -> None:
        self.feature, self.package, self.extra, self.failure = feature, package, extra, failure
        super().__init__(f"{feature} needs {package}, which {failure}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.feature, self.package, self.extra, self.failure)


class ModelWarning(UserWarning):
    """An accepted description that looks like a mistake (docs/reference/description_checks.md)."""

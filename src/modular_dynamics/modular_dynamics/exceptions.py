"""Errors of the library, of one base class; messages say what was wrong, where, and what would be right."""

__all__ = [
    "ClosureError",
    "DescriptionError",
    "ModelWarning",
    "ModularDynamicsError",
    "PartitionError",
    "SingularityError",
    "StateError",
    "UnsupportedModelError",
    "UrdfError",
]


class ModularDynamicsError(Exception):
    """Base of every error that this library raises on purpose."""


class DescriptionError(ModularDynamicsError, ValueError):
    """A robot description (URDF text, tags, partition file) that cannot become a model.

    Args:
        message: what is wrong and what would be right.
        line: of the offending element in the URDF; or file and line as text ("a.yaml, line 3"); if known.
    """

    def __init__(self, message: str, line: int | str | None = None) -> None:
        self.line = line
        where = f"line {line}" if isinstance(line, int) else line
        super().__init__(f"{where}: {message}" if where else message)


class UrdfError(DescriptionError):
    """The URDF itself is invalid: malformed, contradictory, or physically impossible."""


class PartitionError(DescriptionError):
    """The partition into subsystems (tags or YAML) contradicts the robot or itself."""


class StateError(ModularDynamicsError, ValueError):
    """Positions, velocities, accelerations or wrenches of the wrong shape, or not finite."""


class ClosureError(ModularDynamicsError, ValueError):
    """Loops that cannot close, or whose independent coordinates do not determine them.

    Attributes:
        residual: what is left open [m or 1], by loop joint or geared joint.
        coordinates: of all joints where it came closest, or None.
    """

    def __init__(self, message: str, residual: object = None, coordinates: object = None) -> None:
        super().__init__(message)
        self.residual, self.coordinates = residual, coordinates


class SingularityError(ClosureError):
    """A dead point, where the independent coordinates do not move the mechanism, or a crossing of branches.

    Attributes:
        condition: of the constraint Jacobian; at a dead point of its dependent part.
    """

    def __init__(self, message: str, condition: float, coordinates: object = None) -> None:
        super().__init__(message, None, coordinates)
        self.condition = condition

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (str(self), self.condition, self.coordinates)


class UnsupportedModelError(ModularDynamicsError, NotImplementedError):
    """The model is valid, but this computation does not treat one of its elements yet."""


class ModelWarning(UserWarning):
    """An accepted description that looks like a mistake; vendors ship such files (docs/urdf_tags.md)."""

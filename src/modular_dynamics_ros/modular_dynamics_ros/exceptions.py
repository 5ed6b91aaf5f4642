"""Errors about input of nodes, from users and in messages; and how their texts name offenders."""

from collections import Counter
from collections.abc import Iterable, Sequence


class NodeError(ValueError):
    """Input of a user that a node cannot use; the text names the offender and what would be right."""


class ParameterError(NodeError):
    """A parameter value that is refused; the text names the parameter and the allowed values."""


class RobotError(NodeError):
    """A description, or rules about a robot, that a node cannot use."""


class NoJointsError(RobotError):
    """A robot without a joint whose torque can be computed, such as the first module of an assembly."""


class SettingError(RobotError):
    """A parameter other than the description that a node cannot use, or not with this robot; it is named."""


class OffsetsFileError(SettingError):
    """A file of sensors' offsets that cannot be read or written."""


class ChangeFileError(NodeError):
    """A file of a robot to attach that cannot be read."""


class NumbersError(NodeError):
    """Numbers of a request that are missing, too many, or not finite."""


class UnknownError(NodeError):
    """A request names what is not there; the text names what is."""


class MotionError(NodeError):
    """A motion file that cannot be played."""


class BagError(NodeError):
    """A bag that cannot be read or written."""


class AssemblyFileError(NodeError):
    """A file of an assembly, or of a kind of modules, that cannot be read or written."""


class BadMessage(ValueError):
    """A message that a node refuses; `cause` is a short name for counts, the text names the offender."""

    def __init__(self, cause: str, text: str) -> None:
        super().__init__(text)
        self.cause = cause


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return names in quotes for a sentence; beyond `most` only their number."""
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that are there more than once, in order, each once."""
    return [name for name, count in Counter(names).items() if count > 1]

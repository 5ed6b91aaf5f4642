"""Why a node cannot start or go on: one base class, so that whatever runs a node catches them all."""

__all__ = ["MotionError", "NodeError", "ParameterError", "RobotError"]


class NodeError(ValueError):
    """What a user gave a node cannot be used; the text names the offender and what would be right."""


class ParameterError(NodeError):
    """A parameter value that is refused."""


class RobotError(NodeError):
    """A robot description, or rules about a robot, that a node cannot use."""


class MotionError(NodeError):
    """A motion file that cannot be played."""

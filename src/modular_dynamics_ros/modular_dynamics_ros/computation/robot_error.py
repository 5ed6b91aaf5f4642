"""What is wrong with a robot description. Nodes know it before they import the library."""

__all__ = ["RobotError"]


class RobotError(ValueError):
    """A robot description that the node cannot use, in the library's words or by what the node lacks."""

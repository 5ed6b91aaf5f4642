"""Three methods of symbolic equations of motion with closed loops, and what they cost in operations."""

from .counting import WEIGHTS, Count
from .methods import METHODS, Method

__all__ = ["METHODS", "WEIGHTS", "Count", "Method"]

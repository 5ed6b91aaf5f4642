"""Symbolic equations of motion with closed loops by three methods, and their numbers of operations."""

from .counting import WEIGHTS, Count
from .methods import METHODS, Method

__all__ = ["METHODS", "WEIGHTS", "Count", "Method"]

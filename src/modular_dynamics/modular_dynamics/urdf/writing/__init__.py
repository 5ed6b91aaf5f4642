"""A graph -> URDF text with tags."""

from .document import graph_urdf, robot_element, text_of
from .parts import element, number, numbers, origin

__all__ = ["element", "graph_urdf", "number", "numbers", "origin", "robot_element", "text_of"]

"""URDF text -> model: the standard part, our tags, the partition rules, and all checks on bad input."""

from .load import load_urdf

__all__ = ["load_urdf"]

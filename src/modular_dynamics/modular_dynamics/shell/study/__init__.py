"""`modular-dynamics study`."""

from .command import STUDY

__all__ = ["STUDY"]

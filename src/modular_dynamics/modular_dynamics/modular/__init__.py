"""Modular robots: gaits that move their joints."""

from . import gaits

__all__ = ["gaits"]

"""MJCF -> model, through MuJoCo's own compiler."""

from .load import load_mjcf

__all__ = ["load_mjcf"]

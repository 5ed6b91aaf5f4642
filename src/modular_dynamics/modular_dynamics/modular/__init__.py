"""Robots that are assembled from modules (Meister & Gutenkunst)."""

from . import lie

__all__ = ["lie"]

"""Compiling every function beforehand: `python -m modular_dynamics.prepare`. Then no first use waits."""

from .tasks import tasks

__all__ = ["tasks"]

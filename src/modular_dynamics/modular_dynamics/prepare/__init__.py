"""Compiling all kernels beforehand: `python -m modular_dynamics.prepare`. Then no first call waits for it."""

from .tasks import tasks

__all__ = ["tasks"]

"""The same model in Pinocchio, and how far our torques are from its own. The only `import pinocchio`."""

from importlib import import_module

from ..exceptions import MissingDependencyError

try:
    import_module("pinocchio")
except ImportError as error:
    raise MissingDependencyError("modular_dynamics.crosscheck", "Pinocchio", "crosscheck", error) from error

from .crosscheck import CrossCheck, Residual, rnea_residual
from .pinocchio_model import PinocchioModel

__all__ = ["CrossCheck", "PinocchioModel", "Residual", "rnea_residual"]

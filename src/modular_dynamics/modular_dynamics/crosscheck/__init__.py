"""The same model in Pinocchio, and how far our torques are from its own. The only `import pinocchio`."""

from importlib import import_module

from ..optional_packages import needed

with needed("modular_dynamics.crosscheck", "Pinocchio", "crosscheck"):
    import_module("pinocchio")

from .crosscheck import CrossCheck, Residual, rnea_residual
from .pinocchio_model import PinocchioModel

__all__ = ["CrossCheck", "PinocchioModel", "Residual", "rnea_residual"]

"""One robot's dynamics in other languages: C99, CasADi; its model for programs in C++."""

from .c_code import ExportedC
from .casadi_functions import CasadiFunctions

__all__ = ["CasadiFunctions", "ExportedC"]

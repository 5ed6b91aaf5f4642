"""One robot's dynamics in other languages: C99, CasADi; its model for the core in C++."""

from .c_code import ExportedC
from .casadi_functions import CasadiFunctions
from .cpp_model import to_cpp

__all__ = ["CasadiFunctions", "ExportedC", "to_cpp"]

"""One robot's dynamics in other languages: C99, CasADi; its model for programs in C++."""

from .c_code import CasadiFunctions, ExportedC

__all__ = ["CasadiFunctions", "ExportedC"]

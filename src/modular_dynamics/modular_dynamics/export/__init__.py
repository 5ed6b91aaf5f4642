"""One robot's dynamics as C99 and as CasADi functions; its model for programs in C++."""

from .c_code import CasadiFunctions, ExportedC

__all__ = ["CasadiFunctions", "ExportedC"]

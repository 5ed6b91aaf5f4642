"""Straight-line code for one fixed robot, generated from the kernels themselves: machine code, C, CasADi.

A recursion of kernels/ is run once in plain Python on symbols (:mod:`.tracing`). The operations that it
carries out, with constants folded (:mod:`.program`), become LLVM code (:mod:`.llvm`), which is compiled and
kept on disk (:mod:`.cache`). Or they become C (:mod:`.c99`, :mod:`.c_files`) or CasADi functions
(:mod:`.casadi`), from a :class:`.procedure.Procedure`.
"""

from .cache import MachineCode, Source, TooLargeError, machine_code
from .llvm import FLOAT32X16, FLOAT64, FLOAT64X8, Kind

__all__ = [
    "FLOAT32X16",
    "FLOAT64",
    "FLOAT64X8",
    "Kind",
    "MachineCode",
    "Source",
    "TooLargeError",
    "machine_code",
]

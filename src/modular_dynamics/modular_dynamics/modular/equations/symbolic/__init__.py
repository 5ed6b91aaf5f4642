"""M, C and N as SymPy expressions, Python and C99.

SymPy, not CasADi, which the library also knows: expressions simplify (sin^2 + cos^2, sums of angles) and
print as in a textbook. CasADi does neither, and the same sweeps take it about as long.
`python -m benchmark.studies.modular_closed_form` prints what SymPy takes.
"""

from .closed_form import SymbolicClosedForm

__all__ = ["SymbolicClosedForm"]

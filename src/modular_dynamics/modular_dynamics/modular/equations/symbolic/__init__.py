"""M, C and N as SymPy expressions, Python and C99.

SymPy, not CasADi, which the library also knows: expressions simplify (c^2 + s^2, sums of angles) and print as
in a textbook; CasADi generates faster and does neither. `python -m benchmark.studies.modular_closed_form`
prints what SymPy takes.
"""

from .closed_form import SymbolicClosedForm

__all__ = ["SymbolicClosedForm"]

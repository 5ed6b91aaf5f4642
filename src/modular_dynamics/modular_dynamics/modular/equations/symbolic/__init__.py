"""M, C and N as SymPy expressions and Python functions.

SymPy, not CasADi, which the library also knows: expressions simplify (sin^2 + cos^2, sums of angles) and
print as in a textbook. CasADi does neither.
"""

from .closed_form import SymbolicClosedForm

__all__ = ["SymbolicClosedForm"]

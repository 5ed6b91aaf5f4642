"""What a node's process need not import: one that is started again should answer within a second."""

import importlib
import sys
from typing import Any

__all__ = ["load_numba_without_blas"]

ASKED, BY = "scipy.linalg.cython_blas", "numba.np.arraymath"


def load_numba_without_blas() -> None:
    """Load of Numba what asks for a BLAS, which no kernel calls, and let it find none.

    To ask, it imports scipy.linalg, which takes longer than the robot does. SciPy itself is not affected.
    """
    modules: dict[str, Any] = sys.modules
    if ASKED in modules or BY in modules:
        return
    modules[ASKED] = None  # an import of it fails at once
    try:
        importlib.import_module(BY)
    finally:
        del modules[ASKED]

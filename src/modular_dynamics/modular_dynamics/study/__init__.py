"""Design studies: many designs of one robot, the loads of their actuators, on many cores.

`from modular_dynamics import study`. Runs need the extra "study" (Dask, PyArrow).
"""

from .description import Study, load_study
from .evaluation import Evaluator, Violation, evaluated_rows
from .sampling import designs_between

__all__ = ["Evaluator", "Study", "Violation", "designs_between", "evaluated_rows", "load_study"]

"""Design studies: many designs of one robot, the loads of their actuators, on many cores.

`from modular_dynamics import study`. Runs need the extra "study" (Dask, PyArrow).
"""

from .evaluation import Evaluator, Violation, evaluated_rows
from .reading import load_study
from .study import Study, designs_between

__all__ = ["Evaluator", "Study", "Violation", "designs_between", "evaluated_rows", "load_study"]

"""What becomes of designs: their loads over time, objectives, and violated requirements."""

from .designs import Evaluator, evaluated_rows
from .measures import Violation, columns_of, objectives_of
from .motion import states_of

__all__ = ["Evaluator", "Violation", "columns_of", "evaluated_rows", "objectives_of", "states_of"]

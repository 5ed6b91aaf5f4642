"""Running a study on many cores, and keeping what is finished."""

from .run import Outcome, run_study
from .store import Store

__all__ = ["Outcome", "Store", "run_study"]

"""Running a study on many cores, and keeping what is finished."""

from .refinement import best_numbers, read_refined
from .run import Outcome, run_study
from .store import Store, about_of
from .tables import columns_of_file

__all__ = ["Outcome", "Store", "about_of", "best_numbers", "columns_of_file", "read_refined", "run_study"]

"""What a study is, and its file."""

from .checks import check_study
from .inputs import Input, Target
from .reading import load_study
from .sources import sources_of
from .study import Keep, Refinement, Sampling, Study, TensionLimit

__all__ = [
    "Input",
    "Keep",
    "Refinement",
    "Sampling",
    "Study",
    "Target",
    "TensionLimit",
    "check_study",
    "load_study",
    "sources_of",
]

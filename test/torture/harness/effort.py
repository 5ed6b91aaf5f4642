"""How long and how hard to attack: the command line of `python -m torture`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Effort"]


@dataclass(frozen=True)
class Effort:
    """What an attack may spend.

    Attributes:
        seed: of all random choices. short: about five seconds for an attack. mutations: of descriptions.
        soak_minutes: of the soak. folder: of logs and of the inputs of findings.
        progress: takes the share that is done, 0 to 1.
    """

    seed: int
    short: bool
    mutations: int
    soak_minutes: float
    folder: Path
    progress: Callable[[float], None]

    def of(self, short: float, full: float) -> float:
        """One of two amounts."""
        return short if self.short else full

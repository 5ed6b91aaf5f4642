"""How many messages a node has received, answered and rejected, and how fast it was."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.diagnostics.latency import LatencyWindow

__all__ = ["MessageCounts"]


@dataclass
class MessageCounts:
    """Messages since activation: every joint state is answered, rejected (by cause) or superseded.

    Attributes:
        superseded: by a newer joint state before they were answered. limited: answers in which each joint's
        effort limit was exceeded. closed_anew: answers whose assembly mode did not follow from the answer
        before. input_age: of the last joint state at its arrival [s]. latency: from arrival to answer.
    """

    received: int = 0
    answered: int = 0
    superseded: int = 0
    closed_anew: int = 0
    rejected: "Counter[str]" = field(default_factory=Counter)
    limited: NDArray[np.int64] | None = None
    input_age: float = float("nan")
    latency: LatencyWindow = field(default_factory=LatencyWindow)

    def count_limits(self, exceeded: NDArray[np.bool_]) -> None:
        """Count the joints of one answer whose effort limit was exceeded."""
        self.limited = exceeded.astype(np.int64) if self.limited is None else self.limited + exceeded

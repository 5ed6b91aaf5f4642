"""How long ago something happened, whatever is done to the clocks."""

from modular_dynamics_ros.node.interfaces import SessionNode

__all__ = ["Stopwatch"]

CLOCK_SILENT = 1_000_000_000  # [ns] a simulation that runs slowly sends /clock more often than that


class Stopwatch:
    """Time since its start.

    By the monotonic clock, as system time may be set. With use_sim_time by /clock, and if that stands for
    a second, by the monotonic clock: a dead simulation must not look like one that has just answered.
    """

    def __init__(self, node: SessionNode) -> None:
        self._node = node
        self.start(node.now())

    def start(self, now: int) -> None:
        """Begin anew; now: the node's clock [ns]."""
        self._started, self._started_steady = now, self._node.steady()
        self._clock, self._moved = self._started, self._started_steady  # /clock, and when it moved last

    def seconds(self) -> float:
        """Return since the start [s]."""
        steady = self._node.steady()
        if not self._node.simulated:
            return (steady - self._started_steady) * 1e-9
        now = self._node.now()
        if now < self._clock:  # a simulation that starts again
            self._started = now
        if now != self._clock:
            self._clock, self._moved = now, steady
        silent = steady - self._moved
        return max(now - self._started, silent if silent > CLOCK_SILENT else 0) * 1e-9

"""For how long a node itself did not run: the process was stopped, or a callback took long."""

from modular_dynamics_ros.node.robot_session import WATCH_PERIOD

__all__ = ["OwnPauses"]

USUAL = 2 * WATCH_PERIOD  # [s] between two looks at most, also where the computer is busy


class OwnPauses:
    """Measures by how much a timer of WATCH_PERIOD is late. Meanwhile nothing was read that neighbours sent.

    Args:
        now: of the monotonic clock [ns].
    """

    def __init__(self, now: int) -> None:
        self._last = now

    def look(self, now: int) -> int:
        """Call whenever the timer does; how long [ns] the node did not run since the call before."""
        late, self._last = now - self._last - round(USUAL * 1e9), now
        return max(0, late)

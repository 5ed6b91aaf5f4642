"""Which publishers have subscribers, and how often large messages go."""

import time
from typing import Any

from rclpy.exceptions import InvalidHandle

__all__ = ["Demand", "Pace", "subscribers"]

LOOK_PERIOD = 20_000_000  # [ns] until a subscriber that has come is noticed


def subscribers(publisher: Any) -> int:
    """Return the number of a publisher's subscribers; 0 if it was destroyed.

    A ramp goes on with the outputs of a robot that was replaced. The new robot shares its publishers, except
    those of subsystems, joints and loops that are gone: these are destroyed.
    """
    try:
        return int(publisher.get_subscription_count())
    except InvalidHandle:
        return 0


class Demand:
    """Which publishers have subscribers. That is asked LOOK_PERIOD apart: to ask for all takes 10 us.

    Attributes:
        wanted: those that had some when `look` asked last.
    """

    def __init__(self) -> None:
        self.wanted: frozenset[Any] = frozenset()
        self._publishers: list[Any] = []
        self._next_look = 0  # [ns]

    def add(self, publisher: Any) -> None:
        """Ask for this one, too."""
        self._publishers.append(publisher)
        self._next_look = 0

    def look(self) -> None:
        """Ask, where that was long ago."""
        if (now := time.monotonic_ns()) >= self._next_look:
            self.wanted = frozenset(filter(subscribers, self._publishers))
            self._next_look = now + LOOK_PERIOD


class Pace:
    """Rate limiter for large messages, by the monotonic clock."""

    def __init__(self) -> None:
        self._next = 0.0  # [s]

    def due(self, rate: float) -> bool:
        """Return whether a message may be sent now, and count it as sent; `rate` [Hz], 0: never."""
        now = time.monotonic()
        if rate == 0.0 or now < self._next:
            return False
        self._next = now + 1.0 / rate
        return True

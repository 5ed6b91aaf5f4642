"""Calls of one service, one at a time, without waiting for them."""

import time
from collections.abc import Callable
from typing import Any

from rclpy.client import Client


class Calls:
    """Sends a request where none is awaited; one whose answer does not come is forgotten after a time.

    Args:
        patience: [s] for an answer: one of a server that has ended never comes. clock: monotonic [s].
    """

    def __init__(
        self, client: Client, patience: float = 5.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._patience, self._clock = client, patience, clock
        self._asked, self._lost = 0.0, False
        self._future: Any = None

    @property
    def ready(self) -> bool:
        """Return whether the service is available."""
        return bool(self._client.service_is_ready())

    @property
    def awaits(self) -> bool:
        """Return whether an answer is awaited."""
        return self._future is not None and self._clock() - self._asked < self._patience

    def send(self, request: Any, answered: Callable[[Any], None]) -> bool:
        """Ask, unless an answer is awaited; False if there is no service or the last request timed out."""
        if self.awaits:
            return not self._lost
        if self._future is not None:
            self._client.remove_pending_request(self._future)
            self._future, self._lost = None, True
        if not self.ready:
            return False

        def done(future: Any) -> None:
            if future is self._future:  # else it was given up
                self._future, self._lost = None, False
                answered(future.result())

        self._asked, self._future = self._clock(), self._client.call_async(request)
        self._future.add_done_callback(done)
        return not self._lost

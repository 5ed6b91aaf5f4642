"""Requests of moveit_payload_node: one at a time, each with a timeout."""

import time
from collections.abc import Callable
from typing import Any

from modular_dynamics_interfaces.srv import SetPayload
from rclpy.client import Client

from modular_dynamics_ros.moveit.load import Load

__all__ = ["Request", "payload_request"]

PATIENCE = 5.0  # [s] for an answer: one of a server that has ended never comes


class Request:
    """Calls of one service, without waiting for them."""

    def __init__(self, client: Client) -> None:
        self._client, self._asked, self._lost = client, 0.0, False
        self._future: Any = None

    @property
    def ready(self) -> bool:
        """Return whether the service is available."""
        return bool(self._client.service_is_ready())

    @property
    def awaits(self) -> bool:
        """Return whether an answer is awaited."""
        return self._future is not None and time.monotonic() - self._asked < PATIENCE

    def send(self, request: Any, answered: Callable[[Any], None]) -> bool:
        """Ask, unless an answer is awaited; False if there is no service or the last request timed out."""
        if self._future is not None:
            if time.monotonic() - self._asked < PATIENCE:
                return not self._lost
            self._client.remove_pending_request(self._future)
            self._future, self._lost = None, True
        if not self.ready:
            return False

        def done(future: Any) -> None:
            self._future, self._lost = None, False
            answered(future.result())

        self._asked, self._future = time.monotonic(), self._client.call_async(request)
        self._future.add_done_callback(done)
        return not self._lost


def payload_request(link: str, load: Load | None) -> SetPayload.Request:
    """Return a request for a load; None removes the present one."""
    request = SetPayload.Request(link=link)
    if load is not None:
        own, about = request.inertia, load.inertia
        own.m = float(load.mass)
        own.com.x, own.com.y, own.com.z = map(float, load.com)
        own.ixx, own.ixy, own.ixz = map(float, about[0])
        own.iyy, own.iyz, own.izz = float(about[1, 1]), float(about[1, 2]), float(about[2, 2])
    return request

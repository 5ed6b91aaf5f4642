"""The lifecycle state of a node, requested again until the node answers."""

import time

from lifecycle_msgs.srv import GetState
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future

__all__ = ["LifecycleState"]

PATIENCE = 10.0  # [s] for an answer, before another client asks


class LifecycleState:
    """The state of a node, which answers once it has tried to start.

    On a busy computer Fast DDS loses answers that a service gives before it has discovered the client
    (ros2/rmw_fastrtps issue 842), and services stay undiscovered (792). So a new client asks now and then.

    Args:
        asking: the node that asks. name: of the node that is asked.
    """

    def __init__(self, asking: Node, name: str) -> None:
        self._asking, self._service = asking, f"{name}/get_state"
        self._client: Client | None = None
        self._answer: Future | None = None
        self._due = 0.0  # when a new client asks
        self._label: str | None = None

    def label(self) -> str | None:
        """Return a label such as "active"; None before the first reply. Each call may also send a request."""
        if self._label is None and self._answer is not None and self._answer.done():
            self._label = str(self._answer.result().current_state.label)
        if self._label is None:
            self._ask()
        return self._label

    def _ask(self) -> None:
        if self._client is None or time.monotonic() >= self._due:
            if self._client is not None:
                self._asking.destroy_client(self._client)
            self._client, self._answer = self._asking.create_client(GetState, self._service), None
            self._due = time.monotonic() + PATIENCE
        if self._answer is None and self._client.service_is_ready():
            self._answer = self._client.call_async(GetState.Request())

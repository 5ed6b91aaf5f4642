"""robot_state_publisher takes a new description by its parameter, not by the topic."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rclpy.validate_full_topic_name import validate_full_topic_name
from rclpy.validate_topic_name import validate_topic_name

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import ParameterError

PATIENCE = 2.0  # [s] for an answer; a node that ends in between never answers
STARTING = 5.0  # [s] that it may need until its service is there: both are started together


def require_node_name(name: str) -> None:
    """Raise ParameterError if no node can have this name."""
    try:
        validate_topic_name(f"{name}/set_parameters", is_service=True)
        validate_full_topic_name(f"/{name.lstrip('~/')}/set_parameters", is_service=True)  # also its length
    except NameValidationException as error:
        why = str(error).splitlines()[0].removeprefix("Invalid service name: ").rstrip(":")
        raise ParameterError(
            f"robot_state_publisher is {name[:100]!r}, which is no node's name: {why}"
        ) from None


class _Call(NamedTuple):
    """A request with this description, awaited since a time of the monotonic clock [s]."""

    future: Any
    urdf: str
    began: float


class StatePublisherClient:
    """Sets the parameter robot_description of a robot_state_publisher to the newest description.

    A node that is not there yet gets it when it comes; one that is busy gets the newest next.
    """

    def __init__(
        self, node: Node, name: str, log: ChangeLog, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._node, self._name, self._log, self._clock = node, name, log, clock
        self._client = node.create_client(SetParameters, f"{name}/set_parameters")
        self._urdf: str | None = None  # description to be sent
        self._call: _Call | None = None  # request without a reply yet
        self._missing: float | None = None  # since when its service is [s]

    def set(self, urdf: str) -> None:
        """Set this description, now or as soon as possible."""
        self._urdf = urdf
        self.try_again()

    def try_again(self) -> None:
        """Call now and then: send what is not sent yet."""
        if self._call is not None and self._clock() - self._call.began > PATIENCE:
            self._client.remove_pending_request(self._call.future)
            self._urdf, self._call = self._urdf or self._call.urdf, None
        if self._urdf is None or self._call is not None:
            return
        if not self._client.service_is_ready():
            self._missing = self._clock() if self._missing is None else self._missing
            if self._clock() - self._missing > STARTING:
                text = (
                    f"no service '{self._name}/set_parameters': does robot_state_publisher run by this name?"
                )
                self._log.problem("robot_state_publisher", "missing", text)
            return
        self._missing = None
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=self._urdf)
        request = SetParameters.Request(parameters=[Parameter(name="robot_description", value=value)])
        future = self._client.call_async(request)
        self._call, self._urdf = _Call(future, self._urdf, self._clock()), None
        future.add_done_callback(self._on_answer)

    def destroy(self) -> None:
        """Remove the client; an answer that still comes leads to no new request."""
        self._urdf = None
        self._node.destroy_client(self._client)

    def _on_answer(self, future: Any) -> None:
        if self._call is None or future is not self._call.future:
            return  # the request was abandoned
        self._call = None
        response = future.result()
        if response is None or not all(result.successful for result in response.results):
            reasons = [] if response is None else [result.reason for result in response.results]
            text = f"'{self._name}' refused the description: {'; '.join(reasons)}"
            self._log.event("robot_state_publisher", "refused", text)
        self.try_again()

"""robot_state_publisher takes a new description by its parameter, not by the topic."""

import time
from collections.abc import Callable
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rclpy.validate_full_topic_name import validate_full_topic_name
from rclpy.validate_topic_name import validate_topic_name

from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import ParameterError
from modular_dynamics_ros.node.worker import Calls

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


class StatePublisherClient:
    """Sets the parameter robot_description of a robot_state_publisher to the newest description.

    A node that is not there yet gets it when it comes; one that is busy gets the newest next.
    """

    def __init__(
        self, node: Node, name: str, log: ChangeLog, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._node, self._name, self._log, self._clock = node, name, log, clock
        self._client = node.create_client(SetParameters, f"{name}/set_parameters")
        self._calls = Calls(self._client, PATIENCE, clock)
        self._urdf: str | None = None  # description that is not known to be set
        self._missing: float | None = None  # since when its service is [s]

    def set(self, urdf: str) -> None:
        """Set this description, now or as soon as possible."""
        self._urdf = urdf
        self.try_again()

    def try_again(self) -> None:
        """Call now and then: send what is not known to be set."""
        if (urdf := self._urdf) is None or self._calls.awaits:
            return
        if not self._calls.ready:
            self._missing = self._clock() if self._missing is None else self._missing
            if self._clock() - self._missing > STARTING:
                text = (
                    f"no service '{self._name}/set_parameters': does robot_state_publisher run by this name?"
                )
                self._log.problem("robot_state_publisher", "missing", text)
            return
        self._missing = None
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=urdf)
        request = SetParameters.Request(parameters=[Parameter(name="robot_description", value=value)])
        self._calls.send(request, lambda response: self._answered(urdf, response))

    def destroy(self) -> None:
        """Remove the client; an answer that still comes leads to no new request."""
        self._urdf = None
        self._node.destroy_client(self._client)

    def _answered(self, urdf: str, response: Any) -> None:
        if response is None or not all(result.successful for result in response.results):
            reasons = [] if response is None else [result.reason for result in response.results]
            text = f"'{self._name}' refused the description: {'; '.join(reasons)}"
            self._log.event("robot_state_publisher", "refused", text)
        if self._urdf == urdf:
            self._urdf = None
        self.try_again()

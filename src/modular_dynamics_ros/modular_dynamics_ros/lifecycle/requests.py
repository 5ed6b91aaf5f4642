"""The services that rclpy gives every node: whatever is requested is processed, and ends no node.

rclpy raises where a transition is not possible in the present state (rclpy issue 1209) and where a parameter
has an unknown type; the executor then never answers.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from lifecycle_msgs.srv import ChangeState, GetAvailableTransitions
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.node import Node

from modular_dynamics_ros.diagnostics.change_log import described
from modular_dynamics_ros.exceptions import listed

QUIET = 2.0  # [s] in which the same refusal is not logged again
MOST_CHARACTERS = 60  # of a label in the log

Answer = Callable[[Any, Any], Any]


def answer_all_requests(node: Node) -> None:
    """Call once, after the node is made: its services answer what they would otherwise raise at."""
    services = {service.srv_name.rpartition("/")[2]: service for service in node.services}
    if not all(hasattr(service, "callback") for service in services.values()):
        return  # another rclpy: the executor catches what services raise, and they do not answer
    if "change_state" in services:
        change, transitions = services["change_state"], services["get_available_transitions"].callback
        change.callback = _ChangeState(node, change.callback, transitions)
    if "set_parameters" in services:
        service = services["set_parameters"]
        service.callback = partial(_set_one_by_one, node, service.callback)
    if "set_parameters_atomically" in services:
        service = services["set_parameters_atomically"]
        service.callback = partial(_set_all, node, service.callback)


class _ChangeState:
    """A service callback that passes requests for legal transitions to rclpy, and refuses all others.

    Args:
        answer, transitions: rclpy's callbacks of change_state and get_available_transitions.
    """

    def __init__(self, node: Node, answer: Answer, transitions: Answer) -> None:
        self._node, self._answer, self._transitions = node, answer, transitions
        self._refused, self._until = "", 0.0

    def __call__(self, request: ChangeState.Request, response: ChangeState.Response) -> Any:
        """Change the state by a transition's id or its label, which takes precedence."""
        known = self._transitions(GetAvailableTransitions.Request(), GetAvailableTransitions.Response())
        legal = {one.transition.id: one.transition.label for one in known.available_transitions}
        wanted = request.transition
        if wanted.id in legal or wanted.label in legal.values():
            return _processed(self._node, self._answer, request, response, self._fail)
        possible = ", ".join(f"{label} ({number})" for number, label in legal.items()) or "none"
        what = f"transition '{wanted.label[:MOST_CHARACTERS]}' (id {wanted.id})"
        text = f"change_state refused: {what} is not possible now; possible: {possible}"
        now = time.monotonic()
        if text != self._refused or now > self._until:  # not repeatedly for a client that repeats it
            self._node.get_logger().warning(text)
        self._refused, self._until = text, now + QUIET
        response.success = False
        return response

    def _fail(self, response: ChangeState.Response, why: str) -> None:
        self._node.get_logger().error(f"change_state failed, unexpectedly: {why}")
        response.success = False


def _set_one_by_one(
    node: Node, answer: Answer, request: SetParameters.Request, response: SetParameters.Response
) -> Any:
    """Set or refuse each parameter on its own."""

    def refuse(response: SetParameters.Response, why: str) -> None:
        response.results = [SetParametersResult(successful=False, reason=why)]

    for parameter in request.parameters:
        one = SetParameters.Request(parameters=[parameter]), SetParameters.Response()
        response.results.extend(_set_known(node, answer, *one, refuse).results)
    return response


def _set_all(node: Node, answer: Answer, request: Any, response: SetParametersAtomically.Response) -> Any:
    """Set all parameters, or refuse all."""

    def refuse(response: SetParametersAtomically.Response, why: str) -> None:
        response.result = SetParametersResult(successful=False, reason=why)

    return _set_known(node, answer, request, response, refuse)


def _set_known(
    node: Node, answer: Answer, request: Any, response: Any, refuse: Callable[[Any, str], None]
) -> Any:
    """Set parameters; refuse those that the node does not have by name: rclpy names none."""
    if names := [one.name for one in request.parameters if not node.has_parameter(one.name)]:
        refuse(response, f"no parameter {listed(names)}")
        return response
    return _processed(node, answer, request, response, refuse)


def _processed(
    node: Node, answer: Answer, request: Any, response: Any, refuse: Callable[[Any, str], None]
) -> Any:
    """Return rclpy's answer; refuse the request where rclpy raises: the client waits for an answer."""
    try:
        return answer(request, response)
    except Exception as error:
        if node.context.ok():
            refuse(response, described(error))
        return response

"""The services that rclpy gives every node: whatever is requested is answered, and ends no node.

rclpy raises where a transition is not possible in the present state (rclpy issue 1209) and where a parameter
has an unknown type; the executor then never answers.
"""

import time
from collections.abc import Callable
from typing import Any

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetAvailableTransitions, GetState
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.node import Node

from modular_dynamics_ros.diagnostics.change_log import described
from modular_dynamics_ros.exceptions import listed

__all__ = ["answer_all_requests"]

QUIET = 2.0  # [s] in which the same refusal is not logged again
MOST_CHARACTERS = 60  # of a label in the log

Answer = Callable[[Any, Any], Any]


def answer_all_requests(node: Node) -> None:
    """Call once, after the node is made: its services answer what they would otherwise raise at."""
    services = {service.srv_name.rpartition("/")[2]: service for service in node.services}
    if not all(hasattr(service, "callback") for service in services.values()):
        return  # another rclpy: the executor catches what services raise, and they do not answer
    if {"change_state", "get_state", "get_available_transitions"} <= services.keys():
        change = services["change_state"]
        ask = services["get_available_transitions"].callback, services["get_state"].callback
        change.callback = _ChangeState(node, change.callback, *ask)
    if "set_parameters" in services:
        set_each = services["set_parameters"]
        set_each.callback = _one_by_one(_knowing(node, set_each.callback, _refuse_parameters))
    if "set_parameters_atomically" in services:
        set_all = services["set_parameters_atomically"]
        set_all.callback = _knowing(node, set_all.callback, _refuse_all)


class _ChangeState:
    """A service callback that passes legal requests to rclpy and refuses all others.

    Args:
        answer, transitions, state: rclpy's callbacks of change_state, get_available_transitions, get_state.
    """

    def __init__(self, node: Node, answer: Answer, transitions: Answer, state: Answer) -> None:
        self._node, self._transitions, self._state = node, transitions, state
        self._answer = _refusing(node, answer, self._fail)
        self._refused, self._until = "", 0.0

    def __call__(self, request: ChangeState.Request, response: ChangeState.Response) -> Any:
        """Change the state by a transition's id, label, or both if they agree."""
        wanted = request.transition
        answer = self._transitions(GetAvailableTransitions.Request(), GetAvailableTransitions.Response())
        legal = {one.transition.id: one.transition.label for one in answer.available_transitions}
        meant = [k for k, label in legal.items() if wanted.id in (0, k) and wanted.label in ("", label)]
        if len(meant) != 1 or not (wanted.id or wanted.label):
            self._refuse(wanted, legal)
            response.success = False
            return response
        request.transition = Transition(id=meant[0])
        return self._answer(request, response)

    def _fail(self, request: Any, response: ChangeState.Response, why: str) -> None:
        self._node.get_logger().error(f"change_state failed, unexpectedly: {why}")
        response.success = False

    def _refuse(self, wanted: Transition, legal: dict[int, str]) -> None:
        """Log a refusal, but not repeatedly for a client that repeats its request."""
        state = self._state(GetState.Request(), GetState.Response()).current_state.label
        possible = ", ".join(f"{label} ({number})" for number, label in legal.items()) or "none"
        text = (
            f"change_state refused: transition '{wanted.label[:MOST_CHARACTERS]}' (id {wanted.id}) is not "
            f"possible in state '{state}'; possible: {possible}"
        )
        now = time.monotonic()
        if text != self._refused or now > self._until:
            self._node.get_logger().warning(text)
        self._refused, self._until = text, now + QUIET


def _refusing(node: Node, answer: Answer, refuse: Callable[[Any, Any, str], None]) -> Answer:
    """Return a function that answers as `answer`, or refuses the request if that raises."""

    def answer_or_refuse(request: Any, response: Any) -> Any:
        try:
            return answer(request, response)
        except Exception as error:  # the client waits for an answer
            if node.context.ok():
                refuse(request, response, described(error))
            return response

    return answer_or_refuse


def _knowing(node: Node, answer: Answer, refuse: Callable[[Any, Any, str], None]) -> Answer:
    """Return `_refusing` that names the parameters which the node does not have: rclpy names none."""
    answer = _refusing(node, answer, refuse)

    def answer_known(request: Any, response: Any) -> Any:
        if names := [one.name for one in request.parameters if not node.has_parameter(one.name)]:
            refuse(request, response, f"no parameter {listed(names)}")
            return response
        return answer(request, response)

    return answer_known


def _one_by_one(answer: Answer) -> Answer:
    """Return a callback of set_parameters that sets or refuses each parameter on its own."""

    def answer_each(request: SetParameters.Request, response: SetParameters.Response) -> Any:
        for parameter in request.parameters:
            one = answer(SetParameters.Request(parameters=[parameter]), SetParameters.Response())
            response.results.extend(one.results)
        return response

    return answer_each


def _refuse_parameters(request: SetParameters.Request, response: SetParameters.Response, why: str) -> None:
    response.results = [SetParametersResult(successful=False, reason=why) for _ in request.parameters]


def _refuse_all(request: Any, response: SetParametersAtomically.Response, why: str) -> None:
    response.result = SetParametersResult(successful=False, reason=why)

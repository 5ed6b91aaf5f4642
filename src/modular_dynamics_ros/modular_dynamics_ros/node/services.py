"""Services that a thread answers: the executor answers joint states meanwhile."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from modular_dynamics_ros.diagnostics.change_log import described, one_line
from modular_dynamics_ros.exceptions import NodeError
from modular_dynamics_ros.lifecycle.entities import REQUESTS
from modular_dynamics_ros.node.worker import Worker

Fill = Callable[[Any, Any, Any], None]
"""Fills in a response, by request, response and session; it may raise."""


class ComputingServices:
    """Services of a node that a thread answers, one request at a time; every error becomes a response.

    They are there as long as their node, and refuse all requests while it is not active.

    Args:
        node: it changes in another thread. `active`; `session`: of its robot, or None; `why_no_robot`.
        services: type and name of each, and what fills in its responses.
        code_of: returns the name of an error's constant; UNEXPECTED: no request should cause the error.
    """

    def __init__(
        self, node: Any, services: Iterable[tuple[type, str, Fill]], code_of: Callable[[Exception], str]
    ) -> None:
        self._node, self._code_of, self._worker = node, code_of, Worker(node)
        group = MutuallyExclusiveCallbackGroup()
        for kind, name, fill in services:
            answer = self._answering(name, fill)
            node.create_service(kind, f"~/{name}", answer, qos_profile=REQUESTS, callback_group=group)

    def destroy(self) -> None:
        """Refuse requests from now on."""
        self._worker.destroy(NodeError("the node ended"))

    def empty_response(self, request: Any, response: Any) -> Any:
        """Return the response to a request that was refused, without what was filled in before the error."""
        return type(response)()

    def _answering(self, name: str, fill: Fill) -> Any:
        """Return a service's callback."""

        async def answer(request: Any, response: Any) -> Any:
            try:
                code, text = await self._worker.run(partial(self._outcome, name, fill, request, response))
            except NodeError as error:
                code, text = "NOT_ACTIVE", str(error)
            if code != "NONE":
                response = self.empty_response(request, response)
            response.error_code, response.error_message = getattr(type(response), code), one_line(text)
            response.success = code == "NONE"
            return response

        return answer

    def _outcome(self, name: str, fill: Fill, request: Any, response: Any) -> tuple[str, str]:
        """Fill in the response, and return its result code's name and its message."""
        node = self._node
        if not node.active:
            return "NOT_ACTIVE", "the node is not active; configure and activate it first"
        if (session := node.session) is None:
            return "NOT_ACTIVE", node.why_no_robot
        try:
            fill(request, response, session)
        except Exception as error:  # a service must not end the node
            if (code := self._code_of(error)) != "UNEXPECTED":
                return code, str(error)
            text = described(error)
            if node.context.ok():
                node.get_logger().error(f"unexpected error in ~/{name}: {text}")
            return code, text
        return "NONE", ""

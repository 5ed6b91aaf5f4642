"""The services: a thread computes the answers, and every error becomes a response."""

from functools import partial
from typing import Any, Protocol

from modular_dynamics_interfaces.srv import (
    ForwardDynamics,
    GetEquationOfMotion,
    GetJacobian,
    GetSubsystemGraph,
    InverseDynamics,
    TrajectoryTorques,
)
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from modular_dynamics_ros.diagnostics.failures import described, one_line
from modular_dynamics_ros.exceptions import NodeError
from modular_dynamics_ros.node.topics import REQUESTS
from modular_dynamics_ros.node.worker import Worker

__all__ = ["Host", "QueryServices"]


class Host(Protocol):
    """What the services need of their node. It changes in another thread."""

    @property
    def active(self) -> bool:
        """Return whether the node is active."""

    @property
    def session(self) -> Any:
        """The session of the robot; None without one."""

    @property
    def why_no_robot(self) -> str:
        """Return why no robot is active."""

    def now(self) -> int:
        """Return the node's clock [ns]."""


class QueryServices:
    """Services that are there as long as their node, and refuse all requests while it is not active.

    The computation is imported with the first request of an active node: a node that starts does not wait.
    """

    def __init__(self, node: Node, host: Host) -> None:
        self._node, self._host = node, host
        self._worker, group = Worker(node), MutuallyExclusiveCallbackGroup()  # one request at a time
        self._answers: Any = None
        for kind, name in (
            (InverseDynamics, "inverse_dynamics"),
            (ForwardDynamics, "forward_dynamics"),
            (GetEquationOfMotion, "equation_of_motion"),
            (GetJacobian, "jacobian"),
            (GetSubsystemGraph, "get_subsystem_graph"),
            (TrajectoryTorques, "trajectory_torques"),
        ):
            answer = self._answering(name)
            node.create_service(kind, f"~/{name}", answer, qos_profile=REQUESTS, callback_group=group)

    def destroy(self) -> None:
        """Answer no more."""
        self._worker.destroy(NodeError("the node ended"))

    def _answering(self, name: str) -> Any:
        async def answer(request: Any, response: Any) -> Any:
            try:
                code, text = await self._worker.run(partial(self._outcome, name, request, response))
            except NodeError as error:
                code, text = "NOT_ACTIVE", str(error)
            if code != "NONE":
                response = type(response)()  # an empty response: no fields filled in before the error
            response.error_code, response.error_message = getattr(type(response), code), one_line(text)
            response.success = code == "NONE"
            return response

        return answer

    def _outcome(self, name: str, request: Any, response: Any) -> tuple[str, str]:
        """Fill in the response, and return its result code's name and its message."""
        try:
            session, why = self._session()
            if session is None:
                return "NOT_ACTIVE", why
            if self._answers is None:
                from modular_dynamics_ros.queries.answers import Answers  # noqa: PLC0415  # the library

                self._answers = Answers()
            outcome: tuple[str, str] = self._answers.outcome(
                name, request, response, session, self._host.now()
            )
            return outcome
        except Exception as error:  # a service must not end the node
            text = described(error)
            if self._node.context.ok():
                self._node.get_logger().error(f"unexpected error in ~/{name}: {text}")
            return "UNEXPECTED", text

    def _session(self) -> tuple[Any, str]:
        """Return the active robot's session, or why there is none."""
        if not self._host.active:
            return None, "the node is not active; configure and activate it first"
        session = self._host.session
        return session, "" if session is not None else self._host.why_no_robot

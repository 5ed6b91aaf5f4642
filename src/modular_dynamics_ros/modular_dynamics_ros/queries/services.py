"""The services: a thread of their own answers them, and every error becomes a response."""

from typing import Any, Protocol

from modular_dynamics_interfaces.srv import (
    ForwardDynamics,
    GetEquationOfMotion,
    GetJacobian,
    GetSubsystemGraph,
    InverseDynamics,
    TrajectoryTorques,
)
from rclpy.node import Node

from modular_dynamics_ros.diagnostics.failures import described, one_line
from modular_dynamics_ros.node.threads.service_thread import ServiceThread

__all__ = ["Host", "QueryServices"]


AT_ONCE = 1000  # points of a trajectory that are freed: it takes about a millisecond


class Host(Protocol):
    """What the services need of their node. It changes in another thread."""

    @property
    def active(self) -> bool:
        """Return whether the node is active."""

    @property
    def succession(self) -> Any:
        """The robots: see `Succession`."""

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
        self._thread = ServiceThread(node, "queries")
        self._answers: Any = None
        for kind, name in (
            (InverseDynamics, "inverse_dynamics"),
            (ForwardDynamics, "forward_dynamics"),
            (GetEquationOfMotion, "equation_of_motion"),
            (GetJacobian, "jacobian"),
            (GetSubsystemGraph, "get_subsystem_graph"),
            (TrajectoryTorques, "trajectory_torques"),
        ):
            self._thread.add(kind, f"~/{name}", self._answering(name))
        self._thread.start()

    def destroy(self) -> None:
        """Answer no more."""
        self._thread.destroy()

    def _answering(self, name: str) -> Any:
        def answer(request: Any, response: Any) -> Any:
            code, text = self._outcome(name, request, response)
            _free(request)
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
        session = self._host.succession.current
        return session, "" if session is not None else self._host.why_no_robot


def _free(request: Any) -> None:
    """Remove points of a trajectory in parts, as freeing a whole list blocks all other threads."""
    points = request.trajectory.points if isinstance(request, TrajectoryTorques.Request) else []
    while points:
        del points[-AT_ONCE:]

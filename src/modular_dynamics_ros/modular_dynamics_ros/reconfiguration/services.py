"""Services that change the robot: every request is answered, whatever the state of the node."""

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from modular_dynamics_interfaces.srv import (
    AttachSubsystem,
    DetachSubsystem,
    LockJoints,
    SetModelParameters,
    SetPayload,
)
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from modular_dynamics_ros.node.topics import REQUESTS

__all__ = ["Answers", "ReconfigurationServices"]

KINDS = {
    "set_payload": SetPayload,
    "attach_subsystem": AttachSubsystem,
    "detach_subsystem": DetachSubsystem,
    "lock_joints": LockJoints,
    "set_model_parameters": SetModelParameters,
}


class Answers(Protocol):
    """See `ChangeAnswers`, which imports the library: a node that starts does not wait for that.

    It has a coroutine for each of KINDS, which takes request and response.
    """

    def end(self) -> None:
        """Prepare nothing more; what is being prepared is refused."""


class ReconfigurationServices:
    """Services that are there as long as their node, and refuse all requests while it is not configured.

    One request at a time: their group is theirs alone, so that the node's other callbacks go on meanwhile.
    """

    def __init__(self, node: Node) -> None:
        self._answers: Answers | None = None  # while configured
        group = MutuallyExclusiveCallbackGroup()
        for name, kind in KINDS.items():
            answer = self._answering(name)
            node.create_service(kind, f"~/{name}", answer, qos_profile=REQUESTS, callback_group=group)

    def begin(self, answers: Answers) -> None:
        """Answer requests; the node is configured."""
        self._answers = answers

    def end(self) -> None:
        """Answer no more requests; the one whose change is being prepared is refused now.

        Safe to repeat.
        """
        if self._answers is None:
            return
        self._answers.end()
        self._answers = None

    def _answering(self, name: str) -> Callable[[Any, Any], Coroutine[Any, Any, Any]]:
        async def answer(request: Any, response: Any) -> Any:
            if self._answers is not None:
                return await getattr(self._answers, name)(request, response)
            response.success, response.error_code = False, response.NOT_ACTIVE
            response.error_message = "the node is not active; configure and activate it first"
            return response

        return answer

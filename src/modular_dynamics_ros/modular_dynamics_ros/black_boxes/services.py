"""Services about black boxes. Each request is answered in a thread: to average a wrench takes time."""

import math
import threading
from functools import partial
from typing import Any, Protocol

from geometry_msgs.msg import Point, Vector3
from modular_dynamics_interfaces.srv import IdentifyPayload, TareBlackBox
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from modular_dynamics_ros.diagnostics.failures import described, one_line
from modular_dynamics_ros.exceptions import BadMessage, NodeError, OffsetsFileError
from modular_dynamics_ros.messages.wrenches import wrench_message
from modular_dynamics_ros.node.topics import REQUESTS
from modular_dynamics_ros.node.worker import Worker

__all__ = ["BlackBoxServices", "Host"]

USUAL_DURATION, LONGEST_DURATION = 0.5, 60.0  # [s]
USUAL_CONFIDENCE = 0.95


class Host(Protocol):
    """What the services need of their node. It changes in another thread."""

    @property
    def active(self) -> bool:
        """Return whether the node is active."""

    @property
    def session(self) -> Any:
        """Return the session of the active robot."""

    @property
    def why_no_robot(self) -> str:
        """Return why no robot is active."""


class _Refusal(Exception):
    """A request that is refused; ``code``: the service's constant for the reason."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class BlackBoxServices:
    """tare_black_box and identify_payload, as long as their node is there."""

    def __init__(self, node: Node, host: Host) -> None:
        self._node, self._host, self._ended = node, host, threading.Event()
        self._worker, group = Worker(node), MutuallyExclusiveCallbackGroup()  # one request at a time
        for kind, name, fill in (
            (TareBlackBox, "~/tare_black_box", self._tare),
            (IdentifyPayload, "~/identify_payload", self._identify),
        ):
            answer = self._answering(fill)
            node.create_service(kind, name, answer, qos_profile=REQUESTS, callback_group=group)

    def destroy(self) -> None:
        """Answer no more."""
        self._ended.set()
        self._worker.destroy(NodeError("the node ended"))

    def _answering(self, fill: Any) -> Any:
        async def answer(request: Any, response: Any) -> Any:
            try:
                await self._worker.run(partial(fill, request, response))
                response.success = True
            except Exception as error:  # a service must not end the node
                response = type(response)()
                code, text = self._reason(error)
                response.error_code, response.error_message = getattr(type(response), code), one_line(text)
                if isinstance(response, IdentifyPayload.Response):
                    response.poses = self._poses(request.black_box)
            return response

        return answer

    def _reason(self, error: Exception) -> tuple[str, str]:
        if isinstance(error, _Refusal):
            return error.code, str(error)
        if isinstance(error, OffsetsFileError):
            return "FILE", str(error)
        if isinstance(error, (BadMessage, NodeError)):
            return "REFUSED", str(error)
        text = described(error)
        if self._node.context.ok():
            self._node.get_logger().error(f"unexpected error in a service of black boxes: {text}")
        return "UNEXPECTED", text

    def _measuring(self, box: str) -> Any:
        """Return the session's measuring, for a black box of the robot."""
        if not self._host.active:
            raise _Refusal("NOT_ACTIVE", "the node is not active; configure and activate it first")
        if (session := self._host.session) is None:
            raise _Refusal("NOT_ACTIVE", self._host.why_no_robot)
        if box not in (names := session.boxes.names):
            text = f"no black box '{box:.80}'; there are: {', '.join(names) or 'none'}"
            raise _Refusal("UNKNOWN_NAME", text)
        from modular_dynamics_ros.black_boxes.measuring import Measuring  # noqa: PLC0415  # the library

        return Measuring(session.boxes, box, self._ended)

    def _poses(self, box: str) -> int:
        """Return how many poses are collected for a black box; 0 if there is no such box."""
        session = self._host.session
        return 0 if session is None else len(session.boxes.poses.get(box, ("", []))[1])

    def _tare(self, request: TareBlackBox.Request, response: TareBlackBox.Response) -> None:
        measuring = self._measuring(request.black_box)
        if request.reset:
            measuring.reset_offset()
            return
        offset, deviation = measuring.tare(_duration(request.duration))
        response.offset, response.deviation = wrench_message(offset), wrench_message(deviation)

    def _identify(self, request: IdentifyPayload.Request, response: IdentifyPayload.Response) -> None:
        measuring = self._measuring(request.black_box)
        if request.command == request.RESET:
            measuring.forget_poses()
        elif request.command == request.ADD_POSE:
            measuring.add_pose(_duration(request.duration))
        elif request.command == request.SOLVE:
            payload = measuring.solve(_confidence(request.confidence))
            response.mass, response.mass_interval = payload.mass, float(payload.mass_interval)
            response.com = Point(**_xyz(payload.com))
            response.com_interval = Vector3(**_xyz(payload.com_interval))
            response.offset, response.residual = wrench_message(payload.offset), payload.residual
        else:
            commands = "RESET (0), ADD_POSE (1) and SOLVE (2)"
            raise _Refusal("BAD_STATE", f"command {request.command} is none of {commands}")
        response.poses = measuring.poses


def _duration(asked: float) -> float:
    if not (math.isfinite(asked) and 0.0 <= asked <= LONGEST_DURATION):
        text = f"duration is {asked:g} s; {LONGEST_DURATION:g} s at most, or 0 for {USUAL_DURATION:g} s"
        raise _Refusal("BAD_STATE", text)
    return asked or USUAL_DURATION


def _confidence(asked: float) -> float:
    if not 0.0 <= asked < 1.0:  # NaN is refused, too
        text = f"confidence is {asked:g}; a probability below 1 is needed, or 0 for {USUAL_CONFIDENCE:g}"
        raise _Refusal("BAD_STATE", text)
    return asked or USUAL_CONFIDENCE


def _xyz(values: Any) -> dict[str, float]:
    return dict(zip("xyz", values.tolist(), strict=True))

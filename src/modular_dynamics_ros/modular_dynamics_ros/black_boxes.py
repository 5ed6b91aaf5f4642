"""What dynamics_node does for its black boxes: states that wait for wrenches, tare, identification."""

import math
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from geometry_msgs.msg import Point, Vector3
from modular_dynamics_interfaces.srv import IdentifyPayload, TareBlackBox
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from modular_dynamics_ros.computation.black_boxes.averaging import Averaged, Averaging, held_wrenches
from modular_dynamics_ros.computation.black_boxes.identification import (
    IdentifiedPayload,
    RestPose,
    UnfitPosesError,
    identify_payload,
)
from modular_dynamics_ros.computation.black_boxes.offsets import SensorOffset
from modular_dynamics_ros.computation.black_boxes.sensors import (
    BlackBoxMotions,
    Load,
    SensorPlacement,
    gravity_at,
    load_assignments,
    sensor_placement,
)
from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.computation.subsystem.rendezvous import Meeting, Rendezvous
from modular_dynamics_ros.computation.values import Array, State, Wrenches
from modular_dynamics_ros.computation.wrenches.timed_wrenches import TimedWrench
from modular_dynamics_ros.diagnostics.change_log import described, one_line
from modular_dynamics_ros.exceptions import BadMessage, NodeError, OffsetsFileError, listed
from modular_dynamics_ros.lifecycle.node import STEADY_CLOCK
from modular_dynamics_ros.messages.geometry import wrench_message
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.topics import REQUESTS
from modular_dynamics_ros.node.worker import Worker
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

KEPT = 1.0  # [s] that a wrench is kept for a joint state with its stamp
SHORTEST_LOOK, LONGEST_LOOK = 0.001, 0.02  # [s] between checks for states that have timed out
REPLACED = "robot replaced", "the robot was replaced before the wrenches of its black boxes came"

Answering = Callable[[State, int, Mapping[str, TimedWrench] | BadMessage], None]
"""Takes a state, its arrival [ns of the system], and its wrenches or why it has none."""


class BlackBoxes:
    """All is called in the executor's thread; `averaging` and `poses` belong to the services' thread.

    Args:
        answer: takes each state that waited, in order.

    Attributes:
        names: of the black boxes. computation: of the robot. loads: what hangs beyond sensors, by name.
        retired: no more wrenches come, as another robot is active.
        averaging: collects wrenches and states while a service asks for it. poses: that are collected for the
            identification, with the sensor's frame.

    Raises:
        RobotError: black_box_loads does not fit the robot.
    """

    def __init__(
        self, node: SessionNode, computation: Computation, parameters: DynamicsParameters, answer: Answering
    ) -> None:
        robot = computation.robot
        self._node, self.computation, self._answer = node, computation, answer
        self.names = robot.black_boxes
        self.loads: dict[str, Load] = load_assignments(parameters.black_box_loads, self.names)
        self.averaging: Averaging | None = None
        self.poses: dict[str, tuple[str, list[RestPose]]] = {}
        self._motions = BlackBoxMotions(robot) if self.names else None
        self._wait = parameters.black_box_wait
        self._rendezvous: Rendezvous[tuple[State, int]] = Rendezvous(self.names, max(self._wait, KEPT))
        self._newest_wrench: dict[str, int] = {}  # stamp, by black box
        self.retired, self._timer = False, None

    @property
    def wait(self) -> float:
        """Seconds that a state waits for wrenches (parameter black_box_wait); 0 without black boxes."""
        return self._wait if self.names else 0.0

    @property
    def newest(self) -> int | None:
        """Stamp [ns] of the newest waiting state."""
        return max((one.stamp for one in self._rendezvous.waiting()), default=None)

    def activate(self) -> None:
        """Check for states that have timed out."""
        self.set_wait(self.wait)

    def set_wait(self, wait: float) -> None:
        """Let states wait so long [s] at most from now on."""
        self._wait, self._rendezvous.timeout = wait, max(wait, KEPT)
        self._stop_timer()
        if self.names and wait > 0.0:
            period = min(max(0.25 * wait, SHORTEST_LOOK), LONGEST_LOOK)
            self._timer = self._node.create_timer(period, self._look, clock=STEADY_CLOCK)
        self._look()

    def deactivate(self) -> None:
        """Forget what waits, and average no more."""
        self.averaging = None
        self._stop_timer()
        self._rendezvous.clear()

    def destroy(self) -> None:
        """Deactivate, and refer to the session no more: rings of objects are freed late."""
        self.deactivate()
        self.retired = True
        self._answer = lambda *of: None

    def retire(self) -> None:
        """Answer waiting states; no more wrenches will arrive."""
        self.retired = True
        self._stop_timer()
        self._give_up()

    def continue_from(self, other: "BlackBoxes") -> None:
        """Keep the poses of boxes that are still there: their sensors are the same."""
        self.poses = {name: poses for name, poses in other.poses.items() if name in self.names}

    def motions(self, state: State) -> dict[str, ConnectionMotion]:
        """Return the motions of all black boxes' connection points at a state."""
        assert self._motions is not None  # the caller has black boxes
        return self._motions(self.computation.robot, state)

    def held(self, state: State, previous: Answer) -> Wrenches:
        """Return wrenches at a state of rest: see `held_wrenches`."""
        return held_wrenches(
            state, previous, self.loads, lambda box: self.motions(state)[box].gravity_at_point
        )

    def begin_averaging(self, box: str) -> Averaging:
        """Collect wrenches of a box, and states, from now on; in the services' thread."""
        robot, longest_gap = self.computation.robot, self.computation.settings.stale_after
        units = {name: robot.position_unit(name) for name in robot.state_names}
        self.averaging = averaging = Averaging(box, units, self._node.now(), longest_gap)
        return averaging

    def end_averaging(self, averaging: Averaging) -> None:
        """End the averaging's time; it waits for one last state."""
        averaging.end(self._node.now())

    def observe(self, state: State) -> None:
        """Pass an answerable state to the averaging, whether it will be answered or not."""
        if (averaging := self.averaging) is not None:
            averaging.add_state(state)

    def measured(self, box: str, frame: str, wrench: Array) -> None:
        """Pass a wrench, as the sensor reports it, to the averaging."""
        if (averaging := self.averaging) is not None and averaging.box == box:
            averaging.add_wrench(frame, wrench)

    def refused(self, box: str, error: BadMessage) -> None:
        """Pass a refused wrench to the averaging."""
        if (averaging := self.averaging) is not None and averaging.box == box:
            averaging.add_refused(str(error))

    def taken(self, box: str, wrench: TimedWrench) -> None:
        """Match a wrench, with its offset removed, to waiting states."""
        if self.wait:
            stamp = wrench.arrival.stamp
            self._rendezvous.add_part(stamp, box, wrench, self._node.steady())
            self._newest_wrench[box] = stamp
            self._look()

    def add(self, state: State, arrival: int) -> None:
        """Let a state wait for its wrenches; states are answered in their order.

        A topic keeps its order: once a box has sent a later stamp, the earlier one will not come, and the
        state is given up at once. So a lost wrench costs its own state and delays none.

        Raises:
            BadMessage: the robot was replaced, or another state had the same stamp.
        """
        if self.retired:
            raise BadMessage(*REPLACED)
        if (newest := self.newest) is not None and state.stamp < newest:  # the clock was set back
            self._give_up()
            self._rendezvous.clear()
        if self._rendezvous.add_item(state.stamp, (state, arrival), self._node.steady()) is None:
            text = "another joint state had its stamp: the wrenches for them cannot be distinguished"
            raise BadMessage("repeated stamp", text)
        self._look()

    def _look(self) -> None:
        """Answer states whose wrenches have arrived, will not arrive, or are late."""
        now = self._node.steady()
        for meeting in self._rendezvous.overdue(now):
            self._finish(meeting)
        for meeting in sorted(self._rendezvous.waiting(), key=lambda one: one.stamp):
            late = now - meeting.since >= self._wait * 1e9
            missing = self._rendezvous.missing(meeting)
            if not late and any(self._newest_wrench.get(box, -1) < meeting.stamp for box in missing):
                return
            self._finish(meeting)

    def _give_up(self) -> None:
        """Answer all waiting states with the wrenches that they have."""
        for meeting in self._rendezvous.waiting():
            self._finish(meeting)

    def _finish(self, meeting: Meeting[tuple[State, int]]) -> None:
        meeting.done = True
        assert meeting.item is not None  # it waits
        if not (missing := self._rendezvous.missing(meeting)):
            self._answer(*meeting.item, meeting.parts)
        elif self.retired:
            self._answer(*meeting.item, BadMessage(*REPLACED))
        else:
            text = (
                f"black box {listed(missing)} sent no wrench with its stamp within {self.wait:g} s "
                "(black_box_wait), or has sent a later one already"
            )
            self._answer(*meeting.item, BadMessage("no wrench with its stamp", text))

    def _stop_timer(self) -> None:
        timer: Any = self._timer
        if timer is not None:
            self._node.destroy_timer(timer)
            self._timer = None


MOST_POSES = 1000
LOOK_PERIOD = 0.05  # [s] from one look whether the robot is still there to the next


class Measuring:
    """One black box.

    Args:
        ended: is set when the node ends; then nothing is averaged any more.
    """

    def __init__(self, boxes: BlackBoxes, box: str, ended: threading.Event) -> None:
        self._boxes, self._box, self._ended = boxes, box, ended

    def tare(self, duration: float) -> tuple[Array, Array]:
        """Take off from now on what the sensor reports beyond the weight of the known load.

        Returns:
            the offset and its deviation (6,), in the sensor's frame.

        Raises:
            BadMessage: the robot moves, too little has come, or in a frame where the offset is not constant.
            OffsetsFileError: the file cannot be written; nothing is taken off that was not before.
        """
        averaged, computation = self._average(duration), self._boxes.computation
        offset, placement = averaged.mean, self._placement(averaged)
        if (load := self._boxes.loads.get(self._box)) is not None:
            gravity = gravity_at(computation.robot, self._box, averaged.state)
            offset = offset - placement.reported(load.wrench(gravity))
        computation.wrenches.offsets.set(self._box, SensorOffset(averaged.frame, offset))
        return offset, averaged.deviation

    def reset_offset(self) -> None:
        """Take off nothing from now on.

        Raises:
            OffsetsFileError: the file cannot be written; the offset stays.
        """
        self._boxes.computation.wrenches.offsets.set(self._box, None)

    @property
    def poses(self) -> int:
        """Number of collected poses."""
        return len(self._boxes.poses.get(self._box, ("", []))[1])

    def forget_poses(self) -> None:
        """Forget the collected poses."""
        self._boxes.poses.pop(self._box, None)

    def add_pose(self, duration: float) -> None:
        """Average the wrench at the pose at which the robot stands.

        Raises:
            BadMessage: the robot moves, too little has come, or in a frame where the offset is not constant.
        """
        averaged, computation = self._average(duration), self._boxes.computation
        placement = self._placement(averaged)
        frame, poses = self._boxes.poses.setdefault(self._box, (averaged.frame, []))
        if frame != averaged.frame:
            before = f"the poses before are in frame '{frame}', this one in '{averaged.frame}'"
            text = f"{before}: RESET starts again"
            raise BadMessage("several frames", text)
        if len(poses) >= MOST_POSES:
            raise BadMessage("too many poses", f"{MOST_POSES} poses are collected already: SOLVE, or RESET")
        gravity = placement.rotation.T @ gravity_at(computation.robot, self._box, averaged.state)
        poses.append(RestPose(gravity, averaged.mean))

    def solve(self, confidence: float) -> IdentifiedPayload:
        """Return the payload identified from all collected poses.

        Raises:
            UnfitPosesError: nothing, or too little.
        """
        frame, poses = self._boxes.poses.get(self._box, ("", []))
        if not poses:
            text = f"no pose is collected of black box '{self._box}': ADD_POSE at each pose first"
            raise UnfitPosesError(text)
        placement = sensor_placement(self._boxes.computation, self._box, frame, None)
        return identify_payload(poses, placement, confidence)

    def _placement(self, averaged: Averaged) -> SensorPlacement:
        """Return the placement of the sensor.

        Raises:
            BadMessage: the sensor's frame moves against the connection point.
        """
        placement = sensor_placement(self._boxes.computation, self._box, averaged.frame, averaged.state)
        if placement.fixed:
            return placement
        raise BadMessage(
            "frame not fixed",
            f"frame '{averaged.frame}' moves against the connection point of '{self._box}': a sensor's "
            "offset is constant in its own frame only; give the wrench there",
        )

    def _average(self, duration: float) -> Averaged:
        averaging, wait = self._boxes.begin_averaging(self._box), self._ended.wait
        stale_after = self._boxes.computation.settings.stale_after
        try:
            interrupted = self._wait(duration, averaging, wait)
            if not interrupted:
                self._boxes.end_averaging(averaging)
                # it may come a period and a delay later, each up to stale_after, which may be long
                patience = min(2.0 * stale_after, duration + 1.0)
                interrupted = self._wait(patience, averaging, averaging.complete.wait)
        finally:
            self._boxes.averaging = None
        if self._boxes.retired:  # a newer robot is active: poses stored here would be lost
            text = "the robot was changed or replaced while the wrench was averaged; ask again"
            raise BadMessage("robot replaced", text)
        if interrupted:
            text = "the node was deactivated or ended while the wrench was averaged"
            raise BadMessage("interrupted", f"{text}; ask again when it is active")
        return averaging.result()

    def _wait(self, duration: float, averaging: Averaging, wait: Callable[[float], bool]) -> bool:
        """Wait for ``duration`` [s], or until ``wait`` returns true.

        Returns:
            whether no more wrenches come, which is noticed at once so that no client waits.
        """
        end = time.monotonic() + duration
        while self._boxes.averaging is averaging and not self._boxes.retired and not self._ended.is_set():
            left = end - time.monotonic()
            if left <= 0.0 or wait(min(left, LOOK_PERIOD)):
                return self._ended.is_set()
        return True


USUAL_DURATION, LONGEST_DURATION = 0.5, 60.0  # [s]
USUAL_CONFIDENCE = 0.95


class _Refusal(Exception):
    """A request that is refused; ``code``: the service's constant for the reason."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class BlackBoxServices:
    """tare_black_box and identify_payload, as long as their node is there.

    Args:
        host: the node, which changes in another thread: `active`, `session` of the active robot,
            `why_no_robot`.
    """

    def __init__(self, node: Node, host: Any) -> None:
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

    def _measuring(self, box: str) -> Measuring:
        """Return the session's measuring, for a black box of the robot."""
        if not self._host.active:
            raise _Refusal("NOT_ACTIVE", "the node is not active; configure and activate it first")
        if (session := self._host.session) is None:
            raise _Refusal("NOT_ACTIVE", self._host.why_no_robot)
        if box not in (names := session.boxes.names):
            text = f"no black box '{box:.80}'; there are: {', '.join(names) or 'none'}"
            raise _Refusal("UNKNOWN_NAME", text)
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

"""Black boxes of dynamics_node: their motions, tare, identification of payloads."""

import math
import threading
import time
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import Point, Vector3
from modular_dynamics_interfaces.srv import IdentifyPayload, TareBlackBox

from modular_dynamics_ros.computation.black_boxes.averaging import Averaged, Averaging, held_wrenches
from modular_dynamics_ros.computation.black_boxes.identification import (
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
from modular_dynamics_ros.computation.queries.query_model import QueryError
from modular_dynamics_ros.computation.subsystem.motion import ConnectionMotion
from modular_dynamics_ros.computation.values import Array, State, Wrenches
from modular_dynamics_ros.exceptions import BadMessage, NodeError, OffsetsFileError
from modular_dynamics_ros.messages.geometry import wrench_message
from modular_dynamics_ros.node.services import ComputingServices
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

MOST_POSES = 1000
USUAL_DURATION, LONGEST_DURATION = 0.5, 60.0  # [s] of averaging
USUAL_CONFIDENCE = 0.95
CHECK_PERIOD = 0.05  # [s] between checks whether the robot is still there


class BlackBoxes:
    """The black boxes of one robot: their motions, and what services collect of their wrenches.

    All is called in the executor's thread, but `averaging` and `poses` belong to the services' thread.

    Attributes:
        names: of the black boxes. computation: of the robot. loads: beyond their sensors, by name.
        retired: no more wrenches come, as another robot is active.
        averaging: collects wrenches and states while a service asks for it. poses: that are collected for the
            identification, with the sensor's frame.

    Raises:
        RobotError: black_box_loads does not fit the robot.
    """

    def __init__(self, node: SessionNode, computation: Computation, parameters: DynamicsParameters) -> None:
        robot = computation.robot
        self._node, self.computation, self.names = node, computation, robot.black_boxes
        self.loads: dict[str, Load] = load_assignments(parameters.black_box_loads, self.names)
        self.averaging: Averaging | None = None
        self.poses: dict[str, tuple[str, list[RestPose]]] = {}
        self._motions = BlackBoxMotions(robot) if self.names else None
        self.retired = False

    def deactivate(self) -> None:
        """End the averaging."""
        self.averaging = None

    def retire(self) -> None:
        """Take no more wrenches: another robot is active."""
        self.averaging, self.retired = None, True

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

    def observe(self, state: State) -> None:
        """Pass an answerable state to the averaging, whether it will be processed or not."""
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


def _code_of(error: Exception) -> str:
    """Return the name of the constant for an error: see `ComputingServices`."""
    if isinstance(error, QueryError):
        return error.code
    if isinstance(error, OffsetsFileError):
        return "FILE"
    return "REFUSED" if isinstance(error, BadMessage | NodeError) else "UNEXPECTED"


class BlackBoxServices(ComputingServices):
    """tare_black_box and identify_payload of a node."""

    def __init__(self, node: Any) -> None:
        self._ended = threading.Event()
        services = (
            (TareBlackBox, "tare_black_box", self._tare),
            (IdentifyPayload, "identify_payload", self._identify),
        )
        super().__init__(node, services, _code_of)

    def destroy(self) -> None:
        """Refuse requests from now on."""
        self._ended.set()
        super().destroy()

    def empty_response(self, request: Any, response: Any) -> Any:
        """Return a response with the number of collected poses."""
        response = super().empty_response(request, response)
        if isinstance(response, IdentifyPayload.Response) and (session := self._node.session) is not None:
            response.poses = _number_of_poses(session.boxes, request.black_box)
        return response

    def _tare(self, request: TareBlackBox.Request, response: TareBlackBox.Response, session: Any) -> None:
        """Set the sensor's offset to what it reports beyond the weight of the known load; or reset it."""
        boxes, box = _boxes_with(session, request.black_box), request.black_box
        offsets = boxes.computation.wrenches.offsets
        if request.reset:
            offsets.set(box, None)
            return
        averaged, placement, gravity = self._at_rest(boxes, box, request.duration)
        offset = averaged.mean
        if (load := boxes.loads.get(box)) is not None:
            offset = offset - placement.reported(load.wrench(gravity))
        offsets.set(box, SensorOffset(averaged.frame, offset))
        response.offset, response.deviation = wrench_message(offset), wrench_message(averaged.deviation)

    def _identify(
        self, request: IdentifyPayload.Request, response: IdentifyPayload.Response, session: Any
    ) -> None:
        """Collect the wrench at one more pose, or identify the payload from all collected ones."""
        boxes, box = _boxes_with(session, request.black_box), request.black_box
        if request.command == request.RESET:
            boxes.poses.pop(box, None)
        elif request.command == request.ADD_POSE:
            self._add_pose(boxes, box, request.duration)
        elif request.command == request.SOLVE:
            confidence = _confidence(request.confidence)
            frame, poses = boxes.poses.get(box, ("", []))
            if not poses:
                text = f"no pose is collected of black box '{box}': ADD_POSE at each pose first"
                raise UnfitPosesError(text)
            placement = sensor_placement(boxes.computation, box, frame, None)
            payload = identify_payload(poses, placement, confidence)
            response.mass, response.mass_interval = payload.mass, float(payload.mass_interval)
            response.com = Point(**_xyz(payload.com))
            response.com_interval = Vector3(**_xyz(payload.com_interval))
            response.offset, response.residual = wrench_message(payload.offset), payload.residual
        else:
            commands = "RESET (0), ADD_POSE (1) and SOLVE (2)"
            raise QueryError("BAD_STATE", f"command {request.command} is none of {commands}")
        response.poses = _number_of_poses(boxes, box)

    def _add_pose(self, boxes: BlackBoxes, box: str, duration: float) -> None:
        """Collect the mean wrench at the present pose."""
        averaged, placement, gravity = self._at_rest(boxes, box, duration)
        frame, poses = boxes.poses.setdefault(box, (averaged.frame, []))
        if frame != averaged.frame:
            before = f"the poses before are in frame '{frame}', this one in '{averaged.frame}'"
            raise BadMessage("several frames", f"{before}: RESET starts again")
        if len(poses) >= MOST_POSES:
            raise BadMessage("too many poses", f"{MOST_POSES} poses are collected already: SOLVE, or RESET")
        poses.append(RestPose(placement.rotation.T @ gravity, averaged.mean))

    def _at_rest(
        self, boxes: BlackBoxes, box: str, duration: float
    ) -> tuple[Averaged, SensorPlacement, Array]:
        """Return a sensor's mean wrench at rest, its placement, and gravity (3,) at the connection point.

        Raises:
            BadMessage: the robot moves, too little has come, or in a frame that moves against that point.
        """
        averaged = self._averaged(boxes, box, _duration(duration))
        placement = sensor_placement(boxes.computation, box, averaged.frame, averaged.state)
        if not placement.fixed:
            raise BadMessage(
                "frame not fixed",
                f"frame '{averaged.frame}' moves against the connection point of '{box}': a sensor's "
                "offset is constant in its own frame only; give the wrench there",
            )
        return averaged, placement, gravity_at(boxes.computation.robot, box, averaged.state)

    def _averaged(self, boxes: BlackBoxes, box: str, duration: float) -> Averaged:
        """Return the mean wrench during a time [s]. Raises BadMessage: no mean (`Averaging`), interrupted."""
        averaging = boxes.begin_averaging(box)
        try:
            interrupted = self._wait(duration, boxes, averaging, self._ended.wait)
            if not interrupted:
                averaging.end(self._node.now())
                # the last state may come a period and a delay later, each up to stale_after, perhaps long
                patience = min(2.0 * boxes.computation.settings.stale_after, duration + 1.0)
                interrupted = self._wait(patience, boxes, averaging, averaging.complete.wait)
        finally:
            boxes.averaging = None
        if boxes.retired:  # a newer robot is active: poses stored here would be lost
            text = "the robot was changed or replaced while the wrench was averaged; ask again"
            raise BadMessage("robot replaced", text)
        if interrupted:
            text = "the node was deactivated or ended while the wrench was averaged"
            raise BadMessage("interrupted", f"{text}; ask again when it is active")
        return averaging.result()

    def _wait(
        self, duration: float, boxes: BlackBoxes, averaging: Averaging, wait: Callable[[float], bool]
    ) -> bool:
        """Wait for ``duration`` [s], or until ``wait`` returns true; return whether no more wrenches come."""
        end = time.monotonic() + duration
        while boxes.averaging is averaging and not boxes.retired and not self._ended.is_set():
            left = end - time.monotonic()
            if left <= 0.0 or wait(min(left, CHECK_PERIOD)):
                return self._ended.is_set()
        return True


def _boxes_with(session: Any, box: str) -> BlackBoxes:
    """Return the black boxes of a session. Raises QueryError: there is none of this name."""
    boxes: BlackBoxes = session.boxes
    if box not in boxes.names:
        text = f"no black box '{box:.80}'; there are: {', '.join(boxes.names) or 'none'}"
        raise QueryError("UNKNOWN_NAME", text)
    return boxes


def _number_of_poses(boxes: BlackBoxes, box: str) -> int:
    return len(boxes.poses.get(box, ("", []))[1])


def _duration(asked: float) -> float:
    """Return the duration of averaging [s] that a request means."""
    if not (math.isfinite(asked) and 0.0 <= asked <= LONGEST_DURATION):
        text = f"duration is {asked:g} s; {LONGEST_DURATION:g} s at most, or 0 for {USUAL_DURATION:g} s"
        raise QueryError("BAD_STATE", text)
    return asked or USUAL_DURATION


def _confidence(asked: float) -> float:
    """Return the confidence that a request means."""
    if not 0.0 <= asked < 1.0:  # NaN is refused, too
        text = f"confidence is {asked:g}; a probability below 1 is needed, or 0 for {USUAL_CONFIDENCE:g}"
        raise QueryError("BAD_STATE", text)
    return asked or USUAL_CONFIDENCE


def _xyz(values: Any) -> dict[str, float]:
    return dict(zip("xyz", values.tolist(), strict=True))

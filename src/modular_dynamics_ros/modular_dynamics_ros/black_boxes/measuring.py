"""What the services do with a black box's sensor; in their thread."""

import threading
import time
from collections.abc import Callable

from modular_dynamics_ros.black_boxes.black_boxes import BlackBoxes
from modular_dynamics_ros.computation.black_boxes.averaging import Averaged, Averaging
from modular_dynamics_ros.computation.black_boxes.identification import (
    IdentifiedPayload,
    RestPose,
    UnfitPosesError,
    identify_payload,
)
from modular_dynamics_ros.computation.black_boxes.offsets import SensorOffset
from modular_dynamics_ros.computation.black_boxes.placement import gravity_at, sensor_placement
from modular_dynamics_ros.computation.black_boxes.static_load import SensorPlacement
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["Measuring"]

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
        """Begin anew."""
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
            text = f"{before}: RESET begins anew"
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

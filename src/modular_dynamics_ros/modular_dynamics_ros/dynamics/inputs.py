"""Inputs of dynamics_node: motion of the base, wrenches on bodies and of black boxes, static frames."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import Imu

from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.black_boxes import BlackBoxes
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.values import Array
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival, check_age
from modular_dynamics_ros.exceptions import BadMessage, SettingError, listed
from modular_dynamics_ros.lifecycle.entities import SENSOR
from modular_dynamics_ros.messages.geometry import (
    base_state_from_message,
    unit_quaternion,
    wrench_from_message,
)
from modular_dynamics_ros.messages.stamps import sending_time, stamp_nanoseconds
from modular_dynamics_ros.messages.status import Status, status_of
from modular_dynamics_ros.node.inputs import Subscriptions
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

try:
    from nav_msgs.msg import Odometry
except ImportError:  # a node without floating base needs no nav_msgs
    Odometry = None


STOPPED_BRIEFLY = "a wrench has stopped for a moment"
WHILE_STOPPED = {
    "stop": "no joint state is processed",
    "hold": "the last one counts",
    "zero": "it counts as zero",
}
NO_ORIENTATION = -1.0  # sensor_msgs/Imu: first element of the covariance of what the sensor does not measure


class BaseInput(Subscriptions):
    """Stores states of the base; a bad message is refused, and the last good one stays.

    Args:
        source: the topic: see `base_source`.
    """

    def __init__(self, node: SessionNode, computation: Computation, source: str) -> None:
        super().__init__(node)
        robot, states = computation.robot, computation.base_states
        assert robot.base is not None  # the caller looks
        assert states is not None
        self._robot, self._base, self._states = robot, robot.base, states
        kind, receive = (Imu, self._on_imu) if source == "imu" else (Odometry, self._on_odometry)
        self._subscribe(kind, source, receive, SENSOR)

    def _on_imu(self, message: Imu, info: dict[str, Any]) -> None:
        """Store the orientation of an IMU on the base as that of the base."""
        with self._refusing("imu", "imu"):
            x_base_link = self._base.frame(self._robot.link(message.header.frame_id))
            if message.orientation_covariance[0] == NO_ORIENTATION:
                raise BadMessage(
                    "no orientation", "its orientation_covariance begins with -1: it measures no orientation"
                )
            orientation = unit_quaternion(message.orientation)
            turned = orientation * x_base_link.primary.conjugate()
            self._take(message.header.stamp, info, turned, np.zeros(6))

    def _on_odometry(self, message: Any, info: dict[str, Any]) -> None:
        """Store orientation and twist of the base."""
        with self._refusing("odometry", "odometry"):
            orientation, twist = base_state_from_message(message, self._robot, self._base)
            self._take(message.header.stamp, info, orientation, twist)

    def _take(self, stamp: Time, info: dict[str, Any], orientation: Quaternion, twist: Array) -> None:
        """Store the state of the base at a message's stamp or, if that is zero, its time of sending.

        The message may have waited while this node was stopped.

        Args:
            info: rclpy's. orientation: of the base. twist: (6,) of the base; see `BaseState`.

        Raises:
            BadMessage: a newer message was taken before; or its stamp does not fit the filter.
        """
        now = self._node.now()
        instant = stamp_nanoseconds(stamp) or sending_time(info, now, simulated=self._node.simulated)
        self._states.require_order(instant, now)
        self._states.add(instant, orientation, twist)


def base_source(parameters: DynamicsParameters) -> str:
    """Return the topic of the base's state, or "" if the root is fixed and gravity is the parameter's.

    Raises:
        SettingError: two topics would give the orientation of the base; or messages cannot be imported.
    """
    imu = parameters.gravity_source == "imu"
    if imu and parameters.floating_base:
        raise SettingError(
            "gravity_source 'imu' is for a fixed root; with floating_base odometry says how it is turned"
        )
    if parameters.floating_base and Odometry is None:
        raise SettingError("floating_base needs nav_msgs/Odometry: the package nav_msgs is not installed")
    return "odometry" if parameters.floating_base else "imu" if imu else ""


REFUSED, STOPPED = LOG_PLACES = "wrenches", "stopped wrench"


class WrenchInputs(Subscriptions):
    """Stores wrenches from topics; a bad one is refused, and the last good one stays.

    Attributes:
        refused: wrenches since activation, by cause.
    """

    def __init__(self, node: SessionNode, computation: Computation, boxes: BlackBoxes) -> None:
        super().__init__(node)
        self._computation, self._wrenches, self._boxes = computation, computation.wrenches, boxes
        self.refused: Counter[str] = Counter()
        self._reported_stops = 0
        external = partial(self._on_wrench, None)
        self._subscribe(WrenchStamped, "~/external_wrench", external, SENSOR)
        for name in computation.robot.black_boxes:
            topic, of_box = f"~/black_box/{topic_name(name)}/wrench", partial(self._on_wrench, name)
            self._subscribe(WrenchStamped, topic, of_box, SENSOR)

    def continue_from(self, other: "WrenchInputs") -> None:
        """Take over counts from the session that this one replaces."""
        self.refused = other.refused

    def _on_wrench(self, box: str | None, message: WrenchStamped, info: dict[str, Any]) -> None:
        """Store the wrench of a black box; `box` None: an external wrench."""
        node, now, wrenches = self._node, self._node.now(), self._wrenches
        what = "external wrench" if box is None else f"wrench of black box '{box}'"
        with self._refusing(REFUSED, what), self._counting(box):
            # without a stamp it is as old as its sending; it may have waited for the node since then
            sent = sending_time(info, now, simulated=node.simulated)
            stamp = stamp_nanoseconds(message.header.stamp) or sent
            valid_for = self._computation.settings.stale_after
            check_age(stamp, now, valid_for)
            arrival = Arrival(stamp, node.steady() - _waited(info, node.simulated), node.simulated)
            frame, wrench = wrenches.links.frame(box, message.header.frame_id), wrench_from_message(message)
            wrenches.require_order(box, frame, stamp, now, valid_for)
            if box is None:
                wrenches.take_external(frame, wrench, arrival)
            else:
                self._boxes.measured(box, frame, wrench)
                wrenches.take_black_box(box, frame, wrench, arrival)

    @contextmanager
    def _counting(self, box: str | None) -> Iterator[None]:
        """Count wrenches that the body refuses, and tell a black box of it."""
        try:
            yield
        except BadMessage as error:
            self.refused[error.cause] += 1
            if box is not None:
                self._boxes.refused(box, error)
            raise

    def status(self) -> Status:
        """Return the status for /diagnostics: an error if a source stopped or a black box sent nothing."""
        wrenches, settings, log = self._wrenches, self._computation.settings, self._node.log
        now, sources, errors = self._node.now(), dict[str, str](), list[str]()
        for what, timed, on_stale in (
            ("external wrench in frame", wrenches.external, settings.on_stale_external_wrench),
            ("wrench of black box", wrenches.black_box, settings.on_stale_black_box),
        ):
            valid, stopped = timed.by_validity(now, settings.stale_after)
            sources |= {f"{what} '{source}'": "valid" for source in valid}
            sources |= {f"{what} '{source}'": "stopped" for source in stopped}
            errors += [f"the {what} '{source}' has stopped: {WHILE_STOPPED[on_stale]}" for source in stopped]
        for text in errors:
            log.problem(STOPPED, text, text)
        boxes = self._computation.robot.black_boxes
        if missing := [name for name in boxes if name not in wrenches.black_box]:
            errors.append(f"no wrench of black box {listed(missing)} has come yet")
        stops, warnings = wrenches.external.stops + wrenches.black_box.stops, log.texts(REFUSED)
        if stops > self._reported_stops and not errors:
            log.problem(STOPPED, "for a moment", STOPPED_BRIEFLY)
            warnings.append(STOPPED_BRIEFLY)
        self._reported_stops = stops
        counts = {f"refused: {cause}": str(count) for cause, count in sorted(self.refused.items())}
        # a restart forgets them: then torques are wrong, and nothing else shows it
        offsets = {f"offset of '{name}' [N, N m]": wrenches.offsets.described(name) for name in boxes}
        values = {**sources, **offsets, "times that a wrench stopped": str(stops), **counts}
        return status_of("wrenches", "all valid" if sources else "none", values, errors, warnings)


def _waited(info: dict[str, Any], simulated: bool) -> int:
    """Return the age of a message [ns]; with use_sim_time only since its arrival.

    In a simulation the computers' system clocks need not be synchronised, so the sender's is ignored.

    Args:
        info: rclpy's.
    """
    arrival: int = info["received_timestamp"]
    return max(0, time.time_ns() - (arrival if simulated else info["source_timestamp"] or arrival))

"""Wrenches that an active dynamics_node takes in: external ones and those of black boxes; and /tf_static."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from geometry_msgs.msg import WrenchStamped

from modular_dynamics_ros.black_boxes import BlackBoxes
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival, check_age
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.lifecycle.entities import SENSOR, STATIC_TRANSFORMS
from modular_dynamics_ros.messages.geometry import TFMessage, fixed_frame_from_message, wrench_from_message
from modular_dynamics_ros.messages.stamps import sending_time, stamp_nanoseconds
from modular_dynamics_ros.messages.status import Status, status_of
from modular_dynamics_ros.node.inputs import Subscriptions
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.topic_names import topic_name

__all__ = ["WHERE", "WrenchInputs"]

REFUSED, STOPPED = WHERE = "wrenches", "stopped wrench"  # places of the log
FOR_A_MOMENT = "a wrench has stopped for a moment"
MEANWHILE = {
    "stop": "no joint state is answered",
    "hold": "the last one counts",
    "zero": "it counts as zero",
}


class WrenchInputs(Subscriptions):
    """Wrenches from topics; a bad one is refused, the last good one stays.

    Attributes:
        refused: wrenches since activation, by cause.
    """

    def __init__(self, node: SessionNode, computation: Computation, boxes: BlackBoxes) -> None:
        super().__init__(node)
        self._computation, self._wrenches, self._boxes = computation, computation.wrenches, boxes
        self.refused: Counter[str] = Counter()
        self._reported_stops = 0
        self._subscribe_to_frames()
        # all that is queued: on a busy computer the newest one would not be reached, one at a time
        external = partial(self._on_wrench, None)
        self._subscribe_to_stream(WrenchStamped, "~/external_wrench", external, SENSOR)
        for name in computation.robot.black_boxes:
            topic, of_box = f"~/black_box/{topic_name(name)}/wrench", partial(self._on_wrench, name)
            self._subscribe_to_stream(WrenchStamped, topic, of_box, SENSOR)

    def continue_from(self, other: "WrenchInputs") -> None:
        """Count on what another robot of the node has counted, and know the frames that it knew."""
        self.refused = other.refused
        self._wrenches.links.fixed = other._wrenches.links.fixed

    def _subscribe_to_frames(self) -> None:
        fixed = self._wrenches.links.fixed
        if TFMessage is None:
            fixed.unavailable = "frames of TF are not known, because the package tf2_msgs is not installed"
            return
        fixed.unavailable = ""
        self._subscribe(TFMessage, "/tf_static", self._on_static_frames, STATIC_TRANSFORMS)

    def _on_static_frames(self, message: Any) -> None:
        for transform in message.transforms:
            with self._refusing(REFUSED, "/tf_static"):
                child, parent, H_parent_child = fixed_frame_from_message(transform)
                link = self._computation.robot.link
                self._wrenches.links.fixed.set(link(child), link(parent), H_parent_child)

    def _on_wrench(self, box: str | None, message: WrenchStamped, info: dict[str, Any]) -> None:
        """Take a black box's wrench; `box` None: an external wrench."""
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
                taken = wrenches.take_black_box(box, frame, wrench, arrival)
                self._boxes.taken(box, taken)

    @contextmanager
    def _counting(self, box: str | None) -> Iterator[None]:
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
            errors += [f"the {what} '{source}' has stopped: {MEANWHILE[on_stale]}" for source in stopped]
        for text in errors:
            log.problem(STOPPED, text, text)
        boxes = self._computation.robot.black_boxes
        if missing := [name for name in boxes if name not in wrenches.black_box]:
            errors.append(f"no wrench of black box {listed(missing)} has come yet")
        stops, warnings = wrenches.external.stops + wrenches.black_box.stops, log.texts(REFUSED)
        if stops > self._reported_stops and not errors:
            log.problem(STOPPED, "for a moment", FOR_A_MOMENT)
            warnings.append(FOR_A_MOMENT)
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

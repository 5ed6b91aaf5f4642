"""Wrenches on one robot from topics: which count at an instant, and what counts where one has stopped."""

from collections.abc import Mapping, Sequence
from copy import copy

import numpy as np

from modular_dynamics_ros.computation.black_boxes.offsets import SensorOffsets
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import Array, ComputationSettings, Wrenches
from modular_dynamics_ros.computation.wrenches.frames import BlackBoxFrames, LinkFrames, connection_frame
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival, TimedWrench, TimedWrenches
from modular_dynamics_ros.exceptions import BadMessage, SettingError, listed


class RobotWrenches:
    """External wrenches and those of black boxes, for one robot.

    All are at and in the frame that a message names. External: what the world exerts on the link. Of a
    black box: what its predecessor exerts on it.

    Args:
        reversed_black_boxes: those whose wrench comes with the opposite sign.

    Attributes:
        links: resolves the frames. external: by frame; those of several frames add up. black_box: by name.
        offsets: of the black boxes' sensors.

    Raises:
        SettingError: reversed_black_boxes names something else.
    """

    def __init__(self, robot: Robot, reversed_black_boxes: Sequence[str] = ()) -> None:
        self._boxes = robot.black_boxes
        if unknown := [name for name in reversed_black_boxes if name not in self._boxes]:
            has = f"the black boxes of '{robot.graph.name}' are {', '.join(self._boxes) or 'none'}"
            raise SettingError(f"reversed_black_boxes names {listed(unknown)}, but {has}")
        self._reversed = frozenset(reversed_black_boxes)
        self.links, self._frames = LinkFrames(robot), BlackBoxFrames(robot)
        self.offsets = SensorOffsets()
        self.external, self.black_box = TimedWrenches(ends_by_zero=True), TimedWrenches(ends_by_zero=False)

    def require_order(self, box: str | None, frame: str, stamp: int, now: int, valid_for: float) -> None:
        """Refuse a stamp that is older than the last wrench of a black box or, without one, in a frame.

        Raises:
            BadMessage: see `TimedWrenches.require_order`.
        """
        if box is None:
            self.external.require_order(frame, stamp, now, valid_for)
        else:
            self.black_box.require_order(box, stamp, now, valid_for)

    def take_external(self, frame: str, wrench: Array, arrival: Arrival) -> None:
        """Store the world's wrench on the link that carries a frame; it replaces the last one there.

        Raises:
            BadMessage: the frame is not known.
        """
        self.links.require_outside(frame)
        self.external.set(frame, TimedWrench(frame, wrench, arrival))

    def take_black_box(self, name: str, frame: str, wrench: Array, arrival: Arrival) -> None:
        """Store the predecessor's wrench on a black box; it replaces the last one.

        Raises:
            BadMessage: the frame is not known, or its pose is not known at every state, or the sensor was
                tared in another one.
        """
        wrench = self.offsets.without_offset(name, frame, wrench)
        self.require_frame(name, frame)
        self._frames.place(name, frame)
        self.black_box.set(name, TimedWrench(frame, -wrench if name in self._reversed else wrench, arrival))

    def require_frame(self, name: str, frame: str) -> None:
        """Raise BadMessage if a frame is neither a link nor the black box's own connection frame."""
        if frame != connection_frame(name):
            self.links.require_link(frame)

    def is_reversed(self, name: str) -> bool:
        """Return whether the wrench of a black box comes with the opposite sign."""
        return name in self._reversed

    def continue_from(self, other: "RobotWrenches") -> None:
        """Take over those of a robot that was changed, as far as this one has the links and black boxes."""
        links = self.links.names
        self.external.continue_from(other.external, lambda frame, one: one.link in links)
        self.black_box.continue_from(other.black_box, self._fits)

    def _fits(self, box: str, one: TimedWrench) -> bool:
        if box not in self._boxes or one.link not in {*self.links.names, connection_frame(box)}:
            return False
        try:
            self._frames.place(box, one.link)
        except BadMessage:
            return False
        return True

    def clear(self) -> None:
        """Forget all wrenches."""
        self.external.clear()
        self.black_box.clear()

    def current(
        self, now: int, settings: ComputationSettings
    ) -> tuple[Wrenches, Mapping[str, TimedWrench] | None]:
        """Return the wrenches that are valid now: external by link, black boxes' by name; None without any.

        Raises:
            BadMessage: a black box has not sent a wrench, or a source has stopped and the settings say so.
        """
        if not self.external.newest and not self._boxes:
            return None, None
        valid, stopped = self.external.by_validity(now, settings.stale_after)
        if stopped:
            text = f"no external wrench in frame {listed([*stopped])} in the last {settings.stale_after:g} s"
            valid = _with_stopped(valid, stopped, settings.on_stale_external_wrench, text)
        external: dict[str, Array] = {}
        for one in valid.values():
            external[one.link] = external[one.link] + one.values if one.link in external else one.values
        return external or None, self._current_boxes(now, settings) if self._boxes else None

    def _current_boxes(self, now: int, settings: ComputationSettings) -> Mapping[str, TimedWrench]:
        valid, stopped = self.black_box.by_validity(now, settings.stale_after)
        if missing := [name for name in self._boxes if name not in valid and name not in stopped]:
            raise BadMessage("no wrench", f"no wrench of black box {listed(missing)} has come yet")
        if stopped:
            text = f"no wrench of black box {listed([*stopped])} in the last {settings.stale_after:g} s"
            return _with_stopped(valid, stopped, settings.on_stale_black_box, text)
        return valid

    def boxes(self, now: int, settings: ComputationSettings) -> Mapping[str, TimedWrench]:
        """Return wrenches of black boxes that are valid now [ns], in link frames. Thread-safe.

        Raises:
            BadMessage: as of `current`.
        """
        if not self._boxes:
            return {}
        other = copy(self)
        other.black_box = self.black_box.copy()
        return other._current_boxes(now, settings)

    @property
    def stopped_boxes(self) -> tuple[str, ...]:
        """Black boxes without a current wrench at the last call of `current`."""
        return tuple(name for name in self._boxes if name in self.black_box.stopped)

    def at_connections(self, boxes: Mapping[str, TimedWrench] | None, q: Array) -> Wrenches:
        """Return wrenches of black boxes in their connection frames, at positions q (nq,)."""
        if boxes is None:
            return None
        move = self._frames.at_connection
        return {name: move(name, one.link, one.values, q) for name, one in boxes.items()}


def _with_stopped(
    valid: Mapping[str, TimedWrench], stopped: Mapping[str, TimedWrench], on_stale: str, text: str
) -> Mapping[str, TimedWrench]:
    """Return the valid wrenches, with the last ones or zeros in place of those that stopped.

    Raises:
        BadMessage: a wrench has stopped and no torques may be published; with this text.
    """
    if on_stale == "stop":
        raise BadMessage("no wrench", text)
    if on_stale == "hold":
        return {**valid, **stopped}
    return {**valid, **{source: one._replace(values=np.zeros(6)) for source, one in stopped.items()}}

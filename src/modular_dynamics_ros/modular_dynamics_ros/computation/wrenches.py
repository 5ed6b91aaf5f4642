"""Wrenches from topics: which of them are valid at an instant, and what counts where one has stopped.

Two clocks measure the age of a wrench. By the node's clock, which stamps belong to, it may be `stale_after`
old, or as far ahead: a clock that is set back makes it invalid at once. By the steady clock it may have
arrived as long ago: a clock that stands still or is set cannot keep it. A simulation may run slowly or
pause, so with use_sim_time the steady clock allows it `SLOWEST` at least.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np

from modular_dynamics_ros.computation.black_boxes.offsets import SensorOffsets
from modular_dynamics_ros.computation.frames import BlackBoxFrames, LinkFrames, connection_frame
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.values import Array, ComputationSettings, Wrenches
from modular_dynamics_ros.exceptions import BadMessage, RobotError, listed

__all__ = ["Arrival", "RobotWrenches", "TimedWrench", "TimedWrenches", "check_age", "longest_silence"]

SLOWEST = 10.0  # [s]


class Arrival(NamedTuple):
    """When a wrench was measured and came.

    Attributes:
        stamp: by the node's clock [ns]. steady: of its arrival, by the steady clock [ns].
        simulated: whether the node's clock is /clock.
    """

    stamp: int
    steady: int
    simulated: bool = False


class TimedWrench(NamedTuple):
    """A wrench [force, moment] (6,) at and in the frame of a link."""

    link: str
    values: Array
    arrival: Arrival


def longest_silence(valid_for: float, *, simulated: bool) -> float:
    """For how long [s] of the steady clock an input may be silent that is valid for a time of the node's."""
    return max(valid_for, SLOWEST) if simulated else valid_for


def check_age(stamp: int, now: int, valid_for: float) -> None:
    """Refuse a wrench whose stamp is too far from now [ns].

    Raises:
        BadMessage: it is older than `valid_for` [s], or as far ahead.
    """
    age = (now - stamp) * 1e-9
    if abs(age) > valid_for:
        cause, side = ("too old", "behind") if age > 0.0 else ("ahead of the clock", "ahead of")
        text = f"its stamp is more than {valid_for:g} s (stale_after) {side} this node's clock"
        raise BadMessage(cause, f"{text}: synchronise the clocks; play recordings with use_sim_time")


class TimedWrenches:
    """The newest wrench of each source. A wrench that has stopped is valid only when its source sends again.

    Args:
        ends_by_zero: whether a source whose last wrench is zero has ended, not stopped.
        steady: the steady clock [ns].

    Attributes:
        newest: by source. stopped: sources that had when `by_validity` was asked last. stops: how often.
    """

    def __init__(self, *, ends_by_zero: bool, steady: Callable[[], int] = time.monotonic_ns) -> None:
        self._ends_by_zero, self._steady = ends_by_zero, steady
        self.newest: dict[str, TimedWrench] = {}
        self.stopped: set[str] = set()
        self.stops = 0

    def set(self, source: str, wrench: TimedWrench) -> None:
        """Take a wrench."""
        self.newest[source] = wrench
        self.stopped.discard(source)

    def require_order(self, source: str, stamp: int, now: int, valid_for: float) -> None:
        """Refuse a wrench whose stamp [ns] is older than that of its source's wrench that is valid now [ns].

        One that has become invalid, because its source stopped or a clock was set, refuses none.

        Raises:
            BadMessage: that one is newer.
        """
        newest = self.newest.get(source)
        if newest is None or stamp >= newest.arrival.stamp or source in self.stopped:
            return
        if _is_valid(newest.arrival, now, self._steady(), valid_for):
            text = f"its stamp is {(newest.arrival.stamp - stamp) * 1e-9:.3f} s older than that of the last"
            raise BadMessage("older than the last one", f"{text}, which is still valid")

    def __contains__(self, source: str) -> bool:
        """Whether it has sent a wrench."""
        return source in self.newest

    def copy(self) -> "TimedWrenches":
        """The same wrenches; what is asked of the copy does not change this one. For any thread."""
        other = copy(self)
        other.newest, other.stopped = self.newest.copy(), self.stopped.copy()
        return other

    def clear(self) -> None:
        """Forget all of them."""
        self.newest.clear()
        self.stopped.clear()

    def continue_from(self, other: "TimedWrenches", fits: Callable[[str, TimedWrench], bool]) -> None:
        """Take over the wrenches of another robot that this one can use, by source."""
        self.newest = {source: one for source, one in other.newest.items() if fits(source, one)}
        self.stopped = other.stopped.intersection(self.newest)
        self.stops = other.stops

    def by_validity(
        self, now: int, valid_for: float
    ) -> tuple[Mapping[str, TimedWrench], Mapping[str, TimedWrench]]:
        """The wrenches that are valid now [ns], and the last ones of sources that have stopped."""
        if not self.newest:
            return {}, {}
        steady = self._steady()
        for source, wrench in list(self.newest.items()):
            if source in self.stopped or _is_valid(wrench.arrival, now, steady, valid_for):
                continue
            if self._ends_by_zero and not wrench.values.any():
                del self.newest[source]
            else:
                self.stopped.add(source)
                self.stops += 1
        if not self.stopped:
            return self.newest, {}
        newest, stopped = self.newest, self.stopped
        return (
            {source: wrench for source, wrench in newest.items() if source not in stopped},
            {source: wrench for source, wrench in newest.items() if source in stopped},
        )


def _is_valid(arrival: Arrival, now: int, steady: int, valid_for: float) -> bool:
    silence = longest_silence(valid_for, simulated=arrival.simulated)
    return abs(now - arrival.stamp) <= valid_for * 1e9 and steady - arrival.steady <= silence * 1e9


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
        RobotError: reversed_black_boxes names something else.
    """

    def __init__(self, robot: Robot, reversed_black_boxes: Sequence[str] = ()) -> None:
        self._boxes = robot.black_boxes
        if unknown := [name for name in reversed_black_boxes if name not in self._boxes]:
            has = f"the black boxes of '{robot.graph.name}' are {', '.join(self._boxes) or 'none'}"
            raise RobotError(f"reversed_black_boxes names {listed(unknown)}, but {has}")
        self._reversed = frozenset(reversed_black_boxes)
        self.links, self._frames = LinkFrames(robot), BlackBoxFrames(robot)
        self.offsets = SensorOffsets()
        self.external, self.black_box = TimedWrenches(ends_by_zero=True), TimedWrenches(ends_by_zero=False)

    def take_external(self, frame: str, wrench: Array, arrival: Arrival) -> None:
        """What the world exerts on the link that carries a frame; it replaces the last one in that frame.

        Raises:
            BadMessage: the frame is not known.
        """
        self.external.set(frame, TimedWrench(*self.links.on_outer_link(frame, wrench), arrival))

    def take_black_box(self, name: str, frame: str, wrench: Array, arrival: Arrival) -> TimedWrench:
        """What the predecessor exerts on a black box; it replaces the last one.

        Raises:
            BadMessage: the frame is not known, or its pose is not known at every state, or the sensor was
                tared in another one.
        """
        wrench = self.offsets.taken_off(name, frame, wrench)
        link, moved = self.on_link(name, frame, -wrench if name in self._reversed else wrench)
        self._frames.place(name, link)
        timed = TimedWrench(link, moved, arrival)
        self.black_box.set(name, timed)
        return timed

    def on_link(self, name: str, frame: str, wrench: Array) -> tuple[str, Array]:
        """As `LinkFrames.on_link`, and a black box's own connection point stays what it is."""
        return (frame, wrench) if frame == connection_frame(name) else self.links.on_link(frame, wrench)

    def is_reversed(self, name: str) -> bool:
        """Whether the wrench of a black box comes with the opposite sign."""
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
        self, now: int, settings: ComputationSettings, matched: Mapping[str, TimedWrench] | None = None
    ) -> tuple[Wrenches, Mapping[str, TimedWrench] | None]:
        """External wrenches by link and those of black boxes that count now [ns]; None where there are none.

        Args:
            matched: those of black boxes with the state's stamp; None: the newest valid ones count.

        Raises:
            BadMessage: a black box has not sent a wrench, or a source has stopped and the settings say so.
        """
        if not self.external.newest and not self._boxes:
            return None, matched
        valid, stopped = self.external.by_validity(now, settings.stale_after)
        if stopped:
            text = f"no external wrench in frame {listed([*stopped])} in the last {settings.stale_after:g} s"
            valid = _with_stopped(valid, stopped, settings.on_stale_external_wrench, text)
        external: dict[str, Array] = {}
        for one in valid.values():
            external[one.link] = external[one.link] + one.values if one.link in external else one.values
        if matched is None and self._boxes:
            matched = self._current_boxes(now, settings)
        return external or None, matched

    def _current_boxes(self, now: int, settings: ComputationSettings) -> Mapping[str, TimedWrench]:
        valid, stopped = self.black_box.by_validity(now, settings.stale_after)
        if missing := [name for name in self._boxes if name not in valid and name not in stopped]:
            raise BadMessage("no wrench", f"no wrench of black box {listed(missing)} has come yet")
        if stopped:
            text = f"no wrench of black box {listed([*stopped])} in the last {settings.stale_after:g} s"
            return _with_stopped(valid, stopped, settings.on_stale_black_box, text)
        return valid

    def boxes(self, now: int, settings: ComputationSettings) -> Mapping[str, TimedWrench]:
        """Wrenches of black boxes that count now [ns], in the frames of links. For any thread.

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
        """Black boxes whose wrench had stopped when `current` was asked last."""
        return tuple(name for name in self._boxes if name in self.black_box.stopped)

    def at_connections(self, boxes: Mapping[str, TimedWrench] | None, q: Array) -> Wrenches:
        """Wrenches of black boxes in their connection frames, at positions q (nq,)."""
        if boxes is None:
            return None
        move = self._frames.at_connection
        return {name: move(name, one.link, one.values, q) for name, one in boxes.items()}


def _with_stopped(
    valid: Mapping[str, TimedWrench], stopped: Mapping[str, TimedWrench], on_stale: str, text: str
) -> Mapping[str, TimedWrench]:
    """The valid wrenches, and those that stand for the stopped ones: the last ones, or zeros.

    Raises:
        BadMessage: nothing shall; with this text.
    """
    if on_stale == "stop":
        raise BadMessage("no wrench", text)
    if on_stale == "hold":
        return {**valid, **stopped}
    return {**valid, **{source: one._replace(values=np.zeros(6)) for source, one in stopped.items()}}

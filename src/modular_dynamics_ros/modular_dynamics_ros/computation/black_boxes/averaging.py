"""The mean of a black box's wrenches while the robot is at rest."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from modular_dynamics_ros.computation.black_boxes.stillness import Stillness
from modular_dynamics_ros.computation.values import Array, State
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["LEAST_WRENCHES", "Averaged", "Averaging"]

LEAST_WRENCHES = 10


@dataclass(frozen=True, eq=False)
class Averaged:
    """The mean of a sensor's wrenches at rest.

    Attributes:
        frame: of the sensor. mean: (6,) as it reports [N, N m]. deviation: (6,) standard deviation of the
        mean. state: the last one.
    """

    frame: str
    mean: Array
    deviation: Array
    state: State


class Averaging:
    """Collects what comes for a time: one thread adds to it while another one asks for the result.

    Only wrenches between two joint states are averaged: at other times rest is not confirmed.

    Args:
        box: whose wrenches. units: of the joints' positions, rad or m, by name. begin: of the time [ns].
        longest_gap: for which no joint state may come, by their stamps [s].

    Attributes:
        box: as given. complete: is set as soon as a joint state of the end, or later, has come.
    """

    def __init__(self, box: str, units: Mapping[str, str], begin: int, longest_gap: float) -> None:
        self.box, self.complete = box, threading.Event()
        self._lock = threading.Lock()
        self._stillness = Stillness(units)
        self._begin, self._longest_gap = begin, longest_gap
        self._end: int | None = None
        self._wrenches: list[Array] = []
        self._frames: list[str] = []
        self._refused, self._refusal = 0, ""  # wrenches, and why the last one was
        self._seen = 0  # wrenches that came before the last joint state
        self._last: State | None = None
        self._stamps: list[int] = []

    def add_wrench(self, frame: str, wrench: Array) -> None:
        """Add a wrench as the sensor reports it."""
        with self._lock:
            if self._last is not None:
                self._frames.append(frame)
                self._wrenches.append(wrench)

    def add_refused(self, why: str) -> None:
        """Note a refused wrench, with the reason."""
        with self._lock:
            self._refused, self._refusal = self._refused + 1, why

    def add_state(self, state: State) -> None:
        """Add a joint state, answered or not."""
        with self._lock:
            self._stillness.compare(state.q, state.v, state.base)
            self._last, self._seen = state, len(self._wrenches)
            self._stamps.append(state.stamp)
            self._look()

    def end(self, end: int) -> None:
        """End the averaging at a time [ns]; one joint state that is not older is awaited."""
        with self._lock:
            self._end = end
            self._look()

    def _look(self) -> None:
        if self._end is not None and self._stamps and self._stamps[-1] >= self._end:
            self.complete.set()

    def result(self) -> Averaged:
        """Return the mean of all wrenches, after the end.

        Raises:
            BadMessage: the robot moved, or it is not known; nothing or too little has come, or in several
                frames.
        """
        with self._lock:
            self._stillness.require()
            last = self._require_coverage()
            wrenches, frames = self._wrenches[: self._seen], set(self._frames[: self._seen])
            refused, why = self._refused, self._refusal
        if (count := len(wrenches)) < LEAST_WRENCHES:
            needed = f"at least {LEAST_WRENCHES} wrenches of black box '{self.box}' are needed"
            text = f"{needed}; {count} came between the joint states meanwhile"
            others = f", and {refused} were refused, the last one because of this: {why}" if refused else ""
            raise BadMessage("no wrench", f"{text}{others}")
        if len(frames) > 1:
            text = f"the wrenches of black box '{self.box}' are in several frames: {sorted(frames)}"
            raise BadMessage("several frames", text)
        values = np.array(wrenches)
        mean, deviation = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(count)
        return Averaged(frames.pop(), mean, deviation, last)

    def _require_coverage(self) -> State:
        """Return the last joint state, after checking that the samples cover the time.

        Raises:
            BadMessage: no joint state came for too long.
        """
        if self._last is None:
            raise _unknown("no joint state that can be answered came meanwhile")
        stamps = np.sort(self._stamps)
        gaps = np.diff(stamps, prepend=min(self._begin, stamps[0])) * 1e-9
        k = int(np.argmax(gaps))
        if gaps[k] > self._longest_gap:
            where = "between two of them" if k else "at the beginning"
            text = f"no joint state that can be answered came for {gaps[k]:.3f} s {where}"
            raise _unknown(f"{text}, more than {self._longest_gap:g} s (stale_after)")
        if not self.complete.is_set():
            assert self._end is not None  # the caller has called `end`
            late = (self._end - int(stamps[-1])) * 1e-9
            text = f"the last joint state that can be answered is {late:.3f} s older than the end of the time"
            raise _unknown(text)
        return self._last


def _unknown(what: str) -> BadMessage:
    return BadMessage("no joint state", f"{what}: it is not known whether the robot is at rest")

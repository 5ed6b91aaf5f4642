"""The mean of a black box's wrenches while the robot is at rest."""

from dataclasses import dataclass

import numpy as np

from modular_dynamics_ros.computation.values import Array, State
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["FASTEST", "FARTHEST", "LEAST_WRENCHES", "Averaged", "Averaging"]

FASTEST = 0.05  # [rad/s or m/s] of a joint or the base at rest: measured velocities are noisy
FARTHEST = 0.002  # [rad or m] that a joint at rest may move while the wrench is averaged
LEAST_WRENCHES = 10


@dataclass(frozen=True, eq=False)
class Averaged:
    """Attributes:
    frame: of the sensor. mean: (6,) as it reports [N, N m]. deviation: (6,) of the mean. state: the last one.
    """

    frame: str
    mean: Array
    deviation: Array
    state: State


class Averaging:
    """Collects what comes for a time. `box`: whose wrenches."""

    def __init__(self, box: str) -> None:
        self.box = box
        self._wrenches: list[Array] = []
        self._frames: set[str] = set()
        self._first: State | None = None
        self._last: State | None = None
        self._moved = ""

    def add_wrench(self, frame: str, wrench: Array) -> None:
        """As the sensor reports it."""
        self._frames.add(frame)
        self._wrenches.append(wrench)

    def add_state(self, state: State, names: tuple[str, ...]) -> None:
        """A joint state of joints with these names, whether it is answered or not."""
        self._first = self._first or state
        self._last = state
        if self._moved:
            return
        fast = np.abs(state.v) > FASTEST
        far = np.abs(state.q - self._first.q) > FARTHEST
        if (fast | far).any():
            k = int(np.argmax(fast | far))
            way = state.q[k] - self._first.q[k]
            self._moved = f"joint '{names[k]}' moves: {state.v[k]:.3g} per s, {way:+.3g}"
        elif state.base is not None and np.abs(state.base.twist).max() > FASTEST:
            self._moved = "the base moves"

    def result(self) -> Averaged:
        """The mean of all.

        Raises:
            BadMessage: the robot moved, nothing or too little has come, or in several frames.
        """
        if self._moved:
            text = f"{self._moved} (at rest: at most {FASTEST:g} per s and {FARTHEST:g} rad or m on the way)"
            raise BadMessage("moving", f"the robot must be at rest, but {text}")
        if self._last is None:
            text = "no joint state came meanwhile: it is not known whether the robot is at rest"
            raise BadMessage("no joint state", text)
        wrenches = self._wrenches.copy()  # one may come at this moment
        if (count := len(wrenches)) < LEAST_WRENCHES:
            needed = f"at least {LEAST_WRENCHES} wrenches of black box '{self.box}' are needed"
            raise BadMessage("no wrench", f"{needed}; {count} came meanwhile")
        if len(self._frames) > 1:
            text = f"the wrenches of black box '{self.box}' are in several frames: {sorted(self._frames)}"
            raise BadMessage("several frames", text)
        values = np.array(wrenches)
        with np.errstate(over="ignore", invalid="ignore"):  # of numbers near the largest one
            mean, deviation = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(count)
        if not np.isfinite([mean, deviation]).all():
            text = f"the wrenches of black box '{self.box}' are so large that their mean is not finite"
            raise BadMessage("no mean", text)
        return Averaged(next(iter(self._frames)), mean, deviation, self._last)

"""The mean of a black box's wrenches while the robot is at rest."""

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from modular_dynamics_ros.computation.black_boxes.sensors import Load
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.values import Array, BaseState, State, Wrenches
from modular_dynamics_ros.exceptions import BadMessage, listed

FASTEST = 0.05  # [rad/s or m/s] of a joint or the base at rest: measured velocities are noisy
FARTHEST = 0.002  # [rad or m] that a joint at rest may move
LARGEST_TURN = 0.01  # [rad] of a base at rest: the orientation of an imu is noisy
LEAST_WRENCHES = 10
NEAR = 0.01  # [rad or m] largest difference of two poses for which a measured wrench is used again


class Averaged(NamedTuple):
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
    """Averages wrenches while joint states confirm rest; one thread adds them, another reads the result.

    Only wrenches between two joint states count.

    Args:
        box: the black box. units: of the joints' positions, rad or m, by name. begin: of the averaging [ns].
        longest_gap: largest allowed gap between the stamps of joint states [s].

    Attributes:
        complete: is set once a joint state at or after the end has arrived.
    """

    def __init__(self, box: str, units: Mapping[str, str], begin: int, longest_gap: float) -> None:
        self.box, self.complete = box, threading.Event()
        self._units, self._begin, self._longest_gap = units, begin, longest_gap
        self._end: int | None = None
        self._wrenches: list[tuple[str, Array]] = []
        self._states: list[tuple[State, int]] = []  # with the number of wrenches before each
        self._refused, self._refusal = 0, ""  # wrenches, and why the last one was

    def add_wrench(self, frame: str, wrench: Array) -> None:
        """Add a wrench as the sensor reports it."""
        if self._states:
            self._wrenches.append((frame, wrench))

    def add_refused(self, why: str) -> None:
        """Note a refused wrench, with the reason."""
        self._refused, self._refusal = self._refused + 1, why

    def add_state(self, state: State) -> None:
        """Add a joint state, processed or not."""
        self._states.append((state, len(self._wrenches)))
        self._check_complete()

    def end(self, end: int) -> None:
        """End the averaging at a time [ns]; one joint state that is not older is awaited."""
        self._end = end
        self._check_complete()

    def _check_complete(self) -> None:
        if self._end is not None and self._states and self._states[-1][0].stamp >= self._end:
            self.complete.set()

    def result(self) -> Averaged:
        """Return the mean of all wrenches, after the end.

        Raises:
            BadMessage: the robot moved, or may have; there are too few wrenches, or they are in several
                frames.
        """
        states = [state for state, _ in self._states]
        if moved := _motion(states, self._units):
            limits = (
                f"a velocity of at most {FASTEST:g} rad/s or m/s, a displacement of at most {FARTHEST:g} rad "
                f"or m, and of the base a turn of at most {LARGEST_TURN:g} rad"
            )
            text = f"the robot must be at rest, but {moved} (at rest: {limits})"
            raise BadMessage("moving", text)
        self._require_coverage(states)
        wrenches = self._wrenches[: self._states[len(states) - 1][1]]
        if (count := len(wrenches)) < LEAST_WRENCHES:
            needed = f"at least {LEAST_WRENCHES} wrenches of black box '{self.box}' are needed"
            text = f"{needed}; {count} came between the joint states meanwhile"
            others = f", and {self._refused} were refused, the last one because of this: {self._refusal}"
            raise BadMessage("no wrench", text + (others if self._refused else ""))
        if len(frames := sorted({frame for frame, _ in wrenches})) > 1:
            text = f"the wrenches of black box '{self.box}' are in several frames: {frames}"
            raise BadMessage("several frames", text)
        values = np.array([wrench for _, wrench in wrenches])
        mean, deviation = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(count)
        return Averaged(frames[0], mean, deviation, states[-1])

    def _require_coverage(self, states: Sequence[State]) -> None:
        """Raise BadMessage if for too long no joint state came."""
        if not states:
            raise _unknown("no joint state that can be processed came meanwhile")
        stamps = np.sort([state.stamp for state in states])
        gaps = np.diff(stamps, prepend=min(self._begin, stamps[0])) * 1e-9
        k = int(np.argmax(gaps))
        if gaps[k] > self._longest_gap:
            where = "between two of them" if k else "at the beginning"
            text = f"no joint state that can be processed came for {gaps[k]:.3f} s {where}"
            raise _unknown(f"{text}, more than {self._longest_gap:g} s (stale_after)")
        if not self.complete.is_set():
            assert self._end is not None  # the caller has called `end`
            late = (self._end - int(stamps[-1])) * 1e-9
            text = (
                f"the last joint state that can be processed is {late:.3f} s older than the end of the time"
            )
            raise _unknown(text)


def _motion(states: Sequence[State], units: Mapping[str, str]) -> str:
    """Return which joint or base moved, against its first known position; empty if none did."""
    if not states:
        return ""
    q, v = np.array([one.q for one in states]), np.array([one.v for one in states])
    displacement = q - q[np.argmax(~np.isnan(q), axis=0), np.arange(q.shape[1])]
    moving = (np.abs(v) > FASTEST) | (np.abs(displacement) > FARTHEST)  # NaN does not count as moving
    if moving.any():
        row, k = np.argwhere(moving)[0]
        name, unit = list(units.items())[k]
        speed = "" if np.isnan(v[row, k]) else f"velocity {v[row, k]:.3g} {unit}/s, "
        return f"joint '{name}' moves: {speed}displacement {displacement[row, k]:+.3g} {unit}"
    bases = [one.base for one in states if one.base is not None]
    for base in bases:  # by its orientation, as an imu has no twist; its position does not matter
        turn = bases[0].orientation.conjugate() * base.orientation
        angle = 2.0 * math.atan2(math.hypot(turn.x, turn.y, turn.z), abs(turn.w))
        k, speeds = int(np.argmax(np.abs(base.twist))), np.abs(base.twist)
        if speeds[k] > FASTEST or angle > LARGEST_TURN:
            unit = "m/s" if k < 3 else "rad/s"
            return f"the base moves: velocity {speeds[k]:.3g} {unit}, turned by {angle:.3g} rad"
    return ""


def _unknown(what: str) -> BadMessage:
    """Return an error that rest is not confirmed."""
    return BadMessage("no joint state", f"{what}: it is not known whether the robot is at rest")


def held_wrenches(
    state: State, previous: Answer, loads: Mapping[str, Load], gravity_at: Callable[[str], Array]
) -> Wrenches:
    """Return the wrenches at rest by black box, [force, moment] (6,) at and in its connection point's frame.

    They are the weight of a known load, else the last measured wrench, if the robot was at rest then at this
    position.

    Args:
        state: at rest, where the robot is held. previous: the last answer.
        loads: by black box. gravity_at: (3,) in the frame of a box's connection point [m/s^2].

    Raises:
        BadMessage: a load is unknown, and its wrench was measured in motion or elsewhere.
    """
    last = previous.wrenches.black_box
    if last is None:
        return None
    unknown = [name for name in last if name not in loads]
    measured = not any(name in previous.wrenches.stopped for name in unknown)
    if unknown and not (measured and _was_at_rest_at(previous.state, state)):
        text = (
            f"no wrench of black box {listed(unknown)} was measured while the robot was known to stand still "
            "there: black_box_loads can name what is to be held"
        )
        raise BadMessage("load not known", text)
    return {
        name: loads[name].wrench(gravity_at(name)) if name in loads else wrench
        for name, wrench in last.items()
    }


def _was_at_rest_at(before: State, now: State) -> bool:
    """Return whether the robot was at rest at an earlier state, at its present position."""
    still = before.all_velocities and np.abs(before.v).max(initial=0.0) <= FASTEST
    near = np.abs(before.q - now.q).max(initial=0.0) <= NEAR
    return bool(still and near and _base_stood(before.base, now.base))


def _base_stood(before: BaseState | None, now: BaseState | None) -> bool:
    """Return whether the base was at rest with its present orientation; without a base it was."""
    if before is None or now is None:
        return before is now
    turned = np.abs((before.orientation.conjugate() * now.orientation).vector).max()  # sine of half the angle
    return bool(np.abs(before.twist).max() <= FASTEST and 2.0 * turned <= NEAR)

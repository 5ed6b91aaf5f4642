"""Compares every answer of dynamics_node with the state that it claims to answer."""

import time
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sensor_msgs.msg import JointState

from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from robustness.harness.commands import Commands
from robustness.harness.oracle import TOLERANCE, Oracle, Terms
from robustness.harness.robots import accelerations_at, state_at
from robustness.harness.tally import Tally

__all__ = ["DEFAULTS", "Answers", "Judge"]

#: Parameters of dynamics_node that change what is right.
DEFAULTS: dict[str, Any] = {
    "output": "full",
    "friction": "none",
    "effort_limits": "off",
    "acceleration_source": "zero",
    "gravity": (0.0, 0.0, -9.81),
    "on_stale": "stop",
}
#: [s] beyond stale_after: from the look at the clock to the message on its way, on a machine with other work.
MARGIN = 0.1
KEPT = 500  # messages with some of the joints
STAMPS = 50_000  # of states that were sent, and of answers
SENT = 1000  # states of which torques may be held: on a busy machine answers wait for seconds
#: Of accelerations from filtered velocities, relative to the largest of the motion: the filter overshoots.
OVERSHOOT = 20.0


class Answers:
    """Counts answers as right or wrong; subclasses say what is wrong with one.

    Attributes:
        tally: of the test. stale_after: of the node [s]. answered: stamps of answered states [ns].
        refused: stamps [ns] of states that must not be answered, and why.
        excused: stamps [ns] of which answers may be late: computed when the process was stopped.
        commands: compares what controllers take with the torques.
    """

    def __init__(self, tally: Tally, stale_after: float) -> None:
        self.tally, self.stale_after, self.margin = tally, stale_after, MARGIN
        self.answered: list[int] = []
        self.refused: dict[int, str] = {}
        self.excused: Callable[[int], bool] = lambda stamp: False
        self.commands = Commands(tally)
        self._times_sent = Counter[int]()

    def on_sent(self, stamp: int) -> None:
        """This process sends a state with this stamp [ns]."""
        _count(self._times_sent, stamp)

    def unanswered(self, since: int) -> list[int]:
        """Stamps of states that were sent since a time [ns] and not answered yet."""
        answered = {*self.answered}
        return [stamp for stamp in self._times_sent if stamp >= since and stamp not in answered]

    def on_answer(self, message: JointState, info: dict[str, Any]) -> None:
        """A message of joint_torques, with rclpy's info."""
        self.commands.on_torques(message)
        self._judge(message, info["source_timestamp"] or time.time_ns())

    def _judge(self, message: JointState, published: int) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        if fault := self._fault(message, stamp, published):
            numbers = f"{message.name} q={list(message.position)} v={list(message.velocity)}"
            self.tally.found_wrong(f"answer {stamp}: {fault}", f"{fault}\n{numbers} {list(message.effort)}")
        else:
            self.tally.right += 1

    def _fault(self, message: JointState, stamp: int, published: int) -> str:
        """What is wrong; empty: nothing."""
        raise NotImplementedError

    def _age_fault(self, stamp: int, age: float) -> str:
        if abs(age) > self.stale_after + self.margin and not self.excused(stamp):
            return f"its state was {age:.3f} s old, stale_after is {self.stale_after:g} s"
        return ""


class _Robot(NamedTuple):
    """``order``: of the oracle's joints in ``names``, by which the motion counts."""

    oracle: Oracle
    names: list[str]
    order: list[int]


class Judge(Answers):
    """Knows which states were sent to one node.

    Attributes:
        names: of the joints of the robot in force.
        settings: parameters of the node of which one fits each answer; several while one changes.
        parts: joints that the message with a stamp [ns] holds, where that is not all.
        age: of a state with a stamp when its answer was published [s], from both times [ns].
        silent_since: from this time of the system on [ns] nothing may be published; None: it may.
        sent: stamps of the last states that were sent; on_stale publishes at the position of one of them.
    """

    def __init__(self, tally: Tally, urdf: str, names: list[str], stale_after: float = 0.2) -> None:
        super().__init__(tally, stale_after)
        self.settings = [dict(DEFAULTS)]
        self.parts: dict[int, tuple[int, ...]] = {}
        self.age: Callable[[int, int], float] = lambda stamp, published: (published - stamp) * 1e-9
        self.silent_since: int | None = None
        self.sent: deque[int] = deque(maxlen=SENT)
        self._times_answered = Counter[int]()
        self._last = 0
        self._robots: dict[frozenset[str], _Robot] = {}
        self.set_robot(urdf, names)

    def set_robot(self, urdf: str, names: list[str]) -> None:
        """A robot of which answers may come from now on, beside those before."""
        oracle, self.names = Oracle(urdf), names
        order = [names.index(name) for name in oracle.names]
        self._robots[frozenset(names)] = _Robot(oracle, names, order)

    def restart(self) -> None:
        """A new process, or a clock set back: stamps begin anew."""
        self._last = 0
        self._times_answered.clear()

    def on_sent(self, stamp: int) -> None:
        """See `Answers`."""
        self.sent.append(stamp)
        super().on_sent(stamp)

    def _fault(self, message: JointState, stamp: int, published: int) -> str:
        while len(self.parts) > KEPT:
            del self.parts[next(iter(self.parts))]
        robot = self._robots.get(frozenset(message.name))
        if robot is None or len(message.name) != len(robot.names):
            return f"torques of {len(message.name)} joints that are not those of the robot"
        if fault := self._time_fault(stamp, published):
            return fault
        place = [message.name.index(name) for name in robot.oracle.names]
        q, v, tau = (np.array(x)[place] for x in (message.position, message.velocity, message.effort))
        if not np.isfinite(tau).all():
            return f"torques {tau}"
        fault = self._state_fault(robot, q, v, stamp) or self._torque_fault(robot, q, v, tau, stamp)
        if fault and not self._is_held(robot, q, v, tau):
            return fault
        self.answered.append(stamp)
        return ""

    def _time_fault(self, stamp: int, published: int) -> str:
        """Whether a state with this stamp may be answered now, both [ns]."""
        if self.silent_since is not None and published > self.silent_since:
            return "the node was not active when it published this"
        if stamp in self.refused:
            return f"a state was answered that must not be: {self.refused[stamp]}"
        # on_stale publishes at the clock's time: the state that comes next may be a little older
        held = not self._times_sent[stamp] and any(one["on_stale"] != "stop" for one in self.settings)
        if stamp < self._last and not held:
            return f"{(self._last - stamp) * 1e-9:.6f} s older than the one before"
        _count(self._times_answered, stamp)
        if self._times_answered[stamp] > max(1, self._times_sent[stamp]):
            return "a state was answered again"
        self._last = self._last if held else stamp
        return self._age_fault(stamp, self.age(stamp, published))

    def _state_fault(self, robot: _Robot, q: np.ndarray, v: np.ndarray, stamp: int) -> str:
        """Whether these are the positions and velocities that were sent."""
        count, horizon = len(robot.names), self.stale_after * 1e9
        own = self.parts.get(stamp)
        near = {s: of for s, of in self.parts.items() if abs(s - stamp) <= horizon} if own is not None else {}
        at_stamp = {s: state_at(count, s) for s in (stamp, *near)}
        for row, k in enumerate(robot.order):
            # newer values stay where a message is late
            values = [
                at_stamp[s] for s, of in near.items() if k in of and (k not in (own or ()) or s >= stamp)
            ]
            values = [at_stamp[stamp]] if own is None else values
            if not any(q[row] == at[0][k] and v[row] == at[1][k] for at in values):
                return f"'{robot.names[k]}' never was at {q[row]!r}, moving at {v[row]!r}, in a fresh message"
        return ""

    @np.errstate(over="ignore", invalid="ignore")  # gravity of 1e308 m/s^2 is a parameter, too
    def _torque_fault(self, robot: _Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray, stamp: int) -> str:
        differences = []
        for settings in self.settings:
            terms = robot.oracle.terms(q, v, gravity=settings["gravity"])
            if settings["acceleration_source"] != "zero":
                plausible = self._plausible(robot, q, tau, terms, stamp, settings)
                differences.append(0.0 if plausible else np.inf)
                continue
            right = robot.oracle.torques(terms, settings)
            differences.append(float(np.abs(tau - right).max()) / terms.scale)
        best = min(differences)
        return "" if best <= TOLERANCE else f"torques differ from Pinocchio's by {best:g} of the largest term"

    @staticmethod
    def _plausible(
        robot: _Robot, q: np.ndarray, tau: np.ndarray, terms: Terms, stamp: int, settings: dict[str, Any]
    ) -> bool:
        """Torques of filtered velocities belong to some acceleration as large as those of the motion."""
        if any(settings[name] != DEFAULTS[name] for name in ("output", "friction", "effort_limits")):
            return True  # only one parameter differs from its default in any test
        largest = float(np.abs(accelerations_at(len(robot.names), stamp)).max()) + 0.1
        return float(np.abs(robot.oracle.accelerations(q, terms, tau)).max()) <= OVERSHOOT * largest

    def _is_held(self, robot: _Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> bool:
        """Whether on_stale may publish these torques: gravity's, or a share of the last ones."""
        on_stale = {settings["on_stale"] for settings in self.settings}
        if on_stale == {"stop"}:
            return False
        count = len(robot.names)
        if not any((q == state_at(count, s)[0][robot.order]).all() for s in reversed(self.sent)):
            return False
        terms = robot.oracle.terms(q, v)
        if "hold_gravity" in on_stale and np.abs(tau - terms.gravity).max() <= TOLERANCE * terms.scale:
            return not v.any()
        share = float(tau @ terms.full) / float(terms.full @ terms.full)
        falling = -1e-12 <= share <= 1.0 + 1e-12
        return falling and bool(np.abs(tau - share * terms.full).max() <= TOLERANCE * terms.scale)


def _count(stamps: "Counter[int]", stamp: int) -> None:
    stamps[stamp] += 1
    if len(stamps) > STAMPS:
        del stamps[next(iter(stamps))]

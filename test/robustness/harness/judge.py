"""Compares every answer with the state that it claims to answer, and with the robots that may answer it."""

import time
from collections import Counter, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from robustness.harness.oracle import TOLERANCE, Oracle
from robustness.harness.robots import state_at
from robustness.harness.tally import Tally

__all__ = ["DEFAULTS", "Judge"]

Settings = list[dict[str, Any]]
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
COMMANDS = 2000  # that wait for their answer, and answers that wait for their command
ROBOTS = 20
CHANGES = 200  # of settings


@dataclass(eq=False)
class _Robot:
    """A robot that may answer: from ``since`` on, states with a stamp before ``until``, both [ns].

    ``index``: of its joints in the motion.
    """

    oracle: Oracle
    index: dict[str, int]
    since: int
    until: float = np.inf


class Judge:
    """Knows which states were sent, and which robots may answer them; counts answers as right or wrong.

    Attributes:
        names: of the joints that states hold, by which the motion counts. stale_after: of the node [s].
        settings: parameters of the node of which one fits each answer that it publishes from now on; several
            while one changes. An answer is judged by those of when it was published, however late it is read.
        nodes: joints of each node, where the robot is divided; all torques of a stamp are of one robot.
        processed: stamps [ns] of states that all nodes have processed.
        refused: stamps [ns] of states that must not be processed, and why.
        excused: stamps [ns] of which answers may be late: computed when the process was stopped.
        parts: joints that the message with a stamp [ns] holds, where that is not all.
        age: of a state with a stamp when its answer was published [s], from both times [ns].
        silent_since: from this time of the system on [ns] nothing may be published; None: it may.
        sent: stamps of the last states that were sent; on_stale publishes at the position of one of them.
        knows_all: all states are sent by this process.
        repeated_until: up to this stamp [ns] nodes of the same name are there twice, and both answer.
        held: answers are kept until `release`, because which robot is in force is not known yet.
    """

    def __init__(self, tally: Tally, names: list[str], urdf: str = "", stale_after: float = 0.2) -> None:
        self.tally, self.names, self.stale_after, self.margin = tally, names, stale_after, MARGIN
        self._settings = deque([(0, [dict(DEFAULTS)])], maxlen=CHANGES)
        self.nodes = dict[str, frozenset[str]]()
        self.processed, self.refused = list[int](), dict[int, str]()
        self.excused: Callable[[int], bool] = lambda stamp: False
        self.parts: dict[int, tuple[int, ...]] = {}
        self.age: Callable[[int, int], float] = lambda stamp, published: (published - stamp) * 1e-9
        self.silent_since: int | None = None
        self.sent: deque[int] = deque(maxlen=SENT)
        self.knows_all = self.held = False
        self.repeated_until = 0.0
        self._robots = list[_Robot]()
        self._times_sent, self._times_processed = Counter[Hashable](), Counter[Hashable]()
        self._last, self._fitting = dict[str, int](), dict[int, set[_Robot]]()
        self._waiting = list[tuple[JointState, int]]()
        self._torques, self._commands = dict[int, dict[str, float]](), dict[int, dict[str, float]]()
        self._compared = self._dropped = 0
        if urdf:
            self.set_robot(urdf, names)

    @property
    def settings(self) -> Settings:
        """What was set last."""
        return self._settings[-1][1]

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._settings.append((time.time_ns(), settings))

    def _settings_at(self, published: int) -> Settings:
        """Settings of when an answer was published [ns]."""
        changes = reversed(self._settings)
        return next((settings for since, settings in changes if since <= published), self._settings[0][1])

    def set_robot(self, urdf: str, names: list[str], since: int = 0) -> None:
        """A robot of which answers may come, beside those before; since: a time of the system [ns]."""
        self.names = names
        self._robots.append(_Robot(Oracle(urdf), {name: k for k, name in enumerate(names)}, since))
        del self._robots[:-ROBOTS]

    def put_in_force(self, since: int, urdf: str) -> None:
        """A robot in place of those before, for states that are stamped or arrive from then on [ns]."""
        for robot in self._robots:
            robot.until = min(robot.until, since)
        self.set_robot(urdf, self.names, since)

    def restart(self) -> None:
        """A new process, or a clock set back: stamps begin anew."""
        self._last.clear()
        self._times_processed.clear()

    def on_sent(self, stamp: int) -> None:
        """This process sends a state with this stamp [ns]."""
        self.sent.append(stamp)
        _count(self._times_sent, stamp)

    def unprocessed(self, since: int) -> list[int]:
        """Stamps of states that were sent since a time [ns] and not processed yet."""
        processed = {*self.processed}
        return [stamp for stamp in self._times_sent if stamp >= since and stamp not in processed]

    def on_answer(self, message: JointState, info: dict[str, Any]) -> None:
        """A message of joint_torques, with rclpy's info."""
        stamp, torques = _keep(self._torques, message)
        if stamp in self._commands:
            self._compare(stamp, torques, self._commands.pop(stamp))
        if (published := info["source_timestamp"] or time.time_ns()) > self._dropped:
            self._waiting.append((message, published))
        if not self.held:
            self.release()

    def on_command(self, message: JointState, info: dict[str, Any] | None = None) -> None:
        """A message of stamped_effort_commands: the torques of the answer, which may come later."""
        stamp, _ = _keep(self._commands, message)
        if stamp in self._torques:
            self._compare(stamp, self._torques[stamp], self._commands.pop(stamp))

    def _compare(self, stamp: int, torques: dict[str, float], commands: dict[str, float]) -> None:
        self._compared += 1
        if commands != torques:
            text = f"stamped_effort_commands at {stamp} are not the torques with this stamp"
            self.tally.found_wrong(text, f"{text}\n{torques}\n{commands}")

    def end_of_commands(self) -> None:
        """Once no more messages come: there were commands, where there were torques."""
        if len(self._torques) > 50 and not self._compared:
            self.tally.found_wrong("torques were published, but no commands")
        self._torques.clear()  # a process that is started next may publish nothing
        self._compared = 0

    def release(self) -> None:
        """Judge what was kept."""
        self.held, waiting, self._waiting = False, self._waiting, []
        for message, published in waiting:
            stamp = stamp_nanoseconds(message.header.stamp)
            if fault := self._fault(message, stamp, published):
                numbers = f"{message.name} q={list(message.position)} v={list(message.velocity)}"
                data = f"{fault}\n{numbers} {list(message.effort)}"
                self.tally.found_wrong(f"answer {stamp}: {fault}", data)
            else:
                self.tally.right += 1

    def drop(self) -> None:
        """Forget what was kept, and what is on its way: which robot has processed cannot be known."""
        self._waiting, self._dropped = [], time.time_ns()

    def _fault(self, message: JointState, stamp: int, published: int) -> str:
        """What is wrong; empty: nothing."""
        while len(self.parts) > KEPT:
            del self.parts[next(iter(self.parts))]
        joints = frozenset(message.name)
        node = next((name for name, own in self.nodes.items() if own == joints), "")
        # a change counts from the next state that arrives: that one may have been stamped before it
        robots = [one for one in self._robots if one.since <= published and one.until > stamp]
        if not self.nodes:
            robots = [one for one in robots if joints == {*one.oracle.names}]
        if not robots or len(joints) < len(message.name) or (self.nodes and not node):
            return f"torques of {len(message.name)} joints, {message.name[:9]}, that are not the robot's"
        settings = self._settings_at(published)
        if fault := self._time_fault(node, stamp, published, settings):
            return fault
        fitting = set[_Robot]()
        for robot in robots:
            if not (fault := self._robot_fault(robot, message, stamp, settings)):
                fitting.add(robot)
        if not fitting:
            return fault
        self._fitting[stamp] = fitting & self._fitting.get(stamp, fitting)
        if not self._fitting[stamp]:
            return "its torques are of two descriptions"
        if len(self._fitting) > KEPT:
            del self._fitting[next(iter(self._fitting))]
        if all(self._times_processed[name, stamp] for name in self.nodes or ("",)):
            self.processed.append(stamp)
        return ""

    def _time_fault(self, node: str, stamp: int, published: int, settings: Settings) -> str:
        """Whether a state with this stamp may be processed now, both [ns]."""
        if self.silent_since is not None and published > self.silent_since:
            return "the node was not active when it published this"
        if stamp in self.refused and not self.nodes:  # a node whose joints are well in it may answer
            return f"a state was processed that must not be: {self.refused[stamp]}"
        if self.knows_all and not self._times_sent[stamp]:
            return "no state with this stamp was sent"
        age = self.age(stamp, published)
        is_old = abs(age) > self.stale_after + self.margin and not self.excused(stamp)
        late = f"its state was {age:.3f} s old, stale_after is {self.stale_after:g} s" if is_old else ""
        return self._order_fault(node, stamp, settings) or late

    def _order_fault(self, node: str, stamp: int, settings: Settings) -> str:
        """Whether a stamp goes back or comes again."""
        sent, last = self._times_sent[stamp], self._last.get(node, 0)
        # on_stale publishes at the clock's time: the state that comes next may be a little older
        held = not sent and any(one["on_stale"] != "stop" for one in settings)
        _count(self._times_processed, (node, stamp))
        if stamp > self.repeated_until:
            if stamp < last and not held:
                return f"{(last - stamp) * 1e-9:.6f} s older than the one before"
            if self._times_processed[node, stamp] > max(1, sent):
                return "a state was processed again"
        self._last[node] = last if held else max(stamp, last)
        return ""

    def _robot_fault(self, robot: _Robot, message: JointState, stamp: int, settings: Settings) -> str:
        """What contradicts the motion or this robot's torques."""
        own = dict(
            zip(
                message.name,
                np.column_stack([message.position, message.velocity, message.effort]),
                strict=True,
            )
        )
        if not all(np.isfinite(tau) for _, _, tau in own.values()):
            return f"torques {list(message.effort)}"
        names, motion = robot.oracle.names, np.array(state_at(len(robot.index), stamp))
        q, v = np.array([own[n][:2] if n in own else motion[:, robot.index[n]] for n in names]).T
        known = [name in own for name in names]
        tau = np.array([own[name][2] for name in names if name in own])
        fault = self._state_fault(robot, own, stamp)
        fault = fault or self._torque_fault(robot, q, v, known, tau, settings)
        return "" if fault and all(known) and self._is_held(robot, q, v, tau, settings) else fault

    def _state_fault(self, robot: _Robot, own: dict[str, np.ndarray], stamp: int) -> str:
        """Whether these are the positions and velocities that were sent."""
        horizon, part = self.stale_after * 1e9, self.parts.get(stamp)
        near = (
            {s: of for s, of in self.parts.items() if abs(s - stamp) <= horizon} if part is not None else {}
        )
        at_stamp = {s: state_at(len(robot.index), s) for s in (stamp, *near)}
        for name, (q, v, _) in own.items():
            k = robot.index[name]
            # newer values stay where a message is late
            values = [
                at_stamp[s] for s, of in near.items() if k in of and (k not in (part or ()) or s >= stamp)
            ]
            values = [at_stamp[stamp]] if part is None else values
            if not any(q == at[0][k] and v == at[1][k] for at in values):
                return f"'{name}' never was at {q!r}, moving at {v!r}, in a fresh message"
        return ""

    @np.errstate(over="ignore", invalid="ignore")  # gravity of 1e308 m/s^2 is a parameter, too
    def _torque_fault(
        self, robot: _Robot, q: np.ndarray, v: np.ndarray, known: list[bool], tau: np.ndarray, of: Settings
    ) -> str:
        differences = []
        for settings in of:
            if settings["acceleration_source"] != "zero":
                return ""  # of filtered velocities: what is right depends on the states before
            terms = robot.oracle.terms(q, v, gravity=settings["gravity"])
            right = robot.oracle.torques(terms, settings)[known]
            differences.append(float(np.abs(tau - right).max()) / terms.scale)
        best = min(differences)
        return "" if best <= TOLERANCE else f"torques differ from Pinocchio's by {best:g} of the largest term"

    def _is_held(
        self, robot: _Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray, settings: Settings
    ) -> bool:
        """Whether on_stale may publish these torques: gravity's, or a share of the last ones."""
        on_stale = {one["on_stale"] for one in settings}
        if on_stale == {"stop"}:
            return False
        order = [robot.index[name] for name in robot.oracle.names]
        if not any((q == state_at(len(robot.index), s)[0][order]).all() for s in reversed(self.sent)):
            return False
        terms = robot.oracle.terms(q, v)
        if "hold_gravity" in on_stale and np.abs(tau - terms.gravity).max() <= TOLERANCE * terms.scale:
            return not v.any()
        share = float(tau @ terms.full) / float(terms.full @ terms.full)
        falling = -1e-12 <= share <= 1.0 + 1e-12
        return falling and bool(np.abs(tau - share * terms.full).max() <= TOLERANCE * terms.scale)


def _keep(where: dict[int, dict[str, float]], message: JointState) -> tuple[int, dict[str, float]]:
    """Keep the efforts of a message under its stamp; return both."""
    stamp = stamp_nanoseconds(message.header.stamp)
    where[stamp] = dict(zip(message.name, message.effort, strict=True))
    if len(where) > COMMANDS:
        del where[next(iter(where))]
    return stamp, where[stamp]


def _count(stamps: "Counter[Hashable]", stamp: Hashable) -> None:
    stamps[stamp] += 1
    if len(stamps) > STAMPS:
        del stamps[next(iter(stamps))]

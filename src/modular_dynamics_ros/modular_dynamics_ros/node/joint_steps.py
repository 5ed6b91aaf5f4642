"""Positions that no joint can reach in the time: of publishers that disagree, or of a faulty encoder."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.exceptions import listed
from modular_dynamics_ros.node.interfaces import SessionNode
from modular_dynamics_ros.node.joint_table import NEVER

__all__ = ["JointSteps", "Publishers", "Steps"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Name of a node, to the middleware, of which it knows a publisher before the node itself.
UNKNOWN = "_NODE_NAME_UNKNOWN_"
PERIOD = 1_000_000_000  # [ns] after which the middleware is asked again: it takes longer than an answer
RESOLUTION = 0.01  # [s]: stamps of a simulation are as coarse as its clock
MEMORY = 10.0  # [s] for which the position of the other one of two publishers counts
#: Joints really exceed their limits, since many files hold a guess: a step is more than STEP times what the
#: limit allows. Two publishers contradict each other where a position goes from one to the other faster than
#: the limit and at once back to within RETURN of that distance, or CONTRADICTION times as fast as the limit.
STEP, RETURN, CONTRADICTION = 5.0, 0.5, 2.0
#: Velocities by which publishers are compared where the limit is larger, or absent [rad/s, m/s].
USUAL_TURN, USUAL_SLIDE = 10.0, 1.0


class Steps(NamedTuple):
    """Implausible steps in the positions of one message.

    Attributes:
        contradicting, stepping: names of joints. text: of the worst one, for the log; empty: nothing is.
    """

    contradicting: Sequence[str] = ()
    stepping: Sequence[str] = ()
    text: str = ""


NOTHING = Steps()


class Publishers:
    """The full names of the nodes that publish joint_states, one for each publisher."""

    def __init__(self, node: SessionNode) -> None:
        self._node, self._next = node, 0
        self._names: Sequence[str] = ()

    def __call__(self) -> Sequence[str]:
        """Return the publishers of the last second."""
        if (now := self._node.steady()) >= self._next:
            infos = self._node.get_publishers_info_by_topic("joint_states")
            known = [one for one in infos if one.node_name != UNKNOWN]
            names = [f"{one.node_namespace.rstrip('/')}/{one.node_name}" for one in known]
            self._names = sorted([*names, *["a node that is not known yet"] * (len(infos) - len(known))])
            self._next = now + PERIOD if len(known) == len(infos) else now
        return self._names


class JointSteps:
    """Compares the positions of each message with those before.

    A position is a step where it is far beyond what velocity limit and time allow. Two publishers contradict
    each other where positions go from one of them to the other, and back. ROS does not tell who has sent a
    message. But each publisher numbers its messages: a number that is not larger than the last one of the
    same joints belongs to another publisher, or to one that was started again. That one does not go back.

    Args:
        publishers: names of the nodes that publish joint states now; empty where they are not known.
    """

    def __init__(self, robot: Robot, publishers: Callable[[], Sequence[str]]) -> None:
        joints = [robot.graph.joint(name) for name in robot.state_names]
        self._names, self._publishers = robot.state_names, publishers
        self._units = [robot.position_unit(name) for name in robot.state_names]
        self._turns = np.array([joint.type == "continuous" for joint in joints], bool)
        self._limits = robot.graph.velocity_limits[robot.indices]
        usual = [USUAL_SLIDE if unit == "m" else USUAL_TURN for unit in self._units]
        self._compared = np.minimum(self._limits, usual)
        # no joint can exceed what it is allowed where all of them together stay below the smallest of these
        self._unsuspicious = float(RESOLUTION * self._compared.min(initial=np.inf)) ** 2
        self.forget()

    def forget(self) -> None:
        """Compare nothing with what came until now: the clock was set back."""
        count = len(self._names)
        self._q, self._stamps = np.zeros(count), np.full(count, NEVER)
        self._sources = np.zeros(count, np.intp)  # of the last positions
        self._other_q, self._other_stamps = np.zeros(count), np.full(count, NEVER)  # of another publisher
        self._changes = np.full(count, NEVER)  # stamps of positions that came from another publisher
        self._numbers: dict[int, int] = {}  # number of the last message by source
        self._time = NEVER

    def note_time(self, now: int) -> None:
        """Note the node's clock [ns], which may have been set back."""
        if now < self._time:
            self.forget()
        self._time = now

    def take(self, joints: NDArray[np.intp], q: Array, stamp: int, source: int, number: int) -> Steps:
        """Compare the positions (k,) of some joints with those before, and keep them.

        Args:
            stamp: [ns]. source: what messages with the same names have in common. number: that the publisher
                has given the message; 0: not known.
        """
        found, difference = NOTHING, q - self._q[joints]
        if difference.dot(difference) > self._unsuspicious:
            found = self._examined(joints, q, stamp, source, number)
        self._q[joints], self._stamps[joints] = q, stamp
        self._sources[joints], self._numbers[source] = source, number
        return found

    def _examined(self, joints: NDArray[np.intp], q: Array, stamp: int, source: int, number: int) -> Steps:
        last_q, last_stamps = self._q[joints], self._stamps[joints]
        seconds, known = _between(stamp, last_stamps)
        size = self._distance(joints, q, last_q)
        allowed = self._compared[joints] * seconds
        fast, at_once = known & (size > allowed), known & (self._changes[joints] == last_stamps)
        allowed[at_once] = self._compared[joints][at_once] * RESOLUTION
        apart = known & (size > CONTRADICTION * allowed)
        if not (fast | apart).any():
            return NOTHING
        publishers, last = self._publishers(), self._numbers.get(source, 0)
        several = len(publishers) > 1
        another = several & ((self._sources[joints] != source) | (number <= last))
        to_other, remembered = _between(stamp, self._other_stamps[joints])
        back = self._distance(joints, q, self._other_q[joints])
        back_in_time = (back < RETURN * size) & (back <= STEP * self._compared[joints] * to_other)
        contradicting = several & apart & remembered & (to_other < MEMORY) & back_in_time
        stepping = known & (size > STEP * self._limits[joints] * seconds) & ~another & ~contradicting
        if several and number != last + 1:  # it may be the first of another publisher
            stepping[:] = False
        changed = joints[(fast | apart) & (another | contradicting)]
        self._other_q[changed], self._other_stamps[changed] = self._q[changed], self._stamps[changed]
        self._changes[changed] = stamp
        if not (contradicting | stepping).any():
            return NOTHING
        both, steps = ([self._names[k] for k in joints[flags]] for flags in (contradicting, stepping))
        worst = int(np.argmax(np.where(contradicting if contradicting.any() else stepping, size, -1.0)))
        joint = int(joints[worst])
        at = f"{last_q[worst]:.3f}", f"{q[worst]:.3f} {self._units[joint]}", f"{seconds[worst] * 1e3:.1f} ms"
        if contradicting.any():
            return Steps(both, steps, self._contradiction(joint, publishers, *at))
        return Steps(both, steps, self._step(joint, float(seconds[worst]), *at))

    def _distance(self, joints: NDArray[np.intp], q: Array, before: Array) -> Array:
        """Return the distance of positions; of continuous joints the shorter way around."""
        difference, turns = q - before, self._turns[joints]
        difference[turns] -= 2.0 * np.pi * np.round(difference[turns] / (2.0 * np.pi))
        return np.abs(difference)

    def _contradiction(
        self, joint: int, publishers: Sequence[str], before: str, after: str, time: str
    ) -> str:
        who = ("" if len(publishers) == 2 else "two of ") + listed(publishers)
        return (
            f"{who} contradict each other: '{self._names[joint]}' is at {before} and at {after} within "
            f"{time}; torques go to and fro until one of them stops, or leaves it out"
        )

    def _step(self, joint: int, seconds: float, before: str, after: str, time: str) -> str:
        unit, limit = self._units[joint], self._limits[joint]
        return (
            f"'{self._names[joint]}' steps from {before} to {after} within {time}; with its velocity limit, "
            f"{limit:.3f} {unit}/s, it can move {limit * seconds:.4f} {unit}: look at its encoder and its "
            "driver, and whether the limit is right"
        )


def _between(stamp: int, before: NDArray[np.int64]) -> tuple[Array, Flags]:
    """Return seconds since earlier stamps [ns], at least RESOLUTION, and whether these exist."""
    known = before != NEVER
    seconds = np.abs(np.where(known, stamp - np.where(known, before, 0), 0)) * 1e-9
    return np.maximum(seconds, RESOLUTION), known

"""Compares answers with the robot that was in force at their stamp, whole robots' and subsystems' alike."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from robustness.harness.judge import Answers
from robustness.harness.oracle import TOLERANCE, Oracle
from robustness.harness.robots import state_at
from robustness.harness.tally import Tally

__all__ = ["History", "Robot", "robot_of_graph", "robot_of_urdf"]

Array = NDArray[np.float64]


class Robot(NamedTuple):
    """``torques``: of positions and velocities in the order of the names; also the largest term."""

    names: tuple[str, ...]
    torques: Callable[[Array, Array], tuple[Array, float]]


def robot_of_urdf(urdf: str) -> Robot:
    """By Pinocchio from the text; our library has no part in it."""
    oracle = Oracle(urdf)

    def torques(q: Array, v: Array) -> tuple[Array, float]:
        terms = oracle.terms(q, v)
        return terms.full, terms.scale

    return Robot(tuple(oracle.names), torques)


def robot_of_graph(graph: md.SubsystemGraph) -> Robot:
    """By Pinocchio, of a graph of joints with one coordinate."""
    tree = PinocchioTree(graph)

    def torques(q: Array, v: Array) -> tuple[Array, float]:
        zero = np.zeros(len(q))
        full, rest = tree.inverse_dynamics(q, v, zero), tree.inverse_dynamics(q, zero, zero)
        return full, max(1e-3, float(np.abs(full).max()), float(np.abs(rest).max()))

    return Robot(graph.joint_names, torques)


class History(Answers):
    """Takes answers of one node or of several, each with joints of its own.

    Attributes:
        names: of the joints that states hold, by which the motion counts; a robot may have some of them.
        robots: with the stamps [ns] from which on they are in force. parts: joints of each node, where the
        robot is divided; a stamp is answered when all nodes have answered it.
        held: answers are kept until `release`, because which robot is in force is not known yet.
        repeated: nodes of the same name are there twice, and both answer.
    """

    def __init__(self, tally: Tally, names: list[str], stale_after: float = 0.2) -> None:
        super().__init__(tally, stale_after)
        self.names = names
        self.robots: list[tuple[int, Robot]] = []
        self.parts: dict[str, frozenset[str]] = {}
        self.held = self.repeated = False
        self._waiting: list[tuple[JointState, int]] = []
        self._last: dict[str, int] = {}
        self._by: dict[int, set[str]] = {}

    def put_in_force(self, stamp: int, robot: Robot) -> None:
        """From a stamp [ns] on."""
        self.robots.append((stamp, robot))
        del self.robots[:-20]

    def _judge(self, message: JointState, published: int) -> None:
        if self.held:
            self._waiting.append((message, published))
        else:
            super()._judge(message, published)

    def release(self) -> None:
        """Judge what was kept."""
        self.held, waiting, self._waiting = False, self._waiting, []
        for message, published in waiting:
            self._judge(message, published)

    def drop(self) -> None:
        """Forget what was kept: which robot has answered cannot be known."""
        self._waiting = []

    def _fault(self, message: JointState, stamp: int, published: int) -> str:
        # a change counts from the next state that arrives: that one may have been stamped before it
        ends = [*(since for since, _ in self.robots[1:]), published + 1]
        robots = [
            robot
            for (since, robot), end in zip(self.robots, ends, strict=True)
            if since <= published and end > stamp
        ]
        if not robots:
            return "no robot was in force then"
        joints = frozenset(message.name)
        node = next((name for name, own in self.parts.items() if own == joints), "")
        if not self.parts:
            robots = [robot for robot in robots if joints == {*robot.names}] or robots
        robot = robots[-1]
        if len(joints) < len(message.name) or not (node if self.parts else joints == {*robot.names}):
            return f"torques of {list(message.name)}, the robot has {list(robot.names)}"
        faults = [self._torque_fault(robot, message, stamp) for robot in robots]
        return self._time_fault(node, stamp, published) or ("" if "" in faults else faults[-1])

    def _time_fault(self, node: str, stamp: int, published: int) -> str:
        by = self._by.setdefault(stamp, set())
        if not self.repeated:
            if stamp < self._last.get(node, 0):
                return f"{(self._last[node] - stamp) * 1e-9:.6f} s older than the one before"
            if node in by:
                return "a state was answered again"
        self._last[node] = max(stamp, self._last.get(node, 0))
        if not self._times_sent[stamp]:
            return "no state with this stamp was sent"
        by.add(node)
        if len(by) == max(1, len(self.parts)):
            self.answered.append(stamp)
        return self._age_fault(stamp, (published - stamp) * 1e-9)

    def _torque_fault(self, robot: Robot, message: JointState, stamp: int) -> str:
        q, v = (dict(zip(self.names, x, strict=True)) for x in state_at(len(self.names), stamp))
        for name, at, moving in zip(message.name, message.position, message.velocity, strict=True):
            if (at, moving) != (q[name], v[name]):
                return f"'{name}' never was at {at!r}, moving at {moving!r}, at this stamp"
        right, scale = robot.torques(*(np.array([x[name] for name in robot.names]) for x in (q, v)))
        expected = dict(zip(robot.names, right.tolist(), strict=True))
        worst = max(abs(tau - expected[name]) for name, tau in zip(message.name, message.effort, strict=True))
        return (
            "" if worst <= TOLERANCE * scale else f"torques differ by {worst / scale:g} of the largest term"
        )

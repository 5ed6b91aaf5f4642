"""Where dynamics_node's time goes: its own code for each joint state, stage by stage, without the middleware.

It begins with the serialised joint state and ends with the serialised torques and commands.

The node runs in this process, without DDS between: joint states are handed to it at a rate, as its
subscription does. Publishing is rclpy's and is counted apart. `python -m benchmark.measurements.node_stages`.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.messages.stamps import stamp_message

ROOT = Path(__file__).resolve().parents[2]
STARTING = 100  # joint states before figures count
TOGETHER = 0.1  # [s] of joint states that are handed over at once, for the time with warm caches


@dataclass(frozen=True)
class Stage:
    """Times [us] of one stage, those of the stages inside it included."""

    name: str
    p50: float
    p99: float


@dataclass(frozen=True)
class StageFigures:
    """Own code in all, rclpy's publishing, and its stages, for joint states that were answered.

    `awake`: own code with the parameter busy_wait. `warm`: own code where those of TOGETHER come at once:
    nothing else has had the caches since the last. `bare`: see `_bare` and `_sum_of_one`, one by one and
    together.
    """

    robot: str
    rate: float
    sent: int
    answered: int
    own: Stage
    awake: Stage
    warm: Stage
    publishing: Stage
    stages: list[Stage]
    bare: list[Stage]


class Stopwatches:
    """Times of functions, as long as their owners are used."""

    def __init__(self) -> None:
        self.times: dict[str, list[int]] = {}

    def time(self, name: str, owner: Any, *functions: str) -> None:
        """Measure these functions of an object; times since `begin` are added up."""
        measured = self.timed(name, *(getattr(owner, function) for function in functions))
        for function, timed in zip(functions, measured, strict=True):
            setattr(owner, function, timed)

    def timed(self, name: str, *functions: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
        """These functions, measured; times since `begin` are added up."""
        sums = self.times.setdefault(name, [])
        return tuple(self._timed(function, sums) for function in functions)

    @staticmethod
    def _timed(function: Callable[..., Any], sums: list[int]) -> Callable[..., Any]:
        clock = time.perf_counter_ns  # looked up once: the stopwatch's own time counts, too

        def timed(*arguments: Any, **options: Any) -> Any:
            began = clock()
            result = function(*arguments, **options)
            sums[-1] += clock() - began
            return result

        return timed

    def begin(self) -> None:
        """Begin with the next joint state."""
        for sums in self.times.values():
            sums.append(0)

    def forget(self) -> None:
        """Forget this joint state."""
        for sums in self.times.values():
            sums.pop()

    def stage(self, name: str) -> Stage:
        """Figures of a stage."""
        return stage_of(name, self.times[name])


def stage_of(name: str, nanoseconds: list[int]) -> Stage:
    """Figures of times, without those of the start."""
    microseconds = np.sort(nanoseconds[STARTING:]) * 1e-3
    return Stage(name, *(float(np.quantile(microseconds, share)) for share in (0.5, 0.99)))


def measure_stages(
    rate: float = 1000.0, seconds: float = 5.0, urdf: Path = ROOT / "urdf/branched_38dof.urdf"
) -> StageFigures:
    """Hand joint states to a node: its own code in all, one by one and together, then its stages.

    The stopwatches of the stages take time themselves.

    Accelerations are those of the filter. Pinocchio's comparison is off: it runs once a second by default.
    """
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        parameters = {
            "robot_description_file": str(urdf),
            "acceleration_source": "filtered",
            "crosscheck_rate": 0.0,
        }
        node = DynamicsNode(parameter_overrides=[Parameter(k, value=v) for k, v in parameters.items()])
        node.trigger_configure()
        node.trigger_activate()
        try:
            return _measure(node, rate, round(rate * seconds))
        finally:
            node.destroy_node()
    finally:
        rclpy.shutdown()


def _measure(node: Any, rate: float, count: int) -> StageFigures:
    session, together = node.session, round(TOGETHER * rate)
    computation, watches = session.computation, Stopwatches()
    bare = [
        stage_of("a bare call of the library", _bare(computation, rate, count)),
        stage_of(f"the same, {together} at once", _bare(computation, rate, count, together)),
        stage_of("the sum of one number", _sum_of_one(rate, count)),
        stage_of(f"the same, {together} at once", _sum_of_one(rate, count, together)),
    ]
    for publisher in session._outputs._publishers:
        watches.time("rclpy publishes", publisher, "publish")
    ways = {
        "own code": _hand_over(node, rate, count, watches),
        "own code, busy_wait": _hand_over(node, rate, count, watches, wait=node.rehearse),
        f"own code, {together} at once": _hand_over(node, rate, count, watches, together),
    }
    own = [took for way in ways.values() for took in way]
    without = np.subtract(own, watches.times["rclpy publishes"])
    ends = np.cumsum([len(way) for way in ways.values()])
    parts = zip(ways, np.split(without, ends), strict=False)
    total, awake, warm = (stage_of(name, part.tolist()) for name, part in parts)
    publishing = watches.stage("rclpy publishes")
    states = session._loaded.states
    stages = {
        "message read, and answered": (session._fast_path, "answer"),
        "of that noted by joint": (states, "take_all"),
        "of that accelerations": (computation.accelerations.filter, "after", "take"),
        "of that torques": (session._fast_path._answers, "at"),
        "of that the library": (computation.solver, "write_torques"),
        "cross-check due?": (session.crosschecks, "admits"),
        "messages written": (session._outputs, "publish"),
        "counted": (session.record, "answered", "require_fresh"),
    }
    for name, (owner, *functions) in stages.items():
        watches.time(name, owner, *functions)
    for kind, read in session._fast_path._readers.items():
        (session._fast_path._readers[kind],) = watches.timed("of that read", read)
    after = len(_hand_over(node, rate, count, watches))
    publish = watches.times["rclpy publishes"][-after:]
    watches.times["messages written"] = [
        one - rclpys for one, rclpys in zip(watches.times["messages written"], publish, strict=True)
    ]
    names = [*stages]
    names.insert(1, "of that read")
    found, robot, answered = [*map(watches.stage, names)], session.robot.graph.name, len(own) + after
    return StageFigures(robot, rate, 4 * count, answered, total, awake, warm, publishing, found, bare)


def _hand_over(
    node: Any,
    rate: float,
    count: int,
    watches: Stopwatches,
    together: int = 1,
    wait: Callable[[], None] | None = None,
) -> list[int]:
    """Joint states at a rate, some of them together; how long each took that was answered [ns]."""
    counts, took = node.session.record.counts, list[int]()
    for data, info in _arriving(list(node.session.robot.state_names), rate, count, together, wait):
        watches.begin()
        before, began = counts.answered, time.perf_counter_ns()
        node.succession._arrivals._on_message(data, info)
        if counts.answered > before:
            took.append(time.perf_counter_ns() - began)
        else:
            watches.forget()
    return took


def _bare(computation: Any, rate: float, count: int, together: int = 1) -> list[int]:
    """How long it takes to compute torques of a message by one call of the library, and to write them [ns].

    Nothing is deserialised, filtered, checked, recorded or published: any node in Python needs more.
    """
    names = list(computation.robot.state_names)
    size, call, rest = len(names), computation.solver.write_torques, np.zeros(len(names))
    torques, commands = JointState(name=names, effort=[0.0] * size), JointState(effort=[0.0] * size)
    written = [np.frombuffer(message.effort) for message in (torques, commands)]
    took = []
    for data, _ in _arriving(names, rate, count, together):
        message, began = deserialize_message(data, JointState), time.perf_counter_ns()
        both, tau = np.asarray(message.position + message.velocity), np.empty(size)
        if message.name != names or not call(both[:size], both[size:], rest, tau):
            raise RuntimeError("the library refused a joint state")
        torques.header.stamp = message.header.stamp
        for effort in written:
            effort[...] = tau
        took.append(time.perf_counter_ns() - began)
    return took


def _sum_of_one(rate: float, count: int, together: int = 1) -> list[int]:
    """How long NumPy takes for the sum of one number [ns]: what cold caches cost on this machine."""
    number, took = np.ones(1), []
    for _ in _arriving(["joint"], rate, count, together):
        began = time.perf_counter_ns()
        number.sum()
        took.append(time.perf_counter_ns() - began)
    return took


def _arriving(
    names: list[str], rate: float, count: int, together: int = 1, wait: Callable[[], None] | None = None
) -> Iterator[tuple[bytes, dict[str, int]]]:
    """Joint states at a rate, some of them together, each with the info that rclpy gives of a message.

    They are serialised, as the node receives them.

    Args:
        wait: called again and again while one is awaited, instead of sleeping.
    """
    step, start = round(1e9 / rate), time.time_ns()
    for first in range(1, count + 1, together):
        group = [_joint_state(names, start + k * step, k) for k in range(first, first + together)]
        while (left := start + (first + together - 1) * step - time.time_ns()) > 0:
            time.sleep(left * 1e-9) if wait is None else wait()
        yield from group


def _joint_state(names: list[str], due: int, number: int) -> tuple[bytes, dict[str, int]]:
    """A joint state of a stamp [ns], serialised, and rclpy's info of it."""
    angles = due * 1e-9 % 1e3 + np.arange(len(names))
    message = JointState(name=list(names), position=np.sin(angles).tolist(), velocity=np.cos(angles).tolist())
    message.header.stamp = stamp_message(due)
    return serialize_message(message), {
        "source_timestamp": due,
        "received_timestamp": due,
        "publication_sequence_number": number,
    }


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    figures = measure_stages()
    for row in (
        figures.own,
        figures.awake,
        figures.warm,
        figures.publishing,
        *figures.stages,
        *figures.bare,
    ):
        print(f"{row.name:28s} p50 {row.p50:6.1f} us, p99 {row.p99:6.1f} us")
    print(f"{figures.answered} of {figures.sent} answered")

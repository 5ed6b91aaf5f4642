"""A node that changes dynamics_node's robot and compares the answers: see ../live_reconfiguration.py."""

import random
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from modular_dynamics_interfaces.srv import AttachSubsystem, DetachSubsystem, SetPayload
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

import modular_dynamics as md
from benchmark.studies.reconfiguration.robot import GRIPPER, PREFIX, RPY, XYZ, Body, Expected, Load
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.node.topics import ANSWER_DEPTH

DYNAMICS, NAME = "dynamics_node", "gripper"
DEPTH = 5000
MOST_DUE = 50  # joint states that are sent in a burst; the middleware would drop more
MOST_AHEAD = ANSWER_DEPTH - 20  # joint states without an answer; a machine with other work would lose more
LIMIT = 300.0  # [s] a first start may compile
TOLERANCE = 1e-9  # relative to the robot's largest torque: three recursions of the same numbers


def _past(due: float) -> bool:
    return time.monotonic() >= due


@dataclass
class Figures:
    """What was counted.

    Attributes:
        attached, detached, loads: changes. sent, answered, lost: joint states. held: times that one waited
        because MOST_AHEAD had no answer yet.
        wrong: answers that are not those of a graph that is loaded and changed anew, or not Pinocchio's.
        details: of these: difference, time since the change, how far its positions are from those sent.
        largest: difference from either, relative to the largest torque.
        before, during: median, 99th percentile and largest time from a stamp to its answer's arrival [s],
        without changes and with them: a busy machine delays both.
        reported: what the node says of joint states, at the end. slowest: of a service [s]. rate: of changes
        [Hz].
        memory: resident [MB] after a tenth of the changes and after the last one.
    """

    attached: int = 0
    detached: int = 0
    loads: int = 0
    sent: int = 0
    answered: int = 0
    lost: int = 0
    held: int = 0
    wrong: int = 0
    largest: float = 0.0
    before: tuple[float, ...] = ()
    during: tuple[float, ...] = ()
    details: list[str] = field(default_factory=list)
    reported: dict[str, str] = field(default_factory=dict)
    slowest: float = 0.0
    rate: float = 0.0
    memory: tuple[float, float] = (0.0, 0.0)


class LiveReconfiguration:
    """A node that sends joint states, changes the robot, and keeps what was answered.

    Args:
        urdf: path of the robot. link: that carries gripper and loads. rate: of the joint states [Hz].
    """

    def __init__(self, processes: Processes, urdf: Path, link: str, rate: float, seed: int) -> None:
        self._processes, self._random = processes, random.Random(seed)
        self._urdf, self._link = urdf, link
        self.node, self._executor = Node("live_reconfiguration"), SingleThreadedExecutor()
        self._executor.add_node(self.node)
        plain, other = md.load_urdf(urdf), md.load_urdf(GRIPPER)
        self.names = [*plain.joint_names, *(PREFIX + name for name in other.joint_names)]
        self._phases = np.arange(len(self.names))
        self.sent: list[int] = []
        self.answers: dict[int, JointState] = {}
        self.arrivals: dict[int, int] = {}
        self.node.create_subscription(JointState, f"{DYNAMICS}/joint_torques", self._on_answer, DEPTH)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self._states = self.node.create_publisher(JointState, "joint_states", qos_profile_sensor_data)
        make = self.node.create_client
        self._attach = make(AttachSubsystem, f"{DYNAMICS}/attach_subsystem")
        self._detach = make(DetachSubsystem, f"{DYNAMICS}/detach_subsystem")
        self._load = make(SetPayload, f"{DYNAMICS}/set_payload")
        self._newest = 0  # stamp of an answer [ns]
        self.stamps, self.bodies = [0], [Body()]
        self.figures = Figures()
        self._period, self._due = round(1e9 / rate), time.time_ns()
        self.node.create_timer(1.0 / rate, self._send_due)

    def close(self) -> None:
        """Leave the ROS graph."""
        self._executor.shutdown()
        self.node.destroy_node()

    def _motion(self, stamp: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of all joints at a stamp [ns]."""
        angle = 2.0 * (stamp % 10**12) * 1e-9 + self._phases
        return 0.02 + 0.4 * np.sin(angle), 0.8 * np.cos(angle)

    def _send_due(self) -> None:
        """What is due; more than one where this process was busy."""
        late = (time.time_ns() - self._due) // self._period
        self._due += max(0, late - MOST_DUE) * self._period
        while self._due <= time.time_ns():
            if self._newest and self.sent[-MOST_AHEAD:][0] > self._newest:
                self.figures.held += 1
                return
            self._send(time.time_ns())
            self._due += self._period

    def _send(self, stamp: int) -> None:
        q, v = self._motion(stamp)
        message = JointState(name=self.names, position=q.tolist(), velocity=v.tolist())
        message.header.stamp = stamp_message(stamp)
        self._states.publish(message)
        self.sent.append(stamp)

    def _on_answer(self, message: JointState) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        self.answers[stamp], self.arrivals[stamp] = message, time.time_ns()
        self._newest = max(self._newest, stamp)

    def wait(self, reached: Callable[[], object], what: str) -> None:
        """Spin until this is true."""
        end = time.monotonic() + LIMIT
        while not reached():
            code = self._processes.code(DYNAMICS)
            if code is not None or time.monotonic() > end:
                # whether the node stands still, or a message to or from its service was lost
                ago = (time.time_ns() - max(self.arrivals.values(), default=0)) * 1e-9
                answered = f"its last torques came {ago:.1f} s ago" if self.arrivals else "no torques came"
                text = f"waited in vain for {what}; exit code of {DYNAMICS}: {code}; {answered}"
                raise RuntimeError(f"{text}:\n{self._processes.log(DYNAMICS)}")
            self._executor.spin_once(timeout_sec=0.05)

    def connect(self) -> None:
        """Wait until joint states are answered and services are there."""
        services = self._attach, self._detach, self._load
        self.wait(lambda: all(one.service_is_ready() for one in services), "services")
        self.wait(lambda: self.answers, "a first answer")

    def request(self, client: Any, request: Any) -> Any:
        """Call a service; raises where it refuses."""
        begin, future = time.monotonic(), client.call_async(request)
        self.wait(future.done, "a response")
        self.figures.slowest = max(self.figures.slowest, time.monotonic() - begin)
        if not (response := future.result()).success:
            raise RuntimeError(f"refused: {response.error_message}")
        return response

    def _in_force(self, response: Any, body: Body) -> None:
        self.stamps.append(stamp_nanoseconds(response.stamp))
        self.bodies.append(body)
        expected = [n for n in self.names if body.gripper or not n.startswith(PREFIX)]
        if sorted(response.joint_names) != sorted(expected):
            raise RuntimeError(f"the answer names the joints {response.joint_names}")

    def attach(self) -> None:
        """The gripper, as a text."""
        request = AttachSubsystem.Request(
            name=NAME, robot_description=GRIPPER, link=self._link, prefix=PREFIX
        )
        position, turn = request.pose.position, request.pose.orientation
        position.x, position.y, position.z = XYZ
        turn.w, turn.z = float(np.cos(RPY[2] / 2)), float(np.sin(RPY[2] / 2))
        self._in_force(self.request(self._attach, request), self.bodies[-1]._replace(gripper=True))
        self.figures.attached += 1

    def detach(self) -> None:
        """The gripper."""
        response = self.request(self._detach, DetachSubsystem.Request(name=NAME))
        self._in_force(response, self.bodies[-1]._replace(gripper=False))
        self.figures.detached += 1

    def load(self) -> None:
        """Another load, or none."""
        load = None
        request = SetPayload.Request(link=self._link)
        if self._random.random() < 0.8:
            number = self._random.uniform
            moments = number(0.01, 0.02), number(0.01, 0.02), number(0.01, 0.02)
            load = Load(number(0.1, 3.0), (number(-0.1, 0.1), number(-0.1, 0.1), number(0.0, 0.1)), moments)
            of = request.inertia
            of.m, (of.com.x, of.com.y, of.com.z), (of.ixx, of.iyy, of.izz) = load
        self._in_force(self.request(self._load, request), self.bodies[-1]._replace(load=load))
        self.figures.loads += 1

    def run(self, times: int, pause: float) -> Figures:
        """Attach, load and detach so many times; at least `pause` [s] from one change to the next."""
        quiet = time.monotonic() + 3.0 * times * pause / 5.0 + 1.0
        self.wait(lambda: time.monotonic() > quiet, "the time without changes")
        figures, begin = self.figures, time.monotonic()
        warm = max(1, times // 10, min(20, times // 2))  # machine code is loaded at first
        before = 0.0
        for number in range(times):
            for change in (self.attach, self.load, self.detach):
                due = time.monotonic() + pause * self._random.uniform(0.5, 1.5)
                change()
                self.wait(partial(_past, due), "the time of the next change")
            if number + 1 == warm:
                before = self._memory()
        figures.rate = 3 * times / (time.monotonic() - begin)
        figures.memory = before, self._memory()
        last = self.stamps[-1]
        self.wait(lambda: max(self.answers) > last, "the end")
        said = time.monotonic() + 2.0  # /diagnostics come once a second
        self.wait(lambda: time.monotonic() > said, "the last diagnostics")
        self._compare()
        return figures

    def _delays(self, stamps: Iterable[int]) -> tuple[float, ...]:
        """Median, 99th percentile and largest [s]."""
        delays = [(self.arrivals[stamp] - stamp) * 1e-9 for stamp in stamps]
        return tuple(np.percentile(delays, (50, 99, 100)).tolist())

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        counted = ("lost on the way", "superseded", "messages rejected", "rejected: ")
        for status in message.status:
            kept = {one.key: one.value for one in status.values if one.key.startswith(counted)}
            self.figures.reported |= {key: value for key, value in kept.items() if value != "0"}

    def _memory(self) -> float:
        pages = int(Path(f"/proc/{self._processes.pid(DYNAMICS)}/statm").read_text().split()[1])
        return pages * 4096e-6

    def _compare(self) -> None:
        first, end = min(self.answers), max(self.sent)
        sent = [stamp for stamp in self.sent if first <= stamp <= end]
        late = time.monotonic() + 5.0
        self.wait(lambda: time.monotonic() > late or self.answers.keys() >= {*sent}, "answers")
        figures, answered = self.figures, [stamp for stamp in sent if stamp in self.answers]
        figures.sent, figures.answered, figures.lost = len(sent), len(answered), len(sent) - len(answered)
        figures.before = self._delays(stamp for stamp in answered if stamp < self.stamps[1])
        figures.during = self._delays(stamp for stamp in answered if stamp >= self.stamps[1])
        fresh = lru_cache(maxsize=2)(lambda body: Expected(self._urdf, self._link, body))
        for stamp in answered:
            body = self.bodies[bisect_right(self.stamps, stamp) - 1]
            answer, state = self.answers[stamp], self._motion(stamp)
            efforts = dict(zip(answer.name, answer.effort, strict=True))
            q, v = (dict(zip(self.names, values.tolist(), strict=True)) for values in state)
            difference = fresh(body).difference(q, v, efforts)
            figures.largest = max(figures.largest, difference)
            if not difference <= TOLERANCE:
                figures.wrong += 1
                apart = max(abs(at - q[name]) for name, at in zip(answer.name, answer.position, strict=True))
                since = 1e-6 * (stamp - self.stamps[bisect_right(self.stamps, stamp) - 1])
                figures.details.append(f"{difference:.1e}, {since:.3f} ms after a change, q by {apart:.1e}")

"""Test of a robot that changes while joint states arrive: is each answered, and by the right robot?

    python -m benchmark.studies.live_changes [--only gripper|modules] [--times 1000] [--rate 200]

gripper: a gripper is attached to the care robot, a random payload set, and the gripper detached, each so many
times, by the services of dynamics_node. modules: Backbones and Scouts dock and leave at random, by those of
assembly_node; dynamics_node follows. Both nodes are processes. Each answer is compared with the torques of a
graph that is made here from the same changes. Counted are joint states that were lost, and answers with the
torques of another robot.
"""

import argparse
import random
import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from geometry_msgs.msg import Inertia
from modular_dynamics_interfaces.srv import AttachSubsystem, DetachSubsystem, Dock, SetPayload, Undock
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rich.console import Console
from sensor_msgs.msg import JointState

import modular_dynamics as md
from benchmark.setting.robots import ROOT, Array
from benchmark.setting.ros_processes import ros_processes
from benchmark.setting.timing import print_table
from examples.demo.playing import spin_until
from examples.demo.processes import Processes
from modular_dynamics.modular import Assembly, shipped_types
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

__all__ = ["Figures", "study"]

DYNAMICS, ASSEMBLY = "dynamics_node", "assembly_node"
ROBOT, LINK, GRIPPER, PREFIX = ROOT / "urdf/charmie.urdf", "body_12b", ROOT / "urdf/four_link.urdf", "g/"
MODULES = [f"m{k}" for k in range(12)]  # names that are given again to new modules, of any kind
FACES = ("2", "3", "4", "5")
TOLERANCE = 1e-9  # relative to the robot's largest torque: two recursions of the same numbers
LIMIT = 60.0  # [s] for a start, a response, the last answers
DEPTH = 5000


@dataclass(frozen=True)
class Figures:
    """Counts and times of one run.

    Attributes:
        changes, refused: by services. sent, answered, wrong: joint states; wrong: with the torques of another
            robot. latency: from a stamp to the arrival of its answer, p50, p99 and largest [ms].
        slowest: change, from request to response [ms].
    """

    changes: int
    refused: int
    sent: int
    answered: int
    wrong: int
    latency: tuple[float, ...]
    slowest: float


class LiveChanges:
    """A node that changes a robot by services, and records joint states and answers; subclasses say how."""

    nodes: tuple[str, ...]
    named: bool  # whether joint states name their robot

    def __init__(self, processes: Processes, folder: Path, rate: float) -> None:
        self.random, self._processes = random.Random(0), processes
        self.node, self._executor = Node("live_changes"), SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self.sent: set[int] = set()
        self._answers: dict[int, JointState] = {}
        self._arrivals: dict[int, int] = {}
        self._robots: list[tuple[int, Callable[[], md.SubsystemGraph]]] = []
        self._refused, self._slowest = 0, 0.0
        self.node.create_subscription(JointState, f"{DYNAMICS}/joint_torques", self._on_answer, DEPTH)
        self.start(processes, folder, rate)

    def start(self, processes: Processes, folder: Path, rate: float) -> None:
        """Start the nodes, and joint states at a rate [Hz]; the folder is for files that they need."""
        raise NotImplementedError

    def change(self) -> None:
        """Change the robot once, by `call`."""
        raise NotImplementedError

    def _on_answer(self, message: JointState, info: dict[str, int]) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        self._answers[stamp], self._arrivals[stamp] = message, info["received_timestamp"]

    def wait(self, reached: Callable[[], object], what: str, limit: float = LIMIT) -> None:
        """Serve callbacks until the condition holds."""
        spin_until(self._executor, self._processes, lambda: bool(reached()), limit, what, [*self.nodes])

    def call(self, client: Any, request: Any, robot: Callable[[], md.SubsystemGraph] | None) -> bool:
        """Call a service; from the stamp of its response on, the robot is that of the function.

        None: the service must refuse the request.
        """
        begin, future = time.monotonic(), client.call_async(request)
        self.wait(future.done, "a response")
        self._slowest = max(self._slowest, time.monotonic() - begin)
        response = future.result()
        if response.success != (robot is not None):
            raise RuntimeError(f"the library and the node disagree: {response.error_message or request}")
        if robot is None:
            self._refused += 1
        else:
            self._robots.append((stamp_nanoseconds(response.stamp), robot))
        return robot is not None

    def run(self, times: int, pause: float) -> Figures:
        """Make so many changes, at least `pause` [s] from one to the next; compare all answers."""
        self.wait(lambda: self._answers.keys() & self.sent, "a first answer")
        self.change()
        while len(self._robots) < times:
            due = time.monotonic() + pause
            self.change()
            self.wait(lambda due=due: time.monotonic() >= due, "the time of the next change")
        last = self._robots[-1][0]
        self.wait(lambda: max(self._answers) > last, "the end")
        first = max(min(self._answers.keys() & self.sent), self._robots[0][0])
        sent = sorted(stamp for stamp in self.sent if stamp >= first)
        end = time.monotonic() + 5.0
        self.wait(lambda: time.monotonic() > end or self._answers.keys() >= {*sent}, "answers")
        answered = [stamp for stamp in sent if stamp in self._answers]
        delays = np.array([self._arrivals[stamp] - stamp for stamp in answered]) * 1e-6
        return Figures(
            *(len(self._robots), self._refused, len(sent), len(answered), self._wrong(answered)),
            tuple(np.percentile(delays, (50, 99, 100)).tolist()),
            1e3 * self._slowest,
        )

    def _wrong(self, answered: list[int]) -> int:
        """Return how many answers are of another robot than those in force from their stamp to their arrival.

        A change counts from the next joint state that arrives, which may have been sent before it; one that
        names its robot is answered by that robot.
        """
        stamps, graph_of = [stamp for stamp, _ in self._robots], lru_cache(4)(lambda k: self._robots[k][1]())
        wrong = 0
        for stamp in answered:
            answer, end = self._answers[stamp], stamp if self.named else self._arrivals[stamp]
            first, last = (bisect_right(stamps, at) - 1 for at in (stamp, end))
            wrong += not any(is_of(answer, graph_of(k)) for k in range(first, last + 1))
        return wrong


def is_of(answer: JointState, graph: md.SubsystemGraph) -> bool:
    """Return whether names and torques of an answer are those of a robot at the answer's own state."""
    if sorted(answer.name) != sorted(graph.joint_names):
        return False
    order = [answer.name.index(name) for name in graph.joint_names]
    q, v, effort = (np.array(x)[order] for x in (answer.position, answer.velocity, answer.effort))
    tau = md.inverse_dynamics(graph, q, v, np.zeros(len(order)))
    return bool(np.abs(effort - tau).max() <= TOLERANCE * max(1.0, np.abs(tau).max()))


class GripperChanges(LiveChanges):
    """Attaches a gripper to the care robot, sets payloads, detaches it."""

    nodes = (DYNAMICS,)
    named = False

    def start(self, processes: Processes, folder: Path, rate: float) -> None:
        """Start dynamics_node on the care robot, and publish all joints, those of the gripper too."""
        self._plain, self._other = md.load_urdf(ROBOT), md.load_urdf(GRIPPER)
        self._names = [*self._plain.joint_names, *(PREFIX + name for name in self._other.joint_names)]
        processes.start(DYNAMICS, "autostart:=true", f"robot_description_file:={ROBOT}", "stale_after:=10.0")
        make = self.node.create_client
        self._attach = make(AttachSubsystem, f"{DYNAMICS}/attach_subsystem")
        self._detach = make(DetachSubsystem, f"{DYNAMICS}/detach_subsystem")
        self._load = make(SetPayload, f"{DYNAMICS}/set_payload")
        self._states = self.node.create_publisher(JointState, "joint_states", qos_profile_sensor_data)
        self.node.create_timer(1.0 / rate, self._send)
        self._count, self._mass = 0, 0.0

    def _send(self) -> None:
        stamp = time.time_ns()
        angles = 2.0 * (stamp % 10**12) * 1e-9 + np.arange(len(self._names))
        q, v = 0.02 + 0.4 * np.sin(angles), 0.8 * np.cos(angles)
        message = JointState(name=self._names, position=q.tolist(), velocity=v.tolist())
        message.header.stamp = stamp_message(stamp)
        self._states.publish(message)
        self.sent.add(stamp)

    def change(self) -> None:
        """Attach, set a payload, detach, in turns."""
        turn, self._count = self._count % 3, self._count + 1
        if turn == 0:
            request = AttachSubsystem.Request(name="gripper", link=LINK, prefix=PREFIX)
            request.robot_description = GRIPPER.read_text(encoding="utf-8")
            request.pose.orientation.w = 1.0
            self.call(self._attach, request, self._robot(self._mass, gripper=True))
        elif turn == 1:
            self._mass = self.random.uniform(0.1, 3.0)
            request = SetPayload.Request(
                link=LINK, inertia=Inertia(m=self._mass, ixx=0.01, iyy=0.01, izz=0.01)
            )
            self.call(self._load, request, self._robot(self._mass, gripper=True))
        else:
            self.call(self._detach, DetachSubsystem.Request(name="gripper"), self._robot(self._mass))

    def _robot(self, mass: float, *, gripper: bool = False) -> Callable[[], md.SubsystemGraph]:
        def made() -> md.SubsystemGraph:
            graph = self._plain.attach(self._other, LINK, prefix=PREFIX) if gripper else self._plain
            inertia: Array = 0.01 * np.eye(3)
            return graph.with_payload(LINK, mass=mass, com=np.zeros(3), inertia=inertia) if mass else graph

        return made


class ModuleChanges(LiveChanges):
    """Docks modules at random, and lets them leave; joint states name their robot."""

    named = True
    nodes = (DYNAMICS, ASSEMBLY)

    def start(self, processes: Processes, folder: Path, rate: float) -> None:
        """Start both nodes; assembly_node plays a gait of all joints that may come."""
        self._assembly = Assembly(("v0", "backbone"))
        kinds = shipped_types()
        self._kinds = [name for name, kind in kinds.items() if {*FACES} <= {*kind.ports}]
        joints = {
            f"{name}/{joint.name}": {"amplitude": 0.4, "phase": 0.7 * k}
            for k, name in enumerate(MODULES)
            for kind in kinds.values()
            for joint in kind.joints
            if joint.type.nv == 1
        }
        gait = folder / "gait.yaml"
        gait.write_text(yaml.safe_dump({"kind": "sine", "frequency": 0.5, "ramp": 0.5, "joints": joints}))
        processes.start(DYNAMICS, "autostart:=true", "stale_after:=10.0")
        processes.start(ASSEMBLY, "autostart:=true", f"rate:={rate}", f"gait_file:={gait}")
        self._dock = self.node.create_client(Dock, f"{ASSEMBLY}/dock")
        self._undock = self.node.create_client(Undock, f"{ASSEMBLY}/undock")
        self.node.create_subscription(JointState, "joint_states", self._on_state, DEPTH)
        self.wait(self._dock.service_is_ready, "assembly_node")
        first = Dock.Request(module="v0", port="3", other_module="m0", other_port="4", kind="backbone")
        self._changed(self._dock, first)

    def _on_state(self, message: JointState) -> None:
        self.sent.add(stamp_nanoseconds(message.header.stamp))

    def change(self) -> None:
        """Dock a module, or let one leave that is not the first, so that a joint is always there."""
        pick = self.random.choice
        free = [name for name in MODULES if name not in self._assembly]
        others = [name for name in self._assembly if name not in ("v0", "m0")]
        if others and (not free or self.random.random() < 0.45):
            self._changed(self._undock, Undock.Request(module=pick(others)))
            return
        request = Dock.Request(module=pick(list(self._assembly)), port=pick(FACES), other_module=pick(free))
        request.other_port, request.kind, request.turn = pick(FACES), pick(self._kinds), pick(range(4))
        self._changed(self._dock, request)

    def _changed(self, client: Any, request: Any) -> None:
        """Change the assembly in this process and in the node; both must allow or refuse the change."""
        try:
            if isinstance(request, Undock.Request):
                changed = self._assembly.undock(request.module)
            else:
                ports = request.module, request.port, request.other_module, request.other_port
                changed = self._assembly.dock(*ports, kind=request.kind, turn=request.turn)
        except md.ModularDynamicsError:
            self.call(client, request, None)
        else:
            self._assembly = changed
            self.call(client, request, changed.graph)


STUDIES = {"gripper": GripperChanges, "modules": ModuleChanges}


def study(name: str, times: int, rate: float, pause: float) -> Figures:
    """Run one of STUDIES: so many changes, `pause` [s] apart, joint states at a rate [Hz]."""
    with ros_processes() as (processes, folder):
        return STUDIES[name](processes, folder, rate).run(times, pause)


def main() -> int:
    """Print a table; return 1 where a joint state was lost or an answer was that of another robot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", choices=STUDIES, help="(both)")
    parser.add_argument("--times", type=int, default=1000, help="of each kind of change (1000)")
    parser.add_argument("--rate", type=float, default=200.0, help="joint states per second (200)")
    parser.add_argument("--pause", type=float, default=0.05, help="from change to change [s] (0.05)")
    options = parser.parse_args()
    rows, failed = [], 0
    for name in [options.only] if options.only else STUDIES:
        times = 3 * options.times if name == "gripper" else options.times
        one = study(name, times, options.rate, options.pause)
        latency = ", ".join(f"{value:.2f}" for value in one.latency)
        counts = one.changes, one.refused, one.sent, one.sent - one.answered, one.wrong
        rows.append((name, *map(str, counts), latency, f"{one.slowest:.0f}"))
        failed |= int(one.sent > one.answered or one.wrong > 0)
    columns = "", "changes", "refused", "sent", "lost", "wrong", "p50, p99, most [ms]", "slowest"
    print_table(Console(width=110), f"changes while joint states come at {options.rate:g} Hz", columns, rows)
    print("refused: by node and library alike. slowest: change [ms].")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())

"""A node that docks and releases modules at random, and compares the answers: see live_docking.py."""

import random
import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from modular_dynamics_interfaces.msg import AssemblyIncidenceMatrix
from modular_dynamics_interfaces.srv import Dock, Undock
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import modular_dynamics as md
from modular_dynamics.modular import Assembly, IncidenceMatrix, shipped_types
from modular_dynamics.urdf import stamped
from modular_dynamics_ros.assembly.files import description_of
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.node.topics import LATCHED

ASSEMBLY, DYNAMICS = "assembly_node", "dynamics_node"
NAMES = [f"m{k}" for k in range(12)]  # given again to new modules, of any kind
FACES = ("2", "3", "4", "5")
FIRST = ("v0", "3", "m0", "4")  # stays, so that a joint is always there
TOLERANCE = 1e-9  # relative to the body's largest torque: two recursions of the same numbers
LIMIT = 300.0  # [s] a first start may compile
DEPTH = 5000


@dataclass
class Figures:
    """What was counted.

    Attributes:
        changes, refused: dockings and releases; those that the assembly does not allow.
        sent, answered, lost, wrong: joint states; wrong: with the torques of another body.
        memory: by node, resident [MB] after a tenth of the changes and after the last one.
        same_text, same_bits: the last description and the last answer are those of a body built anew.
    """

    changes: int = 0
    refused: int = 0
    sent: int = 0
    answered: int = 0
    lost: int = 0
    wrong: int = 0
    memory: dict[str, tuple[float, float]] = field(default_factory=dict)
    same_text: bool = False
    same_bits: bool = False
    rate: float = 0.0


class LiveDocking:
    """A node that changes the assembly, and keeps what was sent and answered."""

    def __init__(self, processes: Processes, seed: int) -> None:
        self._random, self._processes = random.Random(seed), processes
        self.node, self._executor = Node("live_docking"), SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self.sent: set[int] = set()
        self.answers: dict[int, JointState] = {}
        self.description, self.matrix = "", AssemblyIncidenceMatrix()
        listen = self.node.create_subscription
        listen(JointState, "joint_states", lambda m: self.sent.add(_stamp(m)), DEPTH)
        listen(JointState, f"{DYNAMICS}/joint_torques", self._on_answer, DEPTH)
        listen(String, "robot_description", self._on_description, LATCHED)
        listen(AssemblyIncidenceMatrix, f"{ASSEMBLY}/incidence_matrix", self._on_matrix, LATCHED)
        self._dock = self.node.create_client(Dock, f"{ASSEMBLY}/dock")
        self._undock = self.node.create_client(Undock, f"{ASSEMBLY}/undock")
        self.assembly = Assembly(("v0", "backbone"))
        self.stamps: list[int] = []
        self.bodies: list[Assembly] = []
        self.figures = Figures()

    def _on_answer(self, message: JointState) -> None:
        self.answers[_stamp(message)] = message

    def _on_description(self, message: String) -> None:
        self.description = message.data

    def _on_matrix(self, message: AssemblyIncidenceMatrix) -> None:
        self.matrix = message

    def wait(self, reached: Callable[[], object], what: str) -> None:
        """Spin until this is true."""
        end = time.monotonic() + LIMIT
        while not reached():
            for name in (ASSEMBLY, DYNAMICS):
                if self._processes.code(name) is not None:
                    raise RuntimeError(f"{name} has ended:\n{self._processes.log(name)}")
            if time.monotonic() > end:
                raise RuntimeError(f"waited in vain for {what}:\n{self._processes.log(DYNAMICS)}")
            self._executor.spin_once(timeout_sec=0.05)

    def connect(self) -> None:
        """Dock the first module and wait for an answer: all nodes know each other."""
        self.wait(lambda: self._dock.service_is_ready() and self.matrix.modules, "assembly_node")
        self.change(lambda: (self._dock, _request(*FIRST, "backbone", 0)))
        self.wait(lambda: self.answers.keys() & self.sent, "a first answer")

    def change(self, choose: Callable[[], tuple[Any, Any]] | None = None) -> None:
        """One docking or release by the service, and the same here; both must agree on what is allowed."""
        client, request = (choose or self._choice)()
        future = client.call_async(request)
        self.wait(future.done, "a response")
        response = future.result()
        try:
            changed = _changed(self.assembly, request)
        except md.ModularDynamicsError:
            changed = None
        if response.success != (changed is not None):
            raise RuntimeError(f"the library and the node disagree: {response.error_message}")
        if changed is None:
            self.figures.refused += 1
            return
        self.figures.changes += 1
        self.assembly = changed
        self.stamps.append(stamp_nanoseconds(response.stamp))
        self.bodies.append(changed)

    def _choice(self) -> tuple[Any, Any]:
        pick = self._random.choice
        free = [name for name in NAMES if name not in self.assembly]
        others = [name for name in self.assembly if name not in FIRST]
        if others and (not free or self._random.random() < 0.45):
            return self._undock, Undock.Request(module=pick(others))
        ends = pick(list(self.assembly)), pick(FACES), pick(free), pick(FACES)
        kinds = [kind for kind, of in shipped_types().items() if set(FACES) <= set(of.ports)]
        return self._dock, _request(*ends, pick(kinds), self._random.randrange(4))

    def run(self, changes: int, rate: float) -> Figures:
        """Make changes at most at this rate [Hz]; compare."""
        figures, warm = self.figures, self.figures.changes + max(1, changes // 10)
        last, before, begin = figures.changes + changes, dict[str, float](), time.monotonic()
        while figures.changes < last:
            due = time.monotonic() + 1.0 / rate
            self.change()
            self.wait(lambda due=due: time.monotonic() >= due, "the time of the next change")
            if figures.changes >= warm and not before:
                before = {name: self._memory(name) for name in (ASSEMBLY, DYNAMICS)}
        figures.rate = changes / (time.monotonic() - begin)
        figures.memory = {name: (was, self._memory(name)) for name, was in before.items()}
        self.wait(lambda: self.answers.keys() & {s for s in self.sent if s > self.stamps[-1]}, "the end")
        self._compare(max(self.sent))
        return figures

    def _memory(self, name: str) -> float:
        pages = int(Path(f"/proc/{self._processes.pid(name)}/statm").read_text().split()[1])
        return pages * 4096e-6

    def _compare(self, end: int) -> None:
        first = min(self.answers.keys() & self.sent)
        sent = sorted(stamp for stamp in self.sent if first <= stamp <= end)
        late = time.monotonic() + 5.0
        self.wait(lambda: time.monotonic() > late or self.answers.keys() >= set(sent), "answers")
        figures, graphs = self.figures, [body.graph() for body in self.bodies]
        figures.sent = len(sent)
        answered = [stamp for stamp in sent if stamp in self.answers]
        figures.answered, figures.lost = len(answered), len(sent) - len(answered)
        for stamp in answered:
            graph = graphs[bisect_right(self.stamps, stamp) - 1]
            figures.wrong += not _is_of(self.answers[stamp], graph)
        fresh = _from_matrix(self.matrix)
        figures.same_text = self.description == stamped(description_of(fresh), self.stamps[-1])
        last = self.answers[answered[-1]]
        figures.same_bits = _torques(last, load_robot(self.description).graph).tolist() == list(last.effort)


def _stamp(message: JointState) -> int:
    return stamp_nanoseconds(message.header.stamp)


def _request(module: str, port: str, other: str, other_port: str, kind: str, turn: int) -> Dock.Request:
    return Dock.Request(
        module=module, port=port, other_module=other, other_port=other_port, kind=kind, turn=turn
    )


def _changed(assembly: Assembly, request: Any) -> Assembly:
    if isinstance(request, Undock.Request):
        return assembly.undock(request.module, request.port or None)
    ports = request.module, request.port, request.other_module, request.other_port
    return assembly.dock(*ports, kind=request.kind or None, turn=request.turn)


def _from_matrix(message: AssemblyIncidenceMatrix) -> Assembly:
    faces = np.array(message.faces, int).reshape(message.rows, message.columns)
    kinds, modules = tuple(message.kinds), tuple(message.modules)
    matrix = IncidenceMatrix(faces, kinds, modules, turns=tuple(message.turns), base=message.base)
    return Assembly.from_incidence_matrix(matrix, name=message.assembly)


def _torques(answer: JointState, graph: md.SubsystemGraph) -> np.ndarray:
    """Of a graph at the answer's state, in the answer's order of joints."""
    order = [answer.name.index(name) for name in graph.joint_names]
    q, v = (np.array(values)[order] for values in (answer.position, answer.velocity))
    tau = md.inverse_dynamics(graph, q, v, np.zeros(len(order)))
    back = np.empty(len(order))
    back[order] = tau
    return back


def _is_of(answer: JointState, graph: md.SubsystemGraph) -> bool:
    """Whether names and torques are those of this body."""
    if sorted(answer.name) != sorted(graph.joint_names):
        return False
    torques = _torques(answer, graph)
    return bool(np.abs(answer.effort - torques).max() <= TOLERANCE * max(1.0, np.abs(torques).max()))

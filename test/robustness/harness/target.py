"""A node of this project as a process, and a node in this process that sends to it and hears its answers."""

import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import String

import modular_dynamics_ros
from examples.demo.processes import Processes
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from robustness.harness import flood
from robustness.harness.judge import Judge
from robustness.harness.robots import joint_names, state_at, tree_urdf
from robustness.harness.tally import Effort, Tally

START = 60.0  # [s] that a node may need until its first answer, on a busy machine
OWN_DELAY = 120.0  # [s] of this process, which may have 5,000 answers to compare: 4 ms each with 200 joints
ENDING = 30.0  # [s] after SIGINT
RECOVERY = 2.0  # [s] after a fault until good states are processed
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: What a node logs of an exception that nobody expected.
RAW = ("Traceback (most recent call last)", "unexpectedly")


class Target:
    """The node under test. Leaving the context ends all processes.

    Attributes:
        judge: of the answers of dynamics_node. node: of this process. processes: with logs in ``folder``.
        urdf: of the tree that the node has; see `of_tree`.
    """

    urdf = ""

    def __init__(self, judge: Judge, folder: Path, name: str = "dynamics_node") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.judge, self.tally, self.folder, self.name = judge, judge.tally, folder, name
        self.processes, self.node = Processes(folder), Node("robustness")
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self.node.create_subscription(JointState, f"{name}/joint_torques", judge.on_answer, 5000)
        if name == "dynamics_node":  # whose joint_torques are judged
            self.node.create_subscription(
                JointState, f"{name}/stamped_effort_commands", judge.on_command, 5000
            )
        self.states = self.node.create_publisher(JointState, "joint_states", 1000)
        self.descriptions = self.node.create_publisher(String, "robot_description", LATCHED)
        self._dead: set[str] = set()
        self._raw_lines: dict[str, int] = {}

    @classmethod
    def of_tree(
        cls, tally: Tally, effort: Effort, joints: int, name: str = "dynamics_node", seed: int = 0
    ) -> "Target":
        """Return a target for a tree of joints, whose description is published."""
        urdf = tree_urdf(joints, seed)
        target = cls(Judge(tally, joint_names(joints), urdf), effort.folder / tally.test, name)
        target.urdf = urdf
        target.describe(urdf)
        return target

    def __enter__(self) -> "Target":
        return self

    def __exit__(self, *of: object) -> None:
        try:
            self.look_at_logs()
        finally:
            with self.processes:
                self._executor.shutdown()
                self.node.destroy_node()

    def start(
        self,
        *parameters: str,
        kind: str = "",
        name: str = "",
        namespace: str = "",
        node: str = "",
        autostart: bool = True,
    ) -> None:
        """Start the node under test, or another one, with parameters NAME:=VALUE.

        Args:
            kind: of node. name: of the process. namespace, node: where and how the node is called.
        """
        name = name or self.name
        self._raw_lines.pop(name, None)
        self._dead.discard(name)
        rules = [f"__ns:=/{namespace}"] * bool(namespace) + [f"__node:={node}"] * bool(node)
        given = [*["autostart:=true"] * autostart, *parameters]
        words = [word for rule in rules for word in ("-r", rule)]
        words += [word for parameter in given for word in ("-p", parameter)]
        program = Path(modular_dynamics_ros.__file__).parent / "__main__.py"
        self.processes.start_file(name, program, kind or self.name, "--ros-args", *words)

    def limit(self, kind: int, amount: int) -> None:
        """Limit a resource of the running node (resource.RLIMIT_...)."""
        resource.prlimit(self.processes.pid(self.name), kind, (amount, amount))

    def describe(self, urdf: str) -> None:
        """Publish a description."""
        self.descriptions.publish(String(data=urdf))

    def state(
        self, stamp: int | None = None, joints: Iterable[int] | None = None, names: list[str] | None = None
    ) -> JointState:
        """A good joint state; its stamp is the present unless it is given [ns].

        Args:
            joints: numbers of those that it holds; all unless given. names: of the joints of another robot.
        """
        stamp = time.time_ns() if stamp is None else stamp
        names = self.judge.names if names is None else names
        q, v = state_at(len(names), stamp)
        chosen = list(range(len(q)) if joints is None else joints)
        message = JointState(name=[names[k] for k in chosen])
        message.position, message.velocity = q[chosen].tolist(), v[chosen].tolist()
        message.header.stamp = stamp_message(stamp)
        return message

    def send(self, message: JointState | None = None) -> None:
        """Publish a state, a good one unless it is given."""
        message = self.state() if message is None else message
        self.tally.tried += 1
        self.judge.on_sent(stamp_nanoseconds(message.header.stamp))
        self.states.publish(message)

    @contextmanager
    def sending(self, rate: float = 100.0) -> Iterator[None]:
        """Good states at a rate as long as callbacks are served."""
        timer = self.node.create_timer(1.0 / rate, self.send)
        try:
            yield
        finally:
            self.node.destroy_timer(timer)

    def spin(self, seconds: float) -> None:
        """Serve callbacks for this time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)

    def spin_until(self, reached: Callable[[], object], limit: float) -> bool:
        """Serve callbacks until a condition holds; whether it came true within the limit [s]."""
        end = time.monotonic() + limit
        while not reached():
            if time.monotonic() > end:
                return False
            self._executor.spin_once(timeout_sec=0.01)
        return True

    def send_for(
        self, seconds: float, rate: float = 100.0, make: Callable[[], JointState] | None = None
    ) -> None:
        """Publish states at a rate."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.send(make() if make else None)
            self.spin(1.0 / rate)

    def recovers(
        self, after: str, limit: float = RECOVERY, make: Callable[[], JointState] | None = None
    ) -> bool:
        """Send good states until three of them are processed; not within the limit [s] is wrong."""
        answers, stamps, end = self.judge.processed, set[int](), time.monotonic() + limit
        before = len(answers)

        def recovered() -> bool:
            return len(stamps.intersection(answers[before:])) >= 3

        while self.alive() and time.monotonic() < end:
            message = make() if make else self.state()
            stamps.add(stamp_nanoseconds(message.header.stamp))
            self.send(message)
            self.spin(0.01)
            if recovered():
                return True
        if not self.alive():
            return False
        # answers that were published in time may wait here: no state is processed later than stale_after
        if self.spin_until(recovered, OWN_DELAY):
            return True
        log = self.processes.log(self.name)
        self.tally.found_wrong(f"unprocessed for {limit:g} s after: {after[:200]}", f"{after}\n{log}")
        return False

    def ready(self, *parameters: str, make: Callable[[], JointState] | None = None) -> bool:
        """Start the node and wait for the first answers."""
        self.start(*parameters)
        return self.recovers("the start", START, make)

    def alive(self, name: str = "") -> bool:
        """Whether the process runs; a death is counted once."""
        name = name or self.name
        if (code := self.processes.code(name)) is None:
            return True
        if name not in self._dead:
            self._dead.add(name)
            log = self.processes.log(name)
            self.tally.found_dead(f"{name} ended with code {code}: {log[-500:]}", log)
        return False

    def end(self, name: str = "") -> None:
        """End the process by SIGINT; it must end by itself, with code 0."""
        name = name or self.name
        self.look_at_logs(name)
        if name == "dynamics_node":
            self.spin(0.2)  # commands and torques come on their own ways
            self.judge.end_of_commands()
        if self.alive(name):
            pid = self.processes.pid(name)
            os.kill(pid, signal.SIGINT)
            if not self.spin_until(lambda: self.processes.code(name) is not None, ENDING):
                os.kill(pid, signal.SIGABRT)  # the log then says where each thread is
                self.spin_until(lambda: self.processes.code(name) is not None, ENDING)
            if (code := self.processes.code(name)) != 0:
                log = (self.folder / f"{name}.log").read_bytes()[-20000:]
                self.tally.found_dead(f"{name} ended with code {code} after SIGINT", log)
        self.processes.end(name)

    def look_at_logs(self, name: str = "") -> None:
        """Raw errors in the log of a node are wrong."""
        name = name or self.name
        path = self.folder / f"{name}.log"
        if not path.exists():
            return
        log = path.read_text("utf-8", "replace")
        lines = [line for line in log.splitlines() if any(words in line for words in RAW)]
        for line in lines[self._raw_lines.get(name, 0) :]:
            self.tally.found_wrong(f"raw error in the log of {name}: {line[:300]}", log[-20000:])
        self._raw_lines[name] = len(lines)

    def start_flood(self, **options: float) -> None:
        """Start publishers of joint states in a process of their own, called flood: see there."""
        arguments = [f"--{name}={value}" for name, value in options.items()]
        self.processes.start_file("flood", Path(flood.__file__), *arguments)

    def call(self, kind: type, service: str, limit: float = 10.0, **request: Any) -> Any:
        """The response of a service of the node; None where none came within the limit [s]."""
        client = self.node.create_client(kind, f"{self.name}/{service}")
        try:
            future: Any = None

            def ended() -> bool:
                return self.processes.code(self.name) is not None

            if not self.spin_until(lambda: client.service_is_ready() or ended(), START):
                return None
            for _ in range(3):  # a response may be lost while DDS connects
                future = client.call_async(kind.Request(**request))
                if self.spin_until(lambda: future.done() or ended(), limit) and future.done():  # noqa: B023  # called in this round
                    return future.result()
            return None
        finally:
            self.node.destroy_client(client)

    def set_parameter(self, name: str, value: Any) -> bool | None:
        """Set a parameter at run time; whether that was accepted, None where there was no response."""
        message: ParameterMessage = Parameter(name, value=value).to_parameter_msg()
        response = self.call(SetParameters, "set_parameters", parameters=[message])
        return None if response is None else bool(response.results[0].successful)

    def transition(self, label: str) -> bool | None:
        """Request a lifecycle transition."""
        response = self.call(ChangeState, "change_state", START, transition=Transition(label=label))
        return None if response is None else bool(response.success)


@contextmanager
def ros() -> Iterator[None]:
    """ROS 2 in this process; SIGINT stays Python's."""
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        yield
    finally:
        rclpy.try_shutdown()

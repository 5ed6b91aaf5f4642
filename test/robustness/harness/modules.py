"""assembly_node, whose modules dock and leave, and the dynamics_node that follows it; a test of both."""

from random import Random
from typing import Any

import numpy as np
from modular_dynamics_interfaces.srv import Dock, Undock
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from helpers.paths import ROOT
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from robustness.harness.oracle import TOLERANCE, Oracle
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import START, Target

LONGEST = 8  # modules in the snake
KEPT = 500  # states that may still be processed
DESCRIPTIONS = QoSProfile(depth=20, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Modules:
    """The two nodes; every torque is compared with Pinocchio's of the description that its state names.

    Args:
        parameters: of dynamics_node.

    Attributes:
        processes: names.
    """

    processes = ("assembly", "follower")

    def __init__(self, target: Target, *parameters: str) -> None:
        self._target = target
        self._heard, self._processed = set[int](), set[int]()
        self._oracles: dict[str, Oracle] = {}
        self._states: dict[int, JointState] = {}
        self._early: dict[int, JointState] = {}
        self._right = self._last = 0
        self._snake = ["v0"]
        self._requests: list[tuple[Any, Any]] = []
        node = target.node
        node.create_subscription(String, "/modules/robot_description", self._on_description, DESCRIPTIONS)
        node.create_subscription(JointState, "/modules/joint_states", self._on_state, 1000)
        node.create_subscription(JointState, "/modules/dynamics_node/joint_torques", self._on_torques, 1000)
        self._dock = node.create_client(Dock, "/modules/assembly_node/dock")
        self._undock = node.create_client(Undock, "/modules/assembly_node/undock")
        gait = f"gait_file:={ROOT / 'config/gaits/snake.yaml'}"
        target.start(gait, kind="assembly_node", name="assembly", namespace="modules")
        target.start(*parameters, kind="dynamics_node", name="follower", namespace="modules")

    def answers(self) -> bool:
        """Whether torques of modules have come; docks the first one."""
        if not self._requests and self._dock.service_is_ready():
            self.change(Random(0))
        return self._right > 0

    def change(self, random: Random) -> None:
        """Dock a module at the snake's end, or let some leave; without waiting for the response."""
        if len(self._requests) > 20:
            self._requests = [pair for pair in self._requests if not pair[0].done()]
        if len(self._snake) < LONGEST and (len(self._snake) == 1 or random.random() < 0.6):
            name = f"v{len(self._snake)}"
            request = Dock.Request(module=self._snake[-1], port="3", other_module=name, other_port="4")
            request.kind = random.choice(("backbone", "scout"))
            self._snake.append(name)
            self._requests.append((self._dock.call_async(request), name))
        else:
            index = random.randrange(1, len(self._snake))
            self._requests.append((self._undock.call_async(Undock.Request(module=self._snake[index])), None))
            del self._snake[index:]
        self._target.tally.tried += 1

    def unprocessed(self) -> int:
        """How many states between the first answer and the last one have none."""
        between = (stamp for stamp in self._heard if min(self._processed) < stamp < max(self._processed))
        return sum(stamp not in self._processed for stamp in between)

    def finish(self) -> None:
        """Responses must all have come, and without an error; end the nodes."""
        tally = self._target.tally
        self._target.spin_until(lambda: all(future.done() for future, _ in self._requests), 10.0)
        for future, name in self._requests:
            if future.done() and future.result().success:
                tally.right += 1
            else:
                text = future.result().error_message if future.done() else "no response"
                tally.found_wrong(f"docking of {name}: {text}")
        for name in self.processes:
            self._target.end(name)

    def _on_description(self, message: String) -> None:
        stamp = message.data.partition('stamp="')[2].partition('"')[0]
        if "<joint" in message.data:
            self._oracles[stamp] = Oracle(message.data)

    def _on_state(self, message: JointState) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        self._target.tally.tried += 1
        self._states[stamp] = message
        self._heard.add(stamp)
        if len(self._states) > KEPT:
            del self._states[min(self._states)]
        if (early := self._early.pop(stamp, None)) is not None:
            self._compare(early, message)

    def _on_torques(self, message: JointState) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        if stamp < self._last:
            self._target.tally.found_wrong(
                f"torques of modules went back by {(self._last - stamp) * 1e-9:g} s"
            )
        self._last = stamp
        self._processed.add(stamp)
        if (state := self._states.get(stamp)) is None:
            self._early[stamp] = message  # this process may hear the answer first
        else:
            self._compare(message, state)

    def _compare(self, message: JointState, state: JointState) -> None:
        oracle = self._oracles.get(state.header.frame_id.rpartition("@")[2])
        if oracle is None:
            return  # the description has not come here yet
        tally = self._target.tally
        if sorted(message.name) != sorted(oracle.names) or sorted(state.name) != sorted(oracle.names):
            tally.found_wrong(f"torques of {list(message.name)} for a state of {list(state.name)}")
            return
        q, v = (
            np.array([values[state.name.index(name)] for name in oracle.names])
            for values in (state.position, state.velocity)
        )
        tau = np.array([message.effort[message.name.index(name)] for name in oracle.names])
        terms = oracle.terms(q, v)
        worst = float(np.abs(tau - terms.full).max()) / terms.scale
        if worst <= TOLERANCE:
            self._right += 1
            tally.right += 1
        else:
            tally.found_wrong(f"torques of modules differ by {worst:g} of the largest term")


def run(effort: Effort, tally: Tally) -> None:
    """Modules dock and leave at random; every state is processed, by the robot that it names."""
    random = Random(effort.seed)
    with Target.of_tree(tally, effort, 1) as target:
        modules = Modules(target, "stale_after:=10.0")  # a busy computer loses no state
        if not target.spin_until(modules.answers, START):
            tally.found_wrong("the nodes of modules do not answer")
            return
        for _ in range(int(effort.of(40, 1000))):
            modules.change(random)
            target.spin(0.2)
        if not target.spin_until(lambda: not modules.unprocessed(), 10.0):
            tally.found_wrong(f"{modules.unprocessed()} joint states of modules were not processed")
        modules.finish()

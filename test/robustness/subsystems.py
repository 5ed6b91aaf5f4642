"""A robot as one process per subsystem: malformed messages, SIGKILL, SIGSTOP, twins, other robots.

And descriptions that no stamp and no state name: each node changes at another instant.
"""

import os
import re
import signal
import time
from collections.abc import Callable
from random import Random
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import ConnectionMotion
from sensor_msgs.msg import JointState

from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from robustness.harness.judge import Judge
from robustness.harness.robots import joint_names, tree_urdf
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import START, Target
from robustness.messages import BAD_NUMBERS, NAMES, damaged_description, send_damaged

JOINTS, SEED = 6, 2
#: The nodes, called as their subsystems are, and their joints; the others are on the first one.
PARTS = {
    "joint_0": frozenset({"joint_0"}),
    "joint_1": frozenset({"joint_1", "joint_3", "joint_4"}),
    "joint_2": frozenset({"joint_2", "joint_5"}),
}
TRUNK, *BRANCHES = PARTS
RATE = 50.0  # [Hz]
STOPPED = 1.0  # [s]
STALE = 0.3  # [s]: less than stamps of malformed states are off
BEFORE = 200_000_000  # [ns] from a description to the stamp from which on it is valid: not above STALE


class _Target(Target):
    """Its states name the description that is valid at their stamp: those of a later one must not be taken.

    Attributes:
        valid: since when [ns], and the stamp as text, of each description.
    """

    valid: tuple[tuple[int, str], ...] = ()

    def state(self, *arguments: Any, **options: Any) -> JointState:
        """See `Target`."""
        message = super().state(*arguments, **options)
        stamp = stamp_nanoseconds(message.header.stamp)
        newest = next(text for since, text in reversed(self.valid) if since <= stamp)
        message.header.frame_id = f"joint_tree@{newest}"
        return message


class _System:
    """The nodes, and all that is done to them."""

    def __init__(self, target: _Target, random: Random) -> None:
        self._target, self._random, self._tally = target, random, target.tally
        self._judge = target.judge
        node, self._masses, self._urdf = target.node, 0, ""
        self._wrenches = {
            name: node.create_publisher(WrenchStamped, f"{name}/wrench_out", 100) for name in BRANCHES
        }
        self._motions = {
            name: node.create_publisher(ConnectionMotion, f"{TRUNK}/motion_out/{name}", 100)
            for name in BRANCHES
        }

    def describe(self) -> None:
        """A robot of the same parts with other masses, valid from a stamp on, which all nodes change to."""
        since = time.time_ns() + (BEFORE if self._masses else 0)
        seconds, rest = divmod(since, 10**9)
        self._target.valid += ((since, f"{seconds}.{rest:09d}"),)
        text = tree_urdf(JOINTS, SEED, stamp=self._target.valid[-1][1])
        urdf = _with_masses(text, 1.0 + 0.1 * self._masses)
        self._masses, self._urdf = self._masses + 1, urdf
        self._judge.put_in_force(since, urdf)
        self._target.describe(urdf)

    def start(self, name: str, process: str = "") -> None:
        """The node of a subsystem; another process of it has a name of its own."""
        self._target.describe(self._urdf)  # a text that is none may have been published last
        self._target.start(f"stale_after:={STALE}", kind="subsystem_node", name=process or name, node=name)

    def wrench(self) -> None:
        """A wrench that is none, with the stamp of the state that comes next: the node's own counts."""
        state, random = self._target.state(), self._random
        name = random.choice(BRANCHES)
        message = WrenchStamped()
        message.header.stamp, message.header.frame_id = state.header.stamp, f"{name}/connection_point"
        match random.randrange(3):
            case 0:
                message.wrench.force.x = random.choice(BAD_NUMBERS)
            case 1:
                message.header.frame_id = random.choice((*NAMES, *PARTS, f"{name}/connection_poin"))
            case 2:  # of another instant, with numbers that would be seen
                message.header.stamp = _odd_stamp(random)
                message.wrench.torque.z = random.choice((1e308, 50.0, *BAD_NUMBERS))
        self._wrenches[name].publish(message)
        self._sent(state)

    def motion(self) -> None:
        """The same of motions."""
        state, random = self._target.state(), self._random
        name = random.choice(BRANCHES)
        message = ConnectionMotion(subsystem=name)
        message.header.stamp, message.header.frame_id = state.header.stamp, "base"
        match random.randrange(5):
            case 0:
                message.twist.linear.x = random.choice(BAD_NUMBERS)
            case 1:
                message.header.frame_id = random.choice((*NAMES, *PARTS))
            case 2:
                message.subsystem = random.choice((*NAMES, TRUNK))
            case 3:
                q = message.pose.orientation
                q.x, q.w = random.choice(((0.0, 0.0), (1.0, 1.0), (1e308, 1e308), (0.0, -1.1)))
            case 4:
                message.header.stamp = _odd_stamp(random)
                message.acceleration.angular.y = random.choice((1e308, 50.0))
        self._motions[name].publish(message)
        self._sent(state)

    def state(self) -> None:
        """A malformed joint state: nodes whose joints are well in it may answer."""
        send_damaged(self._target, self._random)

    def description(self) -> None:
        """Text that is none, or another robot's."""
        self._target.describe(damaged_description(self._random))
        self._sent(self._target.state())

    def _sent(self, state: Any) -> None:
        self._tally.tried += 1
        self._tally.refused += 1
        self._target.send(state)

    def stop(self) -> None:
        """One process stands still; nothing that needs it may be published."""
        name = self._random.choice([*PARTS])
        pid, now = self._target.processes.pid(name), time.time_ns()
        # what was being computed had been found young
        self._judge.excused = lambda stamp: now - (STALE + 0.1) * 1e9 < stamp < now + 0.05e9
        os.kill(pid, signal.SIGSTOP)
        self._target.send_for(STOPPED, RATE)
        os.kill(pid, signal.SIGCONT)
        self._recovers(f"SIGSTOP of {name} for {STOPPED:g} s")
        self._judge.excused = lambda stamp: False

    def kill(self) -> None:
        """One process is killed, and started anew."""
        name = self._random.choice([*PARTS])
        os.kill(self._target.processes.pid(name), signal.SIGKILL)
        self._target.processes.end(name)
        self._target.send_for(0.3, RATE)
        self.start(name)
        self._recovers(f"kill -9 of {name} and a new start", START)

    def twin(self) -> None:
        """A second process of a node: both answer, and say the same; then one is killed."""
        name = self._random.choice([*PARTS])
        self._judge.repeated_until = float("inf")
        self.start(name, "twin")
        before = self._target.spin_until(lambda: self._loaded("twin"), START)
        if not before:
            self._tally.found_wrong(
                f"a second process of {name} did not start", self._target.processes.log("twin")
            )
        self._target.send_for(1.0, RATE)
        if self._target.alive("twin"):
            os.kill(self._target.processes.pid("twin"), signal.SIGKILL)
        self._target.look_at_logs("twin")
        self._target.processes.end("twin")
        self._target.spin(0.3)
        self._judge.repeated_until = time.time_ns()
        self._recovers(f"a second process of {name}")

    def _loaded(self, process: str) -> bool:
        return "subsystem '" in self._target.processes.log(process)

    def change(self) -> None:
        """Another description while states come."""
        self.describe()
        self._target.send_for(BEFORE * 1e-9 + 0.3, RATE)
        self._recovers("another description")

    def _recovers(self, after: str, limit: float = 5.0) -> None:
        if all(self._target.alive(name) for name in PARTS):
            self._target.recovers(after, limit)

    def finish(self) -> None:
        """All nodes end by themselves."""
        for name in PARTS:
            self._target.end(name)


def _with_masses(urdf: str, factor: float) -> str:
    return re.sub(r'mass value="([0-9.]+)"', lambda m: f'mass value="{float(m[1]) * factor!r}"', urdf)


def _odd_stamp(random: Random) -> Time:
    """Not that of a state that is sent."""
    near = time.time_ns() + random.choice((-(10**9), -(10**6), 10**6, 10**9, 10**12))
    return random.choice((Time(), Time(sec=-(2**31)), Time(sec=2**31 - 1), Time(sec=1), stamp_message(near)))


def _judge(tally: Tally) -> Judge:
    judge = Judge(tally, joint_names(JOINTS), stale_after=STALE)
    judge.nodes, judge.knows_all = PARTS, True
    return judge


def _hear_branches(target: Target) -> None:
    """Also what the other nodes answer."""
    for name in BRANCHES:
        topic = f"{name}/joint_torques"
        target.node.create_subscription(JointState, topic, target.judge.on_answer, 5000)


def run(effort: Effort, tally: Tally) -> None:
    """Malformed messages, and at random among them blows to the processes."""
    random = Random(effort.seed)
    with _Target(_judge(tally), effort.folder / "subsystems", TRUNK) as target:
        _hear_branches(target)
        system = _System(target, random)
        system.describe()
        for name in PARTS:
            system.start(name)
        if not target.recovers("the start", START):
            return
        bad: list[Callable[[], None]] = [
            system.wrench, system.motion, system.state, system.description,
        ]  # fmt: skip
        steps = [random.choice(bad) for _ in range(int(effort.of(150, 2000)))]
        for blow in [system.stop, system.kill, system.twin, system.change] * int(effort.of(1, 8)):
            steps.insert(random.randrange(len(steps)), blow)
        for number, step in enumerate(steps):
            step()
            target.spin(1.0 / RATE)
            if number % 50 == 0:
                system._recovers(f"{number} steps")
        system.finish()


def unnamed_changes(effort: Effort, tally: Tally) -> None:
    """Descriptions without a stamp in quick succession, while states come that name none."""
    random, text = Random(effort.seed), tree_urdf(JOINTS, SEED)
    judge = _judge(tally)
    urdfs = [_with_masses(text, factor) for factor in (1.0, 2.0, 3.0)]
    for urdf in urdfs:
        judge.set_robot(urdf, judge.names)
    with Target(judge, effort.folder / tally.test, TRUNK) as target:
        _hear_branches(target)
        target.describe(urdfs[0])
        for name in PARTS:
            target.start(f"stale_after:={STALE}", kind="subsystem_node", name=name, node=name)
        if not target.recovers("the start", START):
            return
        for number in range(int(effort.of(20, 400))):
            target.describe(random.choice(urdfs))
            tally.tried += 1
            target.send_for(random.uniform(0.05, 0.4), 200.0)
            if number % 10 == 9:
                target.recovers(f"{number + 1} changes")
        for name in PARTS:
            target.end(name)

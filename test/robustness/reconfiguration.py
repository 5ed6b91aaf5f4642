"""Changes of the robot at random, legal and not, while joint states come; kill -9."""

import os
import time
from collections.abc import Callable
from random import Random
from typing import Any

import modular_dynamics as md
from helpers.nodes.changes.bad_changes import GRIPPER, NAMES
from helpers.nodes.changes.changing import SERVICES, request
from modular_dynamics_ros.computation.changes import edits
from modular_dynamics_ros.computation.changes.edits import applied
from modular_dynamics_ros.computation.changes.kinds import Attachment, Changes, Payload
from modular_dynamics_ros.exceptions import NodeError
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from robustness.harness.judge import Judge
from robustness.harness.robots import joint_names, tree_urdf
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import START, Target

JOINTS, SEED = 6, 2
BRANCHES = "joint_1", "joint_2"  # subsystems on the one that is called joint_0
HANDS = ("hand", "左手", "tool")
ODD = tuple(NAMES)
BAD = (float("nan"), float("inf"), 1e308, -1e10, -1.0)
RATE = 100.0  # [Hz]
STALE = 10.0  # [s]: a busy computer loses no state
Expected = Callable[[], Changes]
Asked = tuple[str, dict[str, Any], Expected]
"""Service, fields, and the changes that are in force if the request is legal; it raises otherwise."""


class Requests:
    """Random requests, for a robot with changes."""

    def __init__(self, random: Random, described: md.SubsystemGraph) -> None:
        self._random, self._described = random, described
        self._made = (self._payload, self._attach, self._detach, self._lock, self._unlock)

    def make(self, changes: Changes) -> Asked:
        """One."""
        return self._random.choice(self._made)(changes, applied(self._described, changes).graph)

    def _one_of(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _number(self, low: float, high: float) -> float:
        """In a range; now and then one that nobody means."""
        bad = self._random.random() < 0.04
        return self._random.choice(BAD) if bad else self._random.uniform(low, high)

    def _name(self, names: Any) -> str:
        """Of the robot's, or none."""
        return self._one_of(*ODD) if self._random.random() < 0.15 else self._random.choice(sorted(names))

    def _payload(self, changes: Changes, graph: md.SubsystemGraph) -> Asked:
        mass = self._one_of(0.0, self._number(0.1, 2.0))
        com, moments = ([self._number(low, 0.1) for _ in range(3)] for low in (-0.1, 0.05))
        if mass == 0.0 and self._random.random() < 0.8:
            com, moments = [0.0] * 3, [0.0] * 3
        link, (xx, yy, zz) = self._name(graph.links), moments
        load = mass, com, (xx, 0.0, 0.0, yy, 0.0, zz)

        def expected() -> Changes:
            return edits.with_payload(self._described, changes, Payload.of(link, *load))

        return "set_payload", {"link": link, "load": load}, expected

    def _attach(self, changes: Changes, graph: md.SubsystemGraph) -> Asked:
        name, link = self._one_of(*HANDS, BRANCHES[0], ""), self._name(graph.links)
        text = (
            GRIPPER
            if self._random.random() < 0.8
            else GRIPPER[: self._random.choice((0, self._random.randrange(len(GRIPPER))))]
        )
        at = [self._number(-0.1, 0.1) for _ in range(3)] + [self._one_of(1.0, -1.0, 2.0), 0.0, 0.0, 0.0]
        fields = {"name": name, "robot_description": text, "link": link, "at": at, "prefix": f"{name}/"}

        def expected() -> Changes:
            if not text:
                raise ValueError("neither a robot_description nor a file")
            other = Attachment.of(name, text, link, at, f"{name}/")
            return edits.attached(self._described, changes, other)

        return "attach_subsystem", fields, expected

    def _detach(self, changes: Changes, graph: md.SubsystemGraph) -> Asked:
        name = self._name((*HANDS, *BRANCHES))
        return "detach_subsystem", {"name": name}, lambda: edits.detached(self._described, changes, name)

    def _lock(self, changes: Changes, graph: md.SubsystemGraph) -> Asked:
        joints = [self._name(self._described.joint_names) for _ in range(self._one_of(1, 1, 2))]
        positions = [self._number(-3.2, 3.2) for _ in range(self._one_of(len(joints), len(joints), 3))]

        def expected() -> Changes:
            given = dict(zip(joints, positions, strict=True))
            return edits.locked(self._described, changes, joints, given)

        return "lock_joints", {"joint_names": joints, "positions": positions}, expected

    def _unlock(self, changes: Changes, graph: md.SubsystemGraph) -> Asked:
        held = [name for name in self._described.joint_names if name not in graph.joint_names]
        joints = [self._name(held or self._described.joint_names)]
        fields = {"joint_names": joints, "unlock": True}
        return "lock_joints", fields, lambda: edits.unlocked(self._described, changes, joints)


class _Walk:
    """The node, and the changes that should be in force."""

    def __init__(self, target: Target, described: md.SubsystemGraph, random: Random) -> None:
        self._target, self._tally = target, target.tally
        self._described, self._random, self._changes = described, random, Changes()
        self._judge = target.judge
        self._requests = Requests(random, described)

    def request(self) -> None:
        """One, which is accepted or refused as it should be."""
        service, fields, expected = self._requests.make(self._changes)
        changes = self._expected(expected)
        self._tally.tried += 1
        self._judge.held = True
        kind = SERVICES[service]
        made = request(kind, **dict(fields))
        each = {name: getattr(made, name) for name in made.get_fields_and_field_types()}
        response = self._target.call(kind, service, **each)
        what = f"{service} {fields!r:.300}"
        if response is None:
            self._tally.found_wrong(f"no answer: {what}", repr(fields))
        elif response.success:
            self._accepted(changes, response, what)
        elif not response.error_message.isprintable() or response.error_code in (0, response.UNEXPECTED):
            self._tally.found_wrong(f"{response.error_code} {response.error_message}: {what}", repr(fields))
        elif changes is not None and response.error_code != response.REFUSED:  # the node has more to refuse
            self._tally.found_wrong(f"a legal request was refused, {response.error_message}: {what}")
        else:
            self._tally.refused += 1
        self._judge.release()

    def _accepted(self, changes: Changes | None, response: Any, what: str) -> None:
        if changes is None:
            self._tally.found_wrong(f"accepted: {what}")
            return
        self._tally.right += 1
        self._changes = changes
        graph = applied(self._described, changes).graph
        self._judge.put_in_force(stamp_nanoseconds(response.stamp), graph.to_urdf())

    def _expected(self, expected: Expected) -> Changes | None:
        """The changes after a legal request; None where it must be refused."""
        try:
            changes = expected()
            applied(self._described, changes)
        except (md.ModularDynamicsError, NodeError, ValueError):
            return None
        return changes

    def kill(self) -> None:
        """SIGKILL beside a request; the node then begins with the robot as it is described."""
        service, fields, _ = self._requests.make(self._changes)
        kind = SERVICES[service]
        self._judge.held = True
        client = self._target.node.create_client(kind, f"dynamics_node/{service}")
        self._target.spin_until(client.service_is_ready, START)
        client.call_async(request(kind, **dict(fields)))
        self._target.spin(self._random.uniform(0.0, 0.1))
        os.kill(self._target.processes.pid("dynamics_node"), 9)
        self._target.processes.end("dynamics_node")
        self._target.node.destroy_client(client)
        self._tally.tried += 1
        # since when the change counted, nobody knows: its answer is lost, and what was processed by it
        self._judge.drop()
        self.start("kill -9 beside a request")

    def start(self, after: str) -> None:
        """Start the node, whose robot is the described one."""
        self._changes = Changes()
        self._judge.put_in_force(time.time_ns(), self._described.to_urdf())
        self._judge.release()
        self._target.start(
            f"robot_description_file:={self._target.folder / 'robot.urdf'}", f"stale_after:={STALE}"
        )
        self._target.recovers(after, START)


def run(effort: Effort, tally: Tally) -> None:
    """Requests one after another, which no state is lost by; then kill -9 between them."""
    random, folder = Random(effort.seed), effort.folder / "reconfiguration"
    urdf = tree_urdf(JOINTS, SEED)
    names = [*joint_names(JOINTS), *(f"{name}/finger" for name in (*HANDS, BRANCHES[0]))]
    judge = Judge(tally, names, stale_after=STALE)
    judge.knows_all = True
    with Target(judge, folder) as target:
        (folder / "robot.urdf").write_text(urdf)
        walk = _Walk(target, md.load_urdf(urdf), random)
        walk.start("the start")
        steps: list[Callable[[], None]] = [walk.request] * int(effort.of(30, 500))
        for _ in range(int(effort.of(1, 10))):
            steps.insert(random.randrange(len(steps)), walk.kill)
        with target.sending(RATE):
            _none_is_lost(target, [walk.request] * int(effort.of(60, 1000)))
            for step in steps:
                if not target.alive():
                    return
                step()
        target.recovers("all changes")
        target.end()


def _none_is_lost(target: Target, requests: list[Callable[[], None]]) -> None:
    begin = time.time_ns()
    for request_change in requests:
        request_change()
    end = time.time_ns()

    def lost() -> int:
        return sum(stamp < end for stamp in target.judge.unprocessed(begin))

    if not target.spin_until(lambda: not lost(), STALE):
        target.tally.found_wrong(f"{lost()} joint states were not processed while the robot changed")

"""Joint states that come in parts, in floods, and not at all."""

import time
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from sensor_msgs.msg import JointState

from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from robustness.harness.judge import DEFAULTS
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import RECOVERY, START, Target

JOINTS_OF_PARTS = 9
PARTS = ((0, 1, 2, 3), (4, 5, 6), (7, 8))
RATES = (100.0, 50.0, 20.0)  # [Hz]
PAUSE = 0.5  # [s] longer than stale_after


def parts(effort: Effort, tally: Tally) -> None:
    """The parts are merged; while one is silent for longer than stale_after nothing is processed."""
    random = Random(effort.seed)
    with Target.of_tree(tally, effort, JOINTS_OF_PARTS) as target:
        target.start()
        parts = _Parts(target, random)
        parts.must_answer("the start", START)
        for _ in range(int(effort.of(6, 100))):
            parts.send_for(0.5)
            parts.silence(random.randrange(len(PARTS)))
            parts.must_answer(f"a silent part, seed {effort.seed}", RECOVERY)
        target.end()


class _Parts:
    def __init__(self, target: Target, random: Random) -> None:
        self._target, self._random = target, random
        self._next = [0.0] * len(PARTS)

    def send_for(self, seconds: float, silent: int | None = None) -> None:
        """Send the parts at their rates, sometimes late."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            for k, part in enumerate(PARTS):
                if k == silent or now < self._next[k]:
                    continue
                self._next[k] = now + 1.0 / RATES[k]
                late = self._random.choice((0, 0, 0, 1, 5, 30, 900)) * 10**6
                message = self._target.state(time.time_ns() - late, part)
                self._target.judge.parts[stamp_nanoseconds(message.header.stamp)] = part
                self._target.send(message)
            self._target.spin(0.003)

    def silence(self, part: int) -> None:
        """One part stops; once its values are old nothing may be processed."""
        judge, last = self._target.judge, time.time_ns()
        self.send_for(0.3 + judge.margin, part)
        before = len(judge.processed)
        self.send_for(PAUSE, part)
        if len(judge.processed) > before:
            age = (time.time_ns() - last) * 1e-9
            self._target.tally.found_wrong(f"answers although part {part} has been silent for {age:.2f} s")

    def must_answer(self, after: str, limit: float) -> None:
        """All parts come again, and are processed."""
        target, end = self._target, time.monotonic() + limit
        before = len(target.judge.processed)
        while len(target.judge.processed) < before + 3 and target.alive():
            self.send_for(0.05)
            if time.monotonic() > end:
                target.tally.found_wrong(f"unprocessed for {limit:g} s after: {after}")
                return


# More joint states than a node can answer: ten publishers, each at 500 Hz, reliable and best effort.


def floods(effort: Effort, tally: Tally) -> None:
    """Floods of robots of some sizes; after each the node answers again within two seconds."""
    random = Random(effort.seed)
    for joints in (6,) if effort.short else (6, 38, 200):
        with Target.of_tree(tally, effort, joints, seed=random.randrange(1000)) as target:
            if target.ready():
                _flood(target, joints, effort.of(4.0, 30.0))
                target.recovers(f"a flood of {joints} joints")
                target.end()


def _flood(target: Target, joints: int, seconds: float) -> None:
    before = target.tally.right
    target.start_flood(joints=joints, publishers=10, rate=500, seconds=seconds, old_every=5, age=0.9)
    target.spin_until(lambda: target.processes.code("flood") is not None, seconds + 60.0)
    sent = int(target.processes.log("flood").split()[-1])
    target.processes.end("flood")
    target.tally.tried += sent
    target.tally.refused += sent // 5
    answers = target.tally.right - before
    target.tally.notes.append(f"{joints} joints: {sent} states in {seconds:g} s, {answers} answers")
    if answers < 10 * seconds:
        target.tally.found_wrong(f"{answers} answers during a flood of {seconds:g} s: starved")


# All publishers fall silent, with each choice of on_stale: no torques, those of gravity, or falling ones.

JOINTS = 6
RAMP = 0.3  # [s]
SILENT = 1.2  # [s] longer than stale_after and the ramp
CHOICES = ("stop", "hold_gravity", "ramp_to_zero")


class Torques(NamedTuple):
    """A message of joint_torques; ``answers``: a state that was sent has its stamp."""

    effort: list[float]
    answers: bool


def silence(effort: Effort, tally: Tally) -> None:
    """What each message may hold, the judge decides; here, how they follow each other, and how it ends."""
    random = Random(effort.seed)
    with Target.of_tree(tally, effort, JOINTS) as target:
        heard, changed = list[Torques](), 0

        def on_torques(message: JointState, info: dict[str, Any]) -> None:
            # by the time of publishing: on a busy machine torques of the choice before arrive much later
            if info["source_timestamp"] > changed:
                answers = stamp_nanoseconds(message.header.stamp) in target.judge.sent
                heard.append(Torques(list(message.effort), answers))

        target.node.create_subscription(JointState, f"{target.name}/joint_torques", on_torques, 5000)
        if not target.ready(f"ramp_time:={RAMP}"):
            return
        for choice in list(CHOICES) * int(effort.of(1, 10)):
            of_choice = {**DEFAULTS, "on_stale": choice}
            target.judge.settings = [*target.judge.settings[-1:], of_choice]
            if not target.set_parameter("on_stale", choice):
                tally.found_wrong(f"on_stale:={choice} was refused")
            changed = time.time_ns()
            heard.clear()
            target.send_for(random.uniform(0.2, 0.6))
            target.spin(0.15)  # what was sent is processed, and not yet stale
            target.judge.settings = [of_choice]
            target.spin(SILENT)
            tally.tried += 1
            if fault := fault_of(choice, heard):
                tally.found_wrong(f"silence with on_stale {choice}, seed {effort.seed}: {fault}")
            else:
                tally.right += 1
            target.recovers(f"silence with on_stale {choice}")
        target.end()


def fault_of(choice: str, heard: list[Torques]) -> str:
    """What is wrong with the torques that were heard of a motion and the silence after it; empty: nothing."""
    answers = [k for k, one in enumerate(heard) if one.answers]
    if not answers:
        return "no state of the motion was processed"
    if choice == "stop":
        return f"{len(heard) - len(answers)} messages instead of none" if len(heard) != len(answers) else ""
    efforts = [one.effort for one in heard[answers[-1] :]]
    if len(efforts) < 4:
        return f"{len(efforts) - 1} messages instead of many"
    if choice == "hold_gravity":
        return "the torques of one position change" if any(one != efforts[1] for one in efforts[1:]) else ""
    sizes = [sum(map(abs, one)) for one in efforts]
    if any(b > a for a, b in pairwise(sizes)):
        return f"the torques grow: {sizes}"
    return f"the last torques are {efforts[-1]}, not zero" if sizes[-1] else ""

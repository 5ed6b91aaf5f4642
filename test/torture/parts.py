"""Joint states split over publishers: parts at other rates, late, missing, doubled, between good ones."""

import time
from random import Random

from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from torture.harness.effort import Effort
from torture.harness.judge import Judge
from torture.harness.robots import joint_names, tree_urdf
from torture.harness.tally import Tally
from torture.harness.target import RECOVERY, START, Target

__all__ = ["run"]

JOINTS = 9
PARTS = ((0, 1, 2, 3), (4, 5, 6), (7, 8))
RATES = (100.0, 50.0, 20.0)  # [Hz]
PAUSE = 0.5  # [s] longer than stale_after


def run(effort: Effort, tally: Tally) -> None:
    """The parts are merged; while one is silent for longer than stale_after nothing is answered."""
    random, urdf = Random(effort.seed), tree_urdf(JOINTS)
    with Target(Judge(tally, urdf, joint_names(JOINTS)), effort.folder / "parts") as target:
        target.describe(urdf)
        target.start()
        parts = _Parts(target, random)
        parts.must_answer("the start", START)
        rounds = int(effort.of(6, 100))
        for number in range(rounds):
            parts.send_for(0.5)
            parts.silence(random.randrange(len(PARTS)))
            parts.must_answer(f"a silent part, seed {effort.seed}", RECOVERY)
            effort.progress((number + 1) / rounds)
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
        """One part stops; once its values are old nothing may be answered."""
        judge, last = self._target.judge, time.time_ns()
        self.send_for(0.3 + judge.margin, part)
        before = len(judge.answered)
        self.send_for(PAUSE, part)
        if len(judge.answered) > before:
            age = (time.time_ns() - last) * 1e-9
            self._target.tally.found_wrong(f"answers although part {part} has been silent for {age:.2f} s")

    def must_answer(self, after: str, limit: float) -> None:
        """All parts come again, and are answered."""
        target, end = self._target, time.monotonic() + limit
        before = len(target.judge.answered)
        while len(target.judge.answered) < before + 3 and target.alive():
            self.send_for(0.05)
            if time.monotonic() > end:
                target.tally.found_wrong(f"unanswered for {limit:g} s after: {after}")
                return

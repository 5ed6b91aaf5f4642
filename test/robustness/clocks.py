"""/clock forward, backward, frozen, slow and fast: states carry the simulated time."""

import time
from bisect import bisect_right
from random import Random

from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock

from modular_dynamics_ros.messages.stamps import stamp_message
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import Target

JOINTS = 6
LATE = 500_000_000  # [ns] that /clock may need on a machine with other work
PERIOD = 0.01  # [s] of the system from one /clock to the next


class SimulatedClock:
    """Publishes /clock and remembers it.

    Attributes:
        now: simulated time [ns]. rate: seconds of it in one of the system; 0: frozen. silent: no /clock.
    """

    def __init__(self, target: Target) -> None:
        quality = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._publisher = target.node.create_publisher(Clock, "/clock", quality)
        self.now, self.rate, self.silent = 100 * 10**9, 1.0, False
        self._system = [time.time_ns()]
        self._simulated = [self.now]

    def tick(self) -> None:
        """Go on by one period."""
        system = time.time_ns()
        if self.silent:
            self._system[-1] = max(self._system[-1], system) if self.rate == 0 else self._system[-1]
            return
        self.now += int((system - self._system[-1]) * self.rate)
        self._system.append(system)
        self._simulated.append(self.now)
        self._publisher.publish(Clock(clock=stamp_message(self.now)))

    def jump(self, seconds: float) -> None:
        """Set the clock; never before zero."""
        self.now = max(10**9, self.now + int(seconds * 1e9))

    def age(self, stamp: int, published: int) -> float:
        """The least simulated age [s] that a node may have believed in at a time of the system [ns].

        /clock may reach it late, or not at all: it is best effort.
        """
        first, last = (bisect_right(self._system, time) - 1 for time in (published - LATE, published))
        return min(((now - stamp) * 1e-9 for now in self._simulated[max(0, first) : last + 1]), key=abs)


def run(effort: Effort, tally: Tally) -> None:
    """Random changes of the clock; good states are processed again within two seconds of each."""
    random = Random(effort.seed)
    with Target.of_tree(tally, effort, JOINTS) as target:
        clock = SimulatedClock(target)
        target.judge.age = clock.age

        def make():
            clock.tick()
            return target.state(clock.now)

        if not target.ready("use_sim_time:=true", make=make):
            return
        for _ in range(int(effort.of(8, 60))):
            text = _change(clock, target, random)
            target.send_for(0.3, 1.0 / PERIOD, make)
            clock.silent, clock.rate = False, clock.rate or 1.0
            target.recovers(f"{text}, seed {effort.seed}", make=make)
        target.end()


def _change(clock: SimulatedClock, target: Target, random: Random) -> str:
    """Change rate or time; what was done."""
    kind = random.choice(("forward", "backward", "frozen", "silent", "rate"))
    if kind in ("forward", "backward"):
        seconds = random.choice((0.05, 0.3, 5.0, 1000.0, 1e6)) * (1.0 if kind == "forward" else -1.0)
        clock.jump(seconds)
        if kind == "backward":
            target.judge.restart()
        return f"/clock jumped by {seconds:g} s"
    if kind == "silent":
        clock.silent = True
    clock.rate = {"frozen": 0.0, "silent": clock.rate, "rate": random.choice((0.1, 1.0, 10.0))}[kind]
    return f"/clock {kind}, rate {clock.rate:g}"

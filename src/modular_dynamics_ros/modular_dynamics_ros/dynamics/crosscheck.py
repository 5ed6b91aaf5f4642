"""Comparison of answers with Pinocchio while the node runs, where Pinocchio can represent the robot."""

import time
from dataclasses import dataclass, field

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.messages.status import ERROR, OK, WARN, Status

__all__ = ["CrossCheckMonitor", "CrossChecks", "PinocchioCheck", "crosscheck_status"]


#: Pinocchio keeps four tensors of (coordinates)^3 numbers: 108 MB at this limit, 32 GB at 1,000 coordinates.
MOST_COORDINATES = 150


@dataclass(frozen=True)
class PinocchioCheck:
    """A robot, or its open tree, in Pinocchio.

    Attributes:
        unavailable: why answers cannot be compared; empty where they can.
    """

    _check: "md.crosscheck.CrossCheck | None"
    unavailable: str

    @classmethod
    def of(cls, robot: Robot) -> "PinocchioCheck":
        """Build it and compare once; no failure of the check may stop what it checks."""
        graph = robot.graph.tree if robot.closed else robot.graph
        if graph.nv > MOST_COORDINATES:
            text = f"{graph.nv} coordinates; Pinocchio's memory allows {MOST_COORDINATES}"
            return cls(None, f"{text}: it grows with their third power")
        rest, no_wrenches = np.zeros(graph.nv), {name: np.zeros(6) for name in robot.black_boxes}
        try:
            check = md.crosscheck.CrossCheck(graph)
            check(graph.neutral(), rest, rest, rest, None, no_wrenches)
        except ImportError as error:  # md.crosscheck imports Pinocchio
            return cls(None, f"Pinocchio cannot be imported ({error})")
        except md.ModularDynamicsError as error:
            return cls(None, str(error))
        except Exception as error:
            return cls(None, f"{type(error).__name__}: {error}")
        return cls(check, "")

    def __call__(self, answer: Answer) -> "md.crosscheck.Residual":
        """Compare the torques of an answer."""
        assert self._check is not None  # the caller looks at `unavailable`
        return answer.dynamics.compare(self._check)


@dataclass
class CrossCheckMonitor:
    """Counts comparisons and keeps the worst difference [N m or N] of each subsystem and of the robot.

    Args:
        rate: comparisons per second [Hz], 0: none. threshold: largest allowed difference, relative to the
        largest torque.
    """

    rate: float
    threshold: float
    count: int = 0
    failed: int = 0
    failure: str = ""
    relative: float = 0.0
    worst_relative: float = 0.0
    worst: dict[str, float] = field(default_factory=dict)
    _next: float = float("-inf")

    def due(self, now: float) -> bool:
        """Whether the answer given at `now` [s] is to be compared; at most `rate` of them per second are."""
        if self.rate == 0.0 or now < self._next:
            return False
        period = 1.0 / self.rate
        late = now - self._next > period  # comparisons missed during a pause are not caught up on
        self._next = (now if late else self._next) + period
        return True

    def add(self, relative: float, per_subsystem: dict[str, float]) -> None:
        """Count one comparison: relative difference, and absolute ones per subsystem."""
        self.count += 1
        self.failure = ""
        self.relative = relative
        self.worst_relative = max(self.worst_relative, relative)
        for name, difference in per_subsystem.items():
            self.worst[name] = max(self.worst.get(name, 0.0), difference)

    def add_failure(self, failure: str) -> None:
        """Count a comparison that could not be made, and keep the reason until the next one."""
        self.failed += 1
        self.failure = failure

    @property
    def disagrees(self) -> bool:
        """Whether the last comparison lies above the threshold. A NaN does."""
        return self.count > 0 and not self.relative <= self.threshold


class CrossChecks:
    """Compares answers at a rate, and reports differences.

    Attributes:
        check: compares one answer. monitor: counts the comparisons since activation.
    """

    def __init__(
        self, robot: Robot, check: PinocchioCheck, log: ChangeLog, rate: float, threshold: float
    ) -> None:
        self._robot, self.check, self._log = robot, check, log
        self.monitor = CrossCheckMonitor(rate, threshold)

    def restart(self) -> None:
        """Forget all comparisons."""
        self.monitor = CrossCheckMonitor(self.monitor.rate, self.monitor.threshold)

    def compare_if_due(self, answer: Answer) -> None:
        """Compare an answer that is published; a comparison that fails must not end the node."""
        if self.check.unavailable or not self.monitor.due(time.monotonic()):
            return
        try:
            residual = self.check(answer)
        except Exception as error:
            self.monitor.add_failure(f"{type(error).__name__}: {error}")
        else:
            self.monitor.add(residual.relative, residual.per_subsystem)
        self._report()

    def status(self) -> Status:
        """For /diagnostics."""
        self._report()
        return crosscheck_status(self.monitor, self.check.unavailable, self._robot.closed)

    def _report(self) -> None:
        monitor = self.monitor
        if monitor.failure:
            self._log.problem("cross-check", "failed", f"a comparison failed: {monitor.failure}")
        elif monitor.disagrees:
            text = f"torques differ from Pinocchio's by more than {monitor.threshold:.1e} of the largest"
            self._log.problem("cross-check", "disagrees", text, severe=True)


def crosscheck_status(monitor: CrossCheckMonitor, unavailable: str, closed: bool = False) -> Status:
    """The running comparison with Pinocchio; of robots with closed loops the open tree is compared.

    Args:
        unavailable: why nothing can be compared; empty where it can.
    """
    subject = "torques of the open tree, under the wrenches at its cuts," if closed else "torques"
    values = {
        "comparisons": str(monitor.count),
        "comparisons that failed": str(monitor.failed),
        "relative difference": f"{monitor.relative:.3e}",
        "worst relative difference": f"{monitor.worst_relative:.3e}",
        "threshold": f"{monitor.threshold:.3e}",
    }
    values |= {
        f"worst difference of {name} [N m or N]": f"{worst:.3e}" for name, worst in monitor.worst.items()
    }
    level, text = OK, f"{subject} equal Pinocchio's"
    if monitor.rate == 0.0:
        text = "off"
    elif unavailable:
        level, text = WARN, f"not possible: {unavailable}"
    elif monitor.failure:
        level, text = WARN, f"the last comparison failed: {monitor.failure}"
    elif monitor.disagrees:
        level = ERROR
        text = (
            f"{subject} differ from Pinocchio's by {monitor.relative:.1e} of the largest, "
            f"threshold {monitor.threshold:.1e}"
        )
    return Status(level, "cross-check", text, values=values)

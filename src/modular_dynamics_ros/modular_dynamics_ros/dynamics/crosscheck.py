"""Comparison of answers with Pinocchio while the node runs, where Pinocchio can represent the robot."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.messages.status import ERROR, OK, WARN, Status
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

__all__ = ["AGREEMENTS", "CrossCheckMonitor", "CrossChecks", "PinocchioCheck", "crosscheck_status"]

LARGEST_COMPARED = 100  # velocities: Pinocchio's model needs memory and time that grow with the cube
AGREEMENTS = 10  # comparisons in a row below half the threshold after which torques are published again


@dataclass
class CrossCheckMonitor:
    """Counts comparisons and keeps the worst difference [N m or N] of each subsystem and of the robot.

    Differences are relative to the size of the terms that add up to a torque (`Residual.of_terms`).

    Args:
        rate: comparisons per second [Hz], 0: none. threshold: largest allowed relative difference.
        stops: whether torques are held back from a disagreement on, until AGREEMENTS agree.

    Attributes:
        relative, where: the last comparison's largest relative difference and its subsystem.
        stopped: whether torques are held back. held_back: how many answers were not published.
    """

    rate: float
    threshold: float
    stops: bool = True
    count: int = 0
    failed: int = 0
    failure: str = ""
    relative: float = 0.0
    where: str = ""
    worst_relative: float = 0.0
    worst: dict[str, float] = field(default_factory=dict)
    stopped: bool = False
    held_back: int = 0
    _agreed: int = 0  # in a row, below half the threshold
    _next: float = float("-inf")

    def change(self, rate: float, threshold: float, *, stops: bool) -> None:
        """Change the settings; the last comparison is judged by the new ones."""
        self.rate, self.threshold, self.stops = rate, threshold, stops
        self.stopped = stops and rate > 0.0 and (self.stopped or self.disagrees)

    def due(self, now: float) -> bool:
        """Return whether to compare the answer of `now` [s]: at most `rate` per second; all while stopped."""
        if self.stopped:
            return True
        if self.rate == 0.0 or now < self._next:
            return False
        period = 1.0 / self.rate
        late = now - self._next > period  # comparisons missed during a pause are not caught up on
        self._next = (now if late else self._next) + period
        return True

    def add(self, relative: Mapping[str, float], absolute: Mapping[str, float]) -> None:
        """Count one comparison: relative and absolute differences by subsystem."""
        self.count += 1
        self.failure = ""
        self.where, self.relative = max(
            relative.items(), key=lambda item: (isnan(item[1]), item[1]), default=("", 0.0)
        )
        self.worst_relative = _larger(self.worst_relative, self.relative)
        for name, difference in absolute.items():
            self.worst[name] = _larger(self.worst.get(name, 0.0), difference)
        self._agreed = self._agreed + 1 if self.relative <= 0.5 * self.threshold else 0
        if self.disagrees:
            self.stopped = self.stops
        elif self._agreed >= AGREEMENTS:
            self.stopped = False

    def add_failure(self, failure: str) -> None:
        """Count a comparison that could not be made, and keep the reason until the next one."""
        self.failed += 1
        self.failure = failure

    @property
    def disagrees(self) -> bool:
        """Return whether the last comparison is above the threshold, or NaN."""
        return self.count > 0 and not self.relative <= self.threshold

    @property
    def disagreement(self) -> str:
        """Return the last comparison in words."""
        return (
            f"torques of '{self.where}' differ from Pinocchio's by {self.relative:.1e} of the terms that "
            f"add up to them, threshold {self.threshold:.1e}"
        )


def _larger(one: float, other: float) -> float:
    """Return the larger number, or NaN if one is; max() may lose it."""
    return one if isnan(one) or one >= other else other


def crosscheck_status(monitor: CrossCheckMonitor, unavailable: str, closed: bool = False) -> Status:
    """Return the status of the comparison with Pinocchio; with closed loops that of the open tree.

    Args:
        unavailable: why nothing can be compared; empty where it can.
    """
    subject = "torques of the open tree, under the wrenches at its cuts," if closed else "torques"
    values = {
        "comparisons": str(monitor.count),
        "comparisons that failed": str(monitor.failed),
        "answers held back by the cross-check": str(monitor.held_back),
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
    elif monitor.stopped:
        level, text = (
            ERROR,
            f"torques are held back until {AGREEMENTS} in a row agree: {monitor.disagreement}",
        )
    elif unavailable:
        level, text = WARN, f"not possible: {unavailable}"
    elif monitor.failure:
        level, text = WARN, f"the last comparison failed: {monitor.failure}"
    elif monitor.count == 0:
        text = "nothing was compared yet"
    elif monitor.disagrees:
        level, text = ERROR, monitor.disagreement
    return Status(level, "cross-check", text, values=values)


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
        """Return the check of a robot after one comparison; a check that fails is unavailable.

        It may be called in any thread, but holds Python's lock while Pinocchio allocates.
        """
        graph = robot.graph.tree if robot.closed else robot.graph
        size = sum(joint.type.nv for joint in graph.joints)  # Pinocchio's model treats mimic joints as others
        if size > LARGEST_COMPARED:
            return cls(None, f"it has {size} velocities; up to {LARGEST_COMPARED} are compared")
        rest, no_wrenches = np.zeros(graph.nv), {name: np.zeros(6) for name in robot.black_boxes}
        try:
            check = md.crosscheck.CrossCheck(graph)
            check(graph.neutral(), rest, rest, rest, None, no_wrenches)
        except ImportError as error:  # md.crosscheck imports Pinocchio
            return cls(None, str(error))
        except md.ModularDynamicsError as error:
            return cls(None, str(error))
        except Exception as error:
            return cls(None, f"{type(error).__name__}: {error}")
        return cls(check, "")

    def __call__(self, answer: Answer) -> "md.crosscheck.Residual":
        """Compare the torques of an answer."""
        assert self._check is not None  # the caller looks at `unavailable`
        return answer.dynamics.compare(self._check)


class CrossChecks:
    """Compares answers at a rate before they are published, holds back what disagrees, and reports it.

    Args:
        check: of this robot, if it was built already. Otherwise it is built in a thread once
            `crosscheck_rate` is not zero; until then answers are not compared.

    Attributes:
        check: compares one answer. monitor: counts the comparisons since activation, or since the robot was
        changed.
    """

    def __init__(
        self, robot: Robot, log: ChangeLog, check: PinocchioCheck | None, parameters: DynamicsParameters
    ) -> None:
        self._robot, self._log = robot, log
        self.check = check
        self.monitor = CrossCheckMonitor(0.0, 0.0)
        self._building: threading.Thread | None = None
        self._text = ""  # text of the present disagreement, logged once as its figure keeps changing
        self.set_parameters(parameters)

    def set_parameters(self, parameters: DynamicsParameters) -> None:
        """Take parameters that changed at run time."""
        rate, stops = parameters.crosscheck_rate, parameters.on_disagreement == "stop"
        self.monitor.change(rate, parameters.crosscheck_threshold, stops=stops)
        if rate > 0.0 and self.check is None and self._building is None:
            self._building = threading.Thread(target=self._build, name="cross-check", daemon=True)
            self._building.start()

    def _build(self) -> None:
        """Build Pinocchio's model; runs in a thread."""
        self.check = PinocchioCheck.of(self._robot)

    def restart(self) -> None:
        """Forget all comparisons."""
        monitor = self.monitor
        self.monitor = CrossCheckMonitor(monitor.rate, monitor.threshold, monitor.stops)

    def admits(self, answer: Answer) -> bool:
        """Return whether an answer may be published, after comparing it if that is due.

        A comparison that fails is no disagreement: it changes nothing.
        """
        monitor, check = self.monitor, self.check
        if check is None or check.unavailable or not monitor.due(time.monotonic()):
            return True
        try:
            residual = check(answer)
        except Exception as error:
            monitor.add_failure(f"{type(error).__name__}: {error}")
        else:
            monitor.add(residual.of_terms, residual.per_subsystem)
        self._report()
        monitor.held_back += monitor.stopped
        return not monitor.stopped

    def status(self) -> Status:
        """Return the status of the comparison, for /diagnostics."""
        self._report()
        unavailable = self.check.unavailable if self.check is not None else "Pinocchio's model is being built"
        return crosscheck_status(self.monitor, unavailable, self._robot.closed)

    def _report(self) -> None:
        """Log disagreement, torques that are held back, and comparisons that failed."""
        monitor, log = self.monitor, self._log
        if monitor.failure:
            log.problem("cross-check", "failed", f"a comparison failed: {monitor.failure}")
        if not (monitor.stopped or monitor.disagrees):
            self._text = ""
            return
        self._text = self._text or monitor.disagreement
        if monitor.stopped:
            until = f"held back until {AGREEMENTS} in a row agree to half of that"
            log.problem("cross-check", "torques held back", f"{self._text}; {until}", severe=True)
        else:
            log.problem("cross-check", "disagrees", self._text, severe=True)

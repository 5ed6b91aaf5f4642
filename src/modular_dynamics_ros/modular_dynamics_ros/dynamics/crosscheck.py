"""Comparison of answers with Pinocchio while the node runs, where Pinocchio can represent the robot."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.messages.status import ERROR, OK, WARN, Status

LARGEST_COMPARED = 100  # velocities: Pinocchio's model needs memory and time that grow with the cube
THRESHOLD = 1e-9  # largest difference, relative to the terms that add up to a torque
AGREEMENTS = 10  # comparisons in a row below half the threshold after which torques are published again


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
        except (ImportError, md.ModularDynamicsError) as error:  # md.crosscheck imports Pinocchio
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

    Differences are relative to the size of the terms that add up to a torque (`Residual.of_terms`).

    Args:
        check: of this robot; None where answers are not compared. rate: [Hz], at most.

    Attributes:
        check: compares one answer. count, failed: comparisons since activation, or since the robot was
        changed. relative, where: the last comparison's largest relative difference and its subsystem.
        worst_relative, worst: of all comparisons; by subsystem [N m or N]. stopped: whether torques are held
        back. held_back: how many answers were not published.
    """

    def __init__(self, robot: Robot, log: ChangeLog, check: PinocchioCheck | None, rate: float) -> None:
        self._robot, self._log, self.check, self._rate = robot, log, check, rate
        self.restart()

    def restart(self) -> None:
        """Forget all comparisons."""
        self.count = self.failed = self.held_back = 0
        self.failure, self.where, self.relative = "", "", 0.0
        self.worst_relative, self.worst = 0.0, dict[str, float]()
        self.stopped = False
        self._agreed = 0  # in a row, below half the threshold
        self._next = float("-inf")

    def admits(self, answer: Answer) -> bool:
        """Return whether an answer may be published, after comparing it if that is due.

        A comparison that fails is no disagreement: it changes nothing.
        """
        check = self.check
        if check is None or check.unavailable or not self.due(time.monotonic()):
            return True
        try:
            residual = check(answer)
        except Exception as error:
            self.failed, self.failure = self.failed + 1, f"{type(error).__name__}: {error}"
        else:
            self.add(residual.of_terms, residual.per_subsystem)
        self._report()
        self.held_back += self.stopped
        return not self.stopped

    def due(self, now: float) -> bool:
        """Return whether to compare the answer of `now` [s]: at most `rate` per second; all while stopped."""
        if self.stopped:
            return True
        if now < self._next:
            return False
        period = 1.0 / self._rate
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
        # np.maximum keeps NaN, which max() may lose
        self.worst_relative = float(np.maximum(self.worst_relative, self.relative))
        for name, difference in absolute.items():
            self.worst[name] = float(np.maximum(self.worst.get(name, 0.0), difference))
        self._agreed = self._agreed + 1 if self.relative <= 0.5 * THRESHOLD else 0
        self.stopped = self.disagrees or (self.stopped and self._agreed < AGREEMENTS)

    @property
    def disagrees(self) -> bool:
        """Return whether the last comparison is above the threshold, or NaN."""
        return self.count > 0 and not self.relative <= THRESHOLD

    @property
    def _disagreement(self) -> str:
        """Return the last comparison in words."""
        return (
            f"torques of '{self.where}' differ from Pinocchio's by {self.relative:.1e} of the terms that "
            f"add up to them, threshold {THRESHOLD:.1e}"
        )

    def status(self) -> Status:
        """Return the status for /diagnostics; with closed loops that of the open tree."""
        self._report()
        unavailable = "" if self.check is None else self.check.unavailable
        closed = self._robot.closed
        subject = "torques of the open tree, under the wrenches at its cuts," if closed else "torques"
        values = {
            "comparisons": str(self.count),
            "comparisons that failed": str(self.failed),
            "answers held back by the cross-check": str(self.held_back),
            "relative difference": f"{self.relative:.3e}",
            "worst relative difference": f"{self.worst_relative:.3e}",
        }
        values |= {
            f"worst difference of {name} [N m or N]": f"{worst:.3e}" for name, worst in self.worst.items()
        }
        level, text = OK, f"{subject} equal Pinocchio's"
        if self.check is None:
            text = "off"
        elif self.stopped:
            level = ERROR
            text = f"torques are held back until {AGREEMENTS} in a row agree: {self._disagreement}"
        elif unavailable:
            level, text = WARN, f"not possible: {unavailable}"
        elif self.failure:
            level, text = WARN, f"the last comparison failed: {self.failure}"
        elif self.count == 0:
            text = "nothing was compared yet"
        return Status(level, "cross-check", text, values=values)

    def _report(self) -> None:
        """Log disagreement, torques that are held back, and comparisons that failed."""
        if self.failure:
            self._log.problem("cross-check", "failed", f"a comparison failed: {self.failure}")
        if self.disagrees:
            text = f"{self._disagreement}; held back until {AGREEMENTS} in a row agree to half of that"
            self._log.problem("cross-check", "torques held back", text, severe=True)
        elif self.stopped:
            self._log.lasts("cross-check", "torques held back")

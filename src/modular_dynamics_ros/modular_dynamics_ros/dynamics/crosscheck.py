"""Comparison of answers with Pinocchio while the node runs, where Pinocchio can represent the robot."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics_ros.computation.answer import Answer
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.dynamics.crosscheck_monitor import CrossCheckMonitor
from modular_dynamics_ros.dynamics.status import crosscheck_status
from modular_dynamics_ros.messages.status import Status

__all__ = ["CrossChecks", "PinocchioCheck"]


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
        rest = np.zeros(graph.nv)
        try:
            check = md.crosscheck.CrossCheck(graph)
            check(graph.neutral(), rest, rest, rest, None, _no_wrenches(robot))
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
        tree = answer.dynamics.as_tree()
        return self._check(tree.q, tree.v, tree.a, tree.tau, tree.external, tree.black_box)


def _no_wrenches(robot: Robot) -> dict[str, NDArray[np.float64]]:
    return {name: np.zeros(6) for name in robot.black_boxes}


class CrossChecks:
    """Compares answers at a rate, and reports differences.

    Attributes:
        check: compares one answer. monitor: counts the comparisons since activation.
    """

    def __init__(self, robot: Robot, log: ChangeLog, rate: float, threshold: float) -> None:
        self._robot, self._log = robot, log
        self.check = PinocchioCheck.of(robot)
        self.monitor = CrossCheckMonitor(rate, threshold)

    def restart(self) -> None:
        """Forget all comparisons."""
        self.monitor = CrossCheckMonitor(self.monitor.rate, self.monitor.threshold)

    def configure(self, rate: float, threshold: float) -> None:
        """Take new parameters."""
        self.monitor.rate, self.monitor.threshold = rate, threshold

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

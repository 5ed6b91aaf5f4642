"""Comparison of answers with Pinocchio while the node runs, where Pinocchio can represent the robot."""

import threading
import time
from dataclasses import dataclass
from math import inf

import numpy as np

import modular_dynamics as md
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.dynamics.crosscheck_monitor import AGREEMENTS, CrossCheckMonitor, crosscheck_status
from modular_dynamics_ros.messages.status import Status
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

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
    def of(cls, robot: Robot, largest: float = inf) -> "PinocchioCheck":
        """Build it and compare once; no failure of the check may stop what it checks.

        It may be called in any thread, but holds Python's lock while Pinocchio allocates.

        Args:
            largest: velocities up to which it is built: memory and time grow with their cube.
        """
        graph = robot.graph.tree if robot.closed else robot.graph
        size = sum(joint.type.nv for joint in graph.joints)  # Pinocchio's model treats mimic joints as others
        if size > largest:
            return cls(None, f"it has {size} velocities, and crosscheck_largest is {largest:g}")
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
        check: of this robot, if it was built already. Otherwise it is built in a thread of its own where
            `crosscheck_rate` asks for it; until then answers are not compared.

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
        self._largest = parameters.crosscheck_largest
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
        self.check = PinocchioCheck.of(self._robot, self._largest)

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

"""What nodes say about themselves once a second, in plain words and figures, without ROS."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from modular_dynamics_ros.computation.closed_loop import ClosedComputation
from modular_dynamics_ros.computation.open_chain import Computation
from modular_dynamics_ros.diagnostics.latency import LatencyWindow
from modular_dynamics_ros.diagnostics.status import ERROR, OK, WARN, Status
from modular_dynamics_ros.dynamics.crosscheck_monitor import CrossCheckMonitor

__all__ = [
    "Tally",
    "acceleration_state",
    "closure_status",
    "crosscheck_status",
    "input_status",
    "latency_values",
    "output_status",
]


@dataclass
class Tally:
    """Messages since activation: every joint state is answered, rejected (by cause) or superseded."""

    received: int = 0
    answered: int = 0
    superseded: int = 0
    rejected: Counter = field(default_factory=Counter)
    limited: np.ndarray | None = None
    input_age: float = float("nan")
    latency: LatencyWindow = field(default_factory=LatencyWindow)

    def count_limits(self, exceeded: np.ndarray) -> None:
        """Count the answers in which each joint's effort limit was reached."""
        self.limited = exceeded.astype(np.int64) if self.limited is None else self.limited + exceeded


def input_status(tally: Tally, problems: list[str], age: float | None, stale: bool) -> Status:
    """Joint states and everything that makes them unusable."""
    values = {
        "messages in": str(tally.received),
        "messages rejected": str(sum(tally.rejected.values())),
        "time since last good joint state [s]": "none yet" if age is None else f"{age:.3f}",
        "age of input at arrival [s]": f"{tally.input_age:.6f}",
    }
    values |= {f"rejected: {cause}": str(count) for cause, count in sorted(tally.rejected.items())}
    if stale:
        words = [f"joint states are stale: the last answered one came {age:.2f} s ago", *problems]
        return Status(ERROR, "input", "; ".join(words), values=values)
    if problems:
        return Status(WARN, "input", "; ".join(problems), values=values)
    if age is None:
        return Status(WARN, "input", "waiting for the first joint state", values=values)
    return Status(OK, "input", "joint states are good", values=values)


def output_status(tally: Tally, computation: Computation) -> Status:
    """Answers: rate, latency, limits, and what the accelerations are worth."""
    robot, parameters = computation.robot, computation.parameters
    values = {
        "messages out": str(tally.answered),
        "superseded by a newer joint state": str(tally.superseded),
        **latency_values(tally),
        "acceleration source": acceleration_state(computation),
        "output": parameters.output,
    }
    limited = [] if tally.limited is None else list(np.flatnonzero(tally.limited))
    values |= {
        f"effort limit of {robot.state_names[index]} reached in": f"{tally.limited[index]} answers"
        for index in limited
    }
    if computation.exceeded.any():
        names = ", ".join(robot.state_names[index] for index in np.flatnonzero(computation.exceeded))
        return Status(
            WARN, "output", f"effort limit reached ({parameters.effort_limits}): {names}", values=values
        )
    return Status(
        OK, "output", f"{robot.graph.name}: torques of {len(robot.joint_names)} joints", values=values
    )


def latency_values(tally: Tally) -> dict[str, str]:
    """Rate and latency of the answers."""
    summary = tally.latency.summary()
    return {
        "rate [Hz]": f"{summary.rate:.2f}",
        "latency p50 [ms]": f"{1e3 * summary.p50:.3f}",
        "latency p99 [ms]": f"{1e3 * summary.p99:.3f}",
        "latency max [ms]": f"{1e3 * summary.max:.3f}",
    }


def acceleration_state(computation: Computation) -> str:
    """Where accelerations come from, and what they are worth."""
    source = computation.parameters.acceleration_source
    if source == "zero":
        return "zero: accelerations are taken as zero"
    state = computation.filter.state if source == "filtered" else computation.coverage
    return f"{source}: {state.value}"


def closure_status(computation: ClosedComputation, errors: list[str], warnings: list[str]) -> Status:
    """Closed loops: how well they close, how near a dead point is, and what could not be closed of late."""
    found = computation.completed
    if found is None:
        values, good = {}, "no joint state was completed yet"
    else:
        worst = max(found.residual.values(), default=0.0)
        good = f"the loops are closed to {worst:.1e} m or 1"
        values = {"largest residual [m or 1]": f"{worst:.3e}"}
        values |= {f"residual of {name} [m or 1]": f"{value:.3e}" for name, value in found.residual.items()}
        values |= {
            "condition number": f"{found.condition:.3e}",
            "redundant constraint rows": str(found.redundant),
            "answers closed anew": str(computation.closed_anew),
        }
        values |= {f"tension of {name} [N]": f"{value:.6g}" for name, value in found.tensions.items()}
        values |= {
            f"measured minus closed of {one.joint} [rad or m]": f"{one.difference:.3e}"
            for one in computation.disagreements
        }
    if errors:
        return Status(ERROR, "closure", "; ".join([*errors, *warnings]), values=values)
    if warnings:
        return Status(WARN, "closure", "; ".join(warnings), values=values)
    return Status(OK, "closure", good, values=values)


def crosscheck_status(monitor: CrossCheckMonitor, unavailable: str, closed: bool = False) -> Status:
    """The running comparison with Pinocchio; of robots with closed loops the open tree is compared."""
    what = "torques of the open tree, under the wrenches at its cuts," if closed else "torques"
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
    if monitor.rate == 0.0:
        return Status(OK, "cross-check", "off", values=values)
    if unavailable:
        return Status(WARN, "cross-check", f"not possible: {unavailable}", values=values)
    if monitor.failure:
        return Status(WARN, "cross-check", f"the last comparison failed: {monitor.failure}", values=values)
    if monitor.disagrees:
        return Status(
            ERROR,
            "cross-check",
            f"{what} differ from Pinocchio's by {monitor.relative:.1e} of the largest, "
            f"threshold {monitor.threshold:.1e}",
            values=values,
        )
    return Status(OK, "cross-check", f"{what} equal Pinocchio's", values=values)

"""What dynamics_node reports about its answers once a second."""

import numpy as np

from modular_dynamics_ros.computation.answer import Answer
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.diagnostics.counts import MessageCounts
from modular_dynamics_ros.diagnostics.statuses import latency_values
from modular_dynamics_ros.dynamics.crosscheck_monitor import CrossCheckMonitor
from modular_dynamics_ros.messages.status import ERROR, OK, WARN, Status

__all__ = ["crosscheck_status", "output_status"]


def output_status(counts: MessageCounts, computation: Computation, answer: Answer | None) -> Status:
    """Rate, latency, effort limits, and the source of the accelerations; `answer` is the last one."""
    robot, settings = computation.robot, computation.settings
    values = {
        "messages out": str(counts.answered),
        "superseded by a newer joint state": str(counts.superseded),
        **latency_values(counts),
        "acceleration source": computation.accelerations.description,
        "output": settings.output,
    }
    limited = (
        [] if counts.limited is None else [(k, counts.limited[k]) for k in np.flatnonzero(counts.limited)]
    )
    values |= {
        f"effort limit of {robot.state_names[index]} reached in": f"{count} answers"
        for index, count in limited
    }
    if answer is not None and answer.exceeded.any():
        names = ", ".join(robot.state_names[index] for index in np.flatnonzero(answer.exceeded))
        text = f"effort limit reached ({settings.effort_limits}): {names}"
        return Status(WARN, "output", text, values=values)
    text = f"{robot.graph.name}: torques of {len(robot.joint_names)} joints"
    return Status(OK, "output", text, values=values)


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
            f"{subject} differ from Pinocchio's by {monitor.relative:.1e} of the largest, "
            f"threshold {monitor.threshold:.1e}",
            values=values,
        )
    return Status(OK, "cross-check", f"{subject} equal Pinocchio's", values=values)

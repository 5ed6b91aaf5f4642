"""What dynamics_node reports of its answers."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.diagnostics.statuses import answer_values
from modular_dynamics_ros.messages.status import Status, status_of
from modular_dynamics_ros.node.joint_states.answer_record import AnswerRecord

__all__ = ["OutputCounts", "limited_joints", "output_status"]


@dataclass
class OutputCounts:
    """Answers above the effort limit of each joint."""

    limited: "Counter[str]" = field(default_factory=Counter)


def limited_joints(robot: Robot, answer: Answer) -> list[str]:
    """The joints whose effort limits the answer exceeded."""
    return [robot.state_names[index] for index in np.flatnonzero(answer.exceeded)]


def output_status(
    record: AnswerRecord, outputs: OutputCounts, computation: Computation, answer: Answer | None
) -> Status:
    """Rate, latency, effort limits, and the source of the accelerations; `answer` is the last one."""
    robot, settings = computation.robot, computation.settings
    values = {
        **answer_values(record.counts, record.acceleration_source()),
        "output": settings.output,
        "root": robot.mounting,
    }
    values |= {
        f"answers above the effort limit of {name}": str(count) for name, count in outputs.limited.items()
    }
    limited = [] if answer is None else limited_joints(robot, answer)
    warnings = [f"effort limit reached ({settings.effort_limits}): {', '.join(limited)}"] if limited else []
    good = f"{robot.graph.name}: torques of {len(robot.joint_names)} joints"
    return status_of("output", good, values, warnings=warnings)

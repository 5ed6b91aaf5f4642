"""What dynamics_node reports of its answers."""

from collections import Counter

import numpy as np

from modular_dynamics_ros.computation.computation import Answer, Computation
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.diagnostics.statuses import answer_values
from modular_dynamics_ros.messages.status import Status, status_of
from modular_dynamics_ros.node.answer_record import AnswerRecord

__all__ = ["limited_joints", "output_status"]


def limited_joints(robot: Robot, answer: Answer) -> list[str]:
    """Return the joints whose effort limits the answer exceeded."""
    return [robot.state_names[index] for index in np.flatnonzero(answer.exceeded)]


def output_status(
    record: AnswerRecord,
    limited: "Counter[str]",
    computation: Computation,
    source: str,
    answer: Answer | None,
) -> Status:
    """Return the status of rate, latency, effort limits and the source of accelerations.

    Args:
        limited: answers above the effort limit, by joint. source: of the accelerations, in words.
        answer: the last one.
    """
    robot, settings = computation.robot, computation.settings
    values = {
        **answer_values(record.counts, source),
        "output": settings.output,
        "root": robot.mounting,
    }
    values |= {f"answers above the effort limit of {name}": str(count) for name, count in limited.items()}
    now = [] if answer is None else limited_joints(robot, answer)
    warnings = [f"effort limit reached ({settings.effort_limits}): {', '.join(now)}"] if now else []
    good = f"{robot.graph.name}: torques of {len(robot.joint_names)} joints"
    return status_of("output", good, values, warnings=warnings)

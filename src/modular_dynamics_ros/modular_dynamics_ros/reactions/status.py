"""What torso_reaction_node reports about its answers once a second."""

import numpy as np

from modular_dynamics_ros.diagnostics.counts import LatencyWindow, MessageCounts
from modular_dynamics_ros.diagnostics.statuses import answer_values
from modular_dynamics_ros.exceptions import listed
from modular_dynamics_ros.messages.status import OK, Status, judged
from modular_dynamics_ros.reactions.computation import MechanismReactions, ReactionComputation

__all__ = ["answers_status", "loads_status", "reactions_status"]

NEAR_DEAD_POINT = 1e-3  # dead_point_distance below which the actuators' forces begin to grow without bounds


def answers_status(counts: MessageCounts, computing: LatencyWindow, source: str) -> Status:
    """Rate, latency, and the time that one answer takes; `source` of the accelerations."""
    summary = computing.summary()
    values = answer_values(counts, source) | {
        "time to compute and publish p50 [ms]": f"{1e3 * summary.p50:.3f}",
        "time to compute and publish p99 [ms]": f"{1e3 * summary.p99:.3f}",
    }
    return Status(OK, "output", "every good joint state is answered", values=values)


def loads_status(ages: dict[str, float | None], stale_after: float, problems: list[str]) -> Status:
    """Connection wrenches from topics: those that do not arrive, or arrived too long ago."""
    texts = {
        name: "never arrived" if age is None else f"arrived {age:.2f} s ago" for name, age in ages.items()
    }
    values = {f"last wrench of {name}": text for name, text in texts.items()}
    stale = [name for name, age in ages.items() if age is None or age > stale_after]
    listing = ", ".join(f"that of '{name}' {texts[name]}" for name in stale)
    errors = [f"connection wrenches are stale, nothing is published: {listing}"] if stale else []
    return judged("connection wrenches", "they arrive with the joint states", values, errors, problems)


def reactions_status(computation: ReactionComputation, reactions: MechanismReactions | None) -> Status:
    """The last answer: the actuator closest to its limit, slack springs, equilibrium, the next dead point."""
    if reactions is None:
        return Status(OK, "reactions", "no joint state was answered yet")
    use = np.abs(reactions.pushes) / computation.limits
    problems = [reactions.contradiction] if reactions.contradiction else []
    if over := [name for name, part in zip(computation.actuators, use, strict=True) if part > 1.0]:
        problems.append(f"the limit of {listed(over)} is exceeded")
    slack = [name for name, pull in zip(computation.springs, reactions.tensions, strict=True) if pull <= 0.0]
    if slack:
        problems.append(f"spring {listed(slack)} is slack: its force is wrong if it can only pull")
    if reactions.dead_point_distance < NEAR_DEAD_POINT:
        problems.append(f"a dead point is near: {reactions.dead_point_distance:.1e}")
    values = _values(computation, reactions)
    if len(use):
        closest = int(np.argmax(use))
        values["closest to its limit"] = f"{computation.actuators[closest]}: {100.0 * use[closest]:.1f} %"
    good = "in equilibrium, within the limits, springs pull"
    return judged("reactions", good, values, warnings=problems)


def _values(computation: ReactionComputation, reactions: MechanismReactions) -> dict[str, str]:
    values = {
        f"force of {name} [N]": f"{force:.6g} of {limit:g}"
        for name, force, limit in zip(
            computation.actuators, reactions.pushes, computation.limits, strict=True
        )
    }
    values |= {
        f"tension of {name} [N]": f"{tension:.6g} at {length:.6g} m, free at {free:.6g} m"
        for name, tension, length, free in zip(
            computation.springs, reactions.tensions, reactions.lengths, computation.free_lengths, strict=True
        )
    }
    return values | {
        "equilibrium residual [N]": f"{reactions.residual[0]:.3e}",
        "equilibrium residual [N m]": f"{reactions.residual[1]:.3e}",
        "actuator forces less those of virtual power [N]": f"{reactions.disagreement:.3e}",
        "distance from a dead point (0: there, 1: farthest)": f"{reactions.dead_point_distance:.6g}",
    }

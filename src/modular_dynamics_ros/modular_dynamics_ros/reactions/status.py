"""What torso_reaction_node says about its answers once a second, in plain words and figures, without ROS."""

import numpy as np

from modular_dynamics_ros.diagnostics.latency import LatencyWindow
from modular_dynamics_ros.diagnostics.status import ERROR, OK, WARN, Status
from modular_dynamics_ros.diagnostics.statuses import Tally, latency_values
from modular_dynamics_ros.messages.bad_message import listed
from modular_dynamics_ros.reactions.computation import MechanismReactions, ReactionComputation

__all__ = ["answers_status", "loads_status", "reactions_status"]

NEAR_DEAD_POINT = 1e-3  # dead_point_distance from which on the actuators' forces begin to grow without bounds


def answers_status(tally: Tally, computing: LatencyWindow, source: str) -> Status:
    """Answers: rate, latency, time that one takes."""
    values = {"messages out": str(tally.answered), **latency_values(tally)}
    summary = computing.summary()
    values |= {
        "time to compute and publish p50 [ms]": f"{1e3 * summary.p50:.3f}",
        "time to compute and publish p99 [ms]": f"{1e3 * summary.p99:.3f}",
        "acceleration source": source,
    }
    return Status(OK, "output", "every good joint state is answered", values=values)


def loads_status(ages: dict[str, float | None], stale_after: float, problems: list[str]) -> Status:
    """Connection wrenches from topics: those that do not come, or came too long ago."""
    told = {name: "never came" if age is None else f"came {age:.2f} s ago" for name, age in ages.items()}
    values = {f"last wrench of {name}": words for name, words in told.items()}
    stale = [name for name, age in ages.items() if age is None or age > stale_after]
    if stale:
        words = ", ".join(f"that of '{name}' {told[name]}" for name in stale)
        text = "; ".join([f"connection wrenches are stale, nothing is published: {words}", *problems])
        return Status(ERROR, "connection wrenches", text, values=values)
    if problems:
        return Status(WARN, "connection wrenches", "; ".join(problems), values=values)
    return Status(OK, "connection wrenches", "they come with the joint states", values=values)


def reactions_status(computation: ReactionComputation, found: MechanismReactions | None) -> Status:
    """The last answer: the actuator closest to its limit, slack springs, equilibrium, the next dead point."""
    if found is None:
        return Status(OK, "reactions", "no joint state was answered yet")
    use = np.abs(found.pushes) / computation.limits
    values = {
        f"force of {name} [N]": f"{force:.6g} of {limit:g}"
        for name, force, limit in zip(computation.actuators, found.pushes, computation.limits, strict=True)
    }
    values |= {
        f"tension of {name} [N]": f"{tension:.6g} at {length:.6g} m, free at {free:.6g} m"
        for name, tension, length, free in zip(
            computation.springs, found.tensions, found.lengths, computation.free_lengths, strict=True
        )
    }
    if len(use):
        closest = int(np.argmax(use))
        values["closest to its limit"] = f"{computation.actuators[closest]}: {100.0 * use[closest]:.1f} %"
    values |= {
        "residual of equilibrium [N]": f"{found.residual[0]:.3e}",
        "residual of equilibrium [N m]": f"{found.residual[1]:.3e}",
        "actuator forces less those of virtual power [N]": f"{found.disagreement:.3e}",
        "distance from a dead point (0: there, 1: farthest)": f"{found.dead_point_distance:.6g}",
    }
    told = [found.contradiction] if found.contradiction else []
    if over := [name for name, part in zip(computation.actuators, use, strict=True) if part > 1.0]:
        told.append(f"the limit of {listed(over)} is exceeded")
    slack = [name for name, pull in zip(computation.springs, found.tensions, strict=True) if pull <= 0.0]
    if slack:
        told.append(f"spring {listed(slack)} is slack: its force is not to be trusted if it can only pull")
    if found.dead_point_distance < NEAR_DEAD_POINT:
        told.append(f"a dead point is near: {found.dead_point_distance:.1e}")
    if told:
        return Status(WARN, "reactions", "; ".join(told), values=values)
    return Status(OK, "reactions", "in equilibrium, within the limits, springs pull", values=values)

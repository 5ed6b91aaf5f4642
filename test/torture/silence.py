"""All publishers fall silent, with each choice of on_stale: no torques, those of gravity, or falling ones."""

import time
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from sensor_msgs.msg import JointState

from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from torture.harness.effort import Effort
from torture.harness.judge import DEFAULTS, Judge
from torture.harness.robots import joint_names, tree_urdf
from torture.harness.tally import Tally
from torture.harness.target import Target

__all__ = ["Torques", "fault_of", "run"]

JOINTS = 6
RAMP = 0.3  # [s]
SILENT = 1.2  # [s] longer than stale_after and the ramp
CHOICES = ("stop", "hold_gravity", "ramp_to_zero")


class Torques(NamedTuple):
    """A message of joint_torques; ``answers``: a state that was sent has its stamp."""

    effort: list[float]
    answers: bool


def run(effort: Effort, tally: Tally) -> None:
    """What each message may hold, the judge decides; here, how they follow each other, and how it ends."""
    random, urdf = Random(effort.seed), tree_urdf(JOINTS)
    with Target(Judge(tally, urdf, joint_names(JOINTS)), effort.folder / "silence") as target:
        heard, changed = list[Torques](), 0

        def on_torques(message: JointState, info: dict[str, Any]) -> None:
            # by the time of publishing: on a busy machine torques of the choice before arrive much later
            if info["source_timestamp"] > changed:
                answers = stamp_nanoseconds(message.header.stamp) in target.judge.sent
                heard.append(Torques(list(message.effort), answers))

        target.node.create_subscription(JointState, f"{target.name}/joint_torques", on_torques, 5000)
        target.describe(urdf)
        if not target.ready(f"ramp_time:={RAMP}"):
            return
        rounds = list(CHOICES) * int(effort.of(1, 10))
        for number, choice in enumerate(rounds):
            of_choice = {**DEFAULTS, "on_stale": choice}
            target.judge.settings = [*target.judge.settings[-1:], of_choice]
            if not target.set_parameter("on_stale", choice):
                tally.found_wrong(f"on_stale:={choice} was refused")
            changed = time.time_ns()
            heard.clear()
            target.send_for(random.uniform(0.2, 0.6))
            target.spin(0.15)  # what was sent is answered, and not yet stale
            target.judge.settings = [of_choice]
            target.spin(SILENT)
            tally.tried += 1
            if fault := fault_of(choice, heard):
                tally.found_wrong(f"silence with on_stale {choice}, seed {effort.seed}: {fault}")
            else:
                tally.right += 1
            target.recovers(f"silence with on_stale {choice}")
            effort.progress((number + 1) / len(rounds))
        target.end()


def fault_of(choice: str, heard: list[Torques]) -> str:
    """What is wrong with the torques that were heard of a motion and the silence after it; empty: nothing."""
    answers = [k for k, one in enumerate(heard) if one.answers]
    if not answers:
        return "no state of the motion was answered"
    if choice == "stop":
        return f"{len(heard) - len(answers)} messages instead of none" if len(heard) != len(answers) else ""
    efforts = [one.effort for one in heard[answers[-1] :]]
    if len(efforts) < 4:
        return f"{len(efforts) - 1} messages instead of many"
    if choice == "hold_gravity":
        return "the torques of one position change" if any(one != efforts[1] for one in efforts[1:]) else ""
    sizes = [sum(map(abs, one)) for one in efforts]
    if any(b > a for a, b in pairwise(sizes)):
        return f"the torques grow: {sizes}"
    return f"the last torques are {efforts[-1]}, not zero" if sizes[-1] else ""

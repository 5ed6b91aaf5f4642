"""All publishers fall silent, with each choice of on_stale: no torques, those of gravity, or falling ones."""

from itertools import pairwise
from random import Random

from sensor_msgs.msg import JointState

from torture.harness.effort import Effort
from torture.harness.judge import DEFAULTS, Judge
from torture.harness.robots import joint_names, tree_urdf
from torture.harness.tally import Tally
from torture.harness.target import Target

__all__ = ["fault_of", "run"]

JOINTS = 6
RAMP = 0.3  # [s]
SILENT = 1.2  # [s] longer than stale_after and the ramp
CHOICES = ("stop", "hold_gravity", "ramp_to_zero")


def run(effort: Effort, tally: Tally) -> None:
    """What each message may hold, the judge decides; here, how they follow each other, and how it ends."""
    random, urdf = Random(effort.seed), tree_urdf(JOINTS)
    with Target(Judge(tally, urdf, joint_names(JOINTS)), effort.folder / "silence") as target:
        heard = list[JointState]()
        target.node.create_subscription(JointState, f"{target.name}/joint_torques", heard.append, 5000)
        target.describe(urdf)
        if not target.ready(f"ramp_time:={RAMP}"):
            return
        rounds = list(CHOICES) * int(effort.of(1, 10))
        for number, choice in enumerate(rounds):
            target.judge.settings = [{**DEFAULTS, "on_stale": choice}]
            if not target.set_parameter("on_stale", choice):
                tally.found_wrong(f"on_stale:={choice} was refused")
            target.send_for(random.uniform(0.2, 0.6))
            target.spin(0.15)  # what was sent is answered, and not yet stale
            answered = len(heard)
            target.spin(SILENT)
            tally.tried += 1
            if fault := fault_of(choice, [list(one.effort) for one in heard[answered - 1 :]]):
                tally.found_wrong(f"silence with on_stale {choice}, seed {effort.seed}: {fault}")
            else:
                tally.right += 1
            heard.clear()
            target.recovers(f"silence with on_stale {choice}")
            effort.progress((number + 1) / len(rounds))
        target.end()


def fault_of(choice: str, efforts: list[list[float]]) -> str:
    """What is wrong with the torques since the last answer, which comes first; empty: nothing."""
    sizes = [sum(map(abs, one)) for one in efforts]
    if choice == "stop":
        return f"{len(sizes) - 1} messages instead of none" if len(sizes) != 1 else ""
    if len(sizes) < 4:
        return f"{len(sizes) - 1} messages instead of many"
    if choice == "hold_gravity":
        return "the torques of one position change" if any(one != efforts[1] for one in efforts[1:]) else ""
    if any(b > a for a, b in pairwise(sizes)):
        return f"the torques grow: {sizes}"
    return f"the last torques are {efforts[-1]}, not zero" if sizes[-1] else ""

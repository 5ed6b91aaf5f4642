"""More joint states than a node can answer: ten publishers, each at 500 Hz, reliable and best effort."""

from random import Random

from torture.harness.effort import Effort
from torture.harness.judge import Judge
from torture.harness.robots import joint_names, tree_urdf
from torture.harness.tally import Tally
from torture.harness.target import Target

__all__ = ["run"]


def run(effort: Effort, tally: Tally) -> None:
    """Floods of robots of some sizes; after each the node answers again within two seconds."""
    random = Random(effort.seed)
    sizes = (6,) if effort.short else (6, 38, 200)
    for k, joints in enumerate(sizes):
        urdf = tree_urdf(joints, random.randrange(1000))
        with Target(Judge(tally, urdf, joint_names(joints)), effort.folder / "floods") as target:
            target.describe(urdf)
            target.judge.commands.lossy = True
            if target.ready():
                _flood(target, joints, effort.of(4.0, 30.0))
                target.recovers(f"a flood of {joints} joints")
                target.end()
        effort.progress((k + 1) / len(sizes))


def _flood(target: Target, joints: int, seconds: float) -> None:
    before = target.tally.right
    words = {"joints": joints, "publishers": 10, "rate": 500, "seconds": seconds, "old_every": 5, "age": 0.9}
    arguments = [f"--{name}={value}" for name, value in words.items()]
    sent = target.run_module("torture.harness.flood", *arguments, limit=seconds + 60.0)
    target.tally.tried += sent
    target.tally.refused += sent // 5
    answers = target.tally.right - before
    target.tally.notes.append(f"{joints} joints: {sent} states in {seconds:g} s, {answers} answers")
    if answers < 10 * seconds:
        target.tally.found_wrong(f"{answers} answers during a flood of {seconds:g} s: starved")

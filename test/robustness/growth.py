"""Descriptions that grow to 1,000 joints, by topic, under a limit of memory, while states of a robot come."""

import resource
from random import Random

import psutil
from sensor_msgs.msg import JointState

from robustness.harness.resources import Resources, growth, resources_of
from robustness.harness.robots import joint_names, tree_urdf
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import Target

JOINTS = 6
MEMORY = 2 * 1024**3  # [bytes] that the node may add to its address space
LOADING = 60.0  # [s] until a description of 1,000 joints is in force or refused


def run(effort: Effort, tally: Tally) -> None:
    """Each description is processed by its own joints, or refused while the robot before goes on."""
    sizes = (50, 200) if effort.short else (50, 100, 200, 400, 700, 1000)
    with Target.of_tree(tally, effort, JOINTS) as target:
        urdf = target.urdf
        if not target.ready():
            return
        used = psutil.Process(target.processes.pid(target.name)).memory_info().vms
        target.limit(resource.RLIMIT_AS, used + MEMORY)
        for size in sizes:
            target.send_for(0.3, 200.0)
            larger = tree_urdf(size, effort.seed + size, "large")
            _follow(target, larger, joint_names(size, "large"), urdf)
        _swap_often(target, Random(effort.seed), int(effort.of(20, 200)), urdf)
        _swap_and_look(target, effort, urdf)
        target.end()


def _swap_and_look(target: Target, effort: Effort, small: str) -> None:
    """A robot that is replaced leaves nothing behind: as many swaps for the caches to fill, then measured."""
    rounds, samples = int(effort.of(8, 60)), list[Resources]()
    for number in range(3 * rounds):
        name = f"other_{number}"  # the robot before may answer its own joints for a while
        for urdf, own in ((tree_urdf(3, number, name), joint_names(3, name)), (small, joint_names(JOINTS))):
            target.describe(urdf)
            target.judge.set_robot(urdf, own)
            if not target.recovers(f"swap {number}", LOADING):
                return
        samples.append(resources_of(target.processes.pid(target.name)))
    text, too_much = growth(samples)
    target.tally.notes.append(f"{6 * rounds} swaps: {text}")
    if too_much:
        target.tally.found_wrong(f"{target.name} grows with each robot: {text}")


def _follow(target: Target, larger: str, names: list[str], small: str) -> None:
    """The robot becomes another one and then the small one again; states of both come all the time."""
    small_names = joint_names(JOINTS)
    for urdf, own, other in ((larger, names, small_names), (small, small_names, names)):
        target.describe(urdf)
        target.judge.set_robot(urdf, own)

        def both() -> JointState:
            target.send(target.state(names=other))  # noqa: B023  # called in this round
            return target.state()

        if target.recovers(f"a description of {len(own)} joints", LOADING, both):
            target.send_for(0.3)


def _swap_often(target: Target, random: Random, count: int, small: str) -> None:
    """Descriptions come faster than they can be prepared; the last one counts."""
    for _ in range(count):
        size = random.choice((1, 3, 30))
        target.describe(tree_urdf(size, random.randrange(999), "other"))
        target.tally.tried += 1
        target.spin(0.02)
    # more than twenty that wait are refused: on a busy computer the last one has to be sent again
    again = target.node.create_timer(1.0, lambda: target.describe(small))
    target.recovers(f"{count} descriptions in a row", LOADING)
    target.node.destroy_timer(again)

"""Malformed messages on every topic of dynamics_node, between good joint states that must be processed."""

import math
import time
from collections.abc import Callable
from random import Random
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from robustness.harness.robots import tree_urdf
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import Target

JOINTS = 6
BAD_NUMBERS = (math.nan, math.inf, -math.inf)
NAMES = (
    *("", "左", "\u202ereversed", "a" * 100_000, "joint_0 ", "../../etc", "joint_0@9.9", "{}", "%s", "\x07"),
)
Damage = Callable[[JointState, Random], None]


def _not_finite(message: JointState, random: Random) -> None:
    number = random.choice(BAD_NUMBERS)
    values = message.position if random.random() < 0.5 or math.isnan(number) else message.velocity
    values[random.randrange(len(values))] = number


def _wrong_length(message: JointState, random: Random) -> None:
    values = random.choice((message.position, message.velocity, message.effort))
    if len(values) and random.random() < 0.5:
        del values[-1]
        if not len(values):
            values.extend([1.0] * 2)
    else:
        values.extend([0.1] * random.choice((1, 7, 100_000)))
    if values is message.effort and len(values) in (0, len(message.name)):
        values.append(0.0)


def _empty(message: JointState, random: Random) -> None:
    message.position = []
    if random.random() < 0.5:
        message.name, message.velocity = [], []


def _named_twice(message: JointState, random: Random) -> None:
    for _ in range(random.choice((1, 1, 30_000))):
        message.name.append(random.choice(message.name[:JOINTS]))
    message.position.extend([0.0] * (len(message.name) - JOINTS))
    message.velocity.extend([0.0] * (len(message.name) - JOINTS))


def _other_joints(message: JointState, random: Random) -> None:
    message.name = [random.choice(NAMES) + str(k) for k in range(JOINTS)]


def _huge(message: JointState, random: Random) -> None:
    """A huge message whose joints have other names; the robot's are missing."""
    count = 100_000
    message.name = [f"other_{k}" for k in range(count)]
    message.position = message.velocity = [0.5] * count


def _stamp(message: JointState, random: Random) -> None:
    now = time.time_ns()
    far = random.choice((-(10**9), 10**9, -(10**12), 10**13, -400_000_000, 400_000_000))
    second, rest = divmod(now + far, 10**9)
    extreme = [Time(sec=2**31 - 1, nanosec=999_999_999), Time(sec=-(2**31)), Time(sec=-1), Time(sec=1)]
    extreme += [Time(sec=0, nanosec=1), Time(sec=2**31 - 1, nanosec=2**32 - 1)]
    message.header.stamp = random.choice([Time(sec=second, nanosec=rest), *extreme])


def _described(message: JointState, random: Random) -> None:
    """It names a description that there is not."""
    names = ("x@1.000000000", "@1.0", "x@1", "x@9999999999.999999999", "x@1@")
    message.header.frame_id = random.choice(names)


DAMAGES: tuple[Damage, ...] = (
    *(_not_finite, _wrong_length, _empty, _named_twice, _other_joints, _huge, _stamp, _described),
)


def _trajectory(random: Random) -> JointTrajectory:
    names = [random.choice((f"joint_{k}", *NAMES)) for k in range(random.choice((0, 1, JOINTS, 1000)))]
    message = JointTrajectory(joint_names=names)
    message.header.stamp = Time(sec=random.choice((0, -1, 2**31 - 1, int(time.time()))))
    for _ in range(random.choice((0, 1, 3, 300))):
        values = [random.choice((0.0, 1e308, *BAD_NUMBERS)) for _ in range(random.choice((0, 1, JOINTS)))]
        point = JointTrajectoryPoint(positions=values, velocities=values, accelerations=values)
        point.time_from_start.sec = random.choice((0, 1, -1, 2**31 - 1, -(2**31)))
        message.points.append(point)
    return message


def _wrench(random: Random) -> WrenchStamped:
    message = WrenchStamped()
    message.header.frame_id = random.choice(NAMES)
    message.header.stamp = Time(sec=random.choice((0, -(2**31), 2**31 - 1, int(time.time()))))
    message.wrench.force.x = random.choice((0.0, 1e308, *BAD_NUMBERS))
    message.wrench.torque.z = random.choice((0.0, -1e308, *BAD_NUMBERS))
    return message


def damaged_description(random: Random) -> str:
    """Text that is no description."""
    urdf = tree_urdf(2, random.randrange(99), "other")
    cut = urdf[: random.randrange(len(urdf) - 9)]
    return random.choice((*NAMES, cut, urdf.replace("1", "nan"), "<robot/>", "<" * 10_000, "\ufeff<"))


def run(effort: Effort, tally: Tally) -> None:
    """Good states and bad messages in turn; every good state that arrives is processed, no bad one is."""
    random = Random(effort.seed)
    with Target.of_tree(tally, effort, JOINTS) as target:
        others: list[tuple[Any, Callable[[Random], Any]]] = [
            (target.node.create_publisher(JointTrajectory, "reference", 10), _trajectory),
            (target.node.create_publisher(WrenchStamped, "dynamics_node/external_wrench", 10), _wrench),
            (target.descriptions, damaged_description),
        ]
        if not target.ready():
            return
        for number in range(int(effort.of(150, 3000))):
            if random.random() < 0.6:
                send_damaged(target, random)
            else:
                publisher, make = random.choice(others)
                made = make(random)
                publisher.publish(String(data=made) if isinstance(made, str) else made)
                tally.tried += 1
            target.send()
            target.spin(0.005)
            if number % 20 == 0:
                target.recovers(f"{number} malformed messages, seed {effort.seed}")
        target.spin(0.5)
        target.end()


def send_damaged(target: Target, random: Random) -> None:
    """Send a malformed state, which must not be processed, or one with a stamp that is not of now.

    Of the latter the judge compares the age: on a busy machine one from the future arrives when it is due.
    """
    message = target.state()
    damage = random.choice(DAMAGES)
    damage(message, random)
    stamp = stamp_nanoseconds(message.header.stamp)
    if stamp in target.judge.refused:
        return  # two extreme stamps are the same
    if damage is not _stamp:
        target.judge.refused[stamp] = f"{damage.__name__.strip('_')}, seed {target.tally.seed}"
    target.tally.refused += 1
    target.send(message)

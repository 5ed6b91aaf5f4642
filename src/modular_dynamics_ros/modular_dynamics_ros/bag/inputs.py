"""Recorded wrenches, odometry, references and fixed frames, taken as dynamics_node takes them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from modular_dynamics_ros.bag.recorded_node import RecordedNode
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival, check_age
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.odometry import base_state_from_message
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.static_frames import fixed_frame_from_message
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.messages.wrenches import wrench_from_message
from modular_dynamics_ros.node.topic_names import topic_name

__all__ = ["OPTIONS", "TRANSFORMS", "WRENCH", "RecordedInputs", "input_topics", "nodes_with_wrenches"]

#: Arrival by the monotonic clock, in the far future: only the bag's clock makes wrenches old.
NEVER_OLD = 1 << 62
Take = Callable[[Any], None]
#: Types of the inputs, by the last part of the topic, and for wrenches.
WRENCH, TRANSFORMS = "geometry_msgs/msg/WrenchStamped", "tf2_msgs/msg/TFMessage"
ODOMETRY, TRAJECTORY = "nav_msgs/msg/Odometry", "trajectory_msgs/msg/JointTrajectory"
#: The option that names a topic of a type, where there is one, and with which other one it is read.
OPTIONS = {
    ODOMETRY: ("--odometry", "--floating-base"),
    TRAJECTORY: ("--reference", "--acceleration-source reference"),
}
#: A node's topic of wrenches: the external one, or a black box's.
WRENCH_TOPIC = re.compile(r"(?P<node>/.+)/(external_wrench|black_box/[^/]+/wrench)")


def input_topics(
    node: str, computation: Computation, wrenches: Iterable[str], odometry: str = "", reference: str = ""
) -> dict[str, str]:
    """Return the input topics of a node of this name, apart from joint states, with their types.

    Args:
        wrenches: recorded topics; those of all black boxes count, since a later robot may have others.
        odometry, reference: what the node's topics of these names are remapped to.
    """
    namespace = node.rpartition("/")[0]
    topics = {"/tf_static": TRANSFORMS, **dict.fromkeys(nodes_with_wrenches(wrenches).get(node, ()), WRENCH)}
    if computation.base_states is not None:
        topics[odometry or f"{namespace}/odometry"] = ODOMETRY
    if computation.settings.acceleration_source == "reference":
        topics[reference or f"{namespace}/reference"] = TRAJECTORY
    return topics


def nodes_with_wrenches(topics: Iterable[str]) -> dict[str, list[str]]:
    """Return by node (full name) the recorded topics that are its wrench inputs."""
    found: dict[str, list[str]] = {}
    for topic in topics:
        if match := WRENCH_TOPIC.fullmatch(topic):
            found.setdefault(match["node"], []).append(topic)
    return found


class RecordedInputs:
    """Gives the messages of `input_topics` to one robot; bad ones are reported, the last good ones stay.

    Those of parts that it does not have, as another robot of the bag has, are left.

    Attributes:
        refused: number of bad ones, by what they are of and cause.
    """

    def __init__(self, node: RecordedNode, computation: Computation, name: str) -> None:
        self._node, self._computation = node, computation
        self.refused = Counter[tuple[str, str]]()
        wrenches = computation.wrenches
        wrenches.links.fixed.unavailable = ""
        external = partial(self._wrench, "external wrench", None, wrenches.take_external)
        self._takes: dict[str, Take] = {f"{name}/external_wrench": external}
        for box in computation.robot.black_boxes:
            what, take = f"wrench of black box '{box}'", partial(wrenches.take_black_box, box)
            topic = f"{name}/black_box/{topic_name(box)}/wrench"
            self._takes[topic] = partial(self._wrench, what, box, take)

    def take(self, topic: str, kind: str, message: Any) -> None:
        """Pass a message of one of the topics to its input."""
        if topic in self._takes:
            self._takes[topic](message)
        elif kind == TRANSFORMS:
            self._static_frames(message)
        elif kind == ODOMETRY and self._computation.base_states is not None:
            self._odometry(message)
        elif kind == TRAJECTORY:
            self._reference(message)

    @contextmanager
    def _refusing(self, what: str) -> Iterator[None]:
        try:
            yield
        except BadMessage as error:
            self.refused[what, error.cause] += 1
            self._node.log.problem(what, error.cause, f"refused: {error}")

    def _wrench(self, what: str, box: str | None, take: Callable[..., object], message: Any) -> None:
        now = self._node.now()
        with self._refusing(what):
            stamp = stamp_nanoseconds(message.header.stamp) or now
            valid_for, wrenches = self._computation.settings.stale_after, self._computation.wrenches
            check_age(stamp, now, valid_for, self._node.clock)
            frame = wrenches.links.frame(box, message.header.frame_id)
            wrenches.require_order(box, frame, stamp, now, valid_for)
            take(frame, wrench_from_message(message), Arrival(stamp, NEVER_OLD))

    def _static_frames(self, message: Any) -> None:
        for transform in message.transforms:
            with self._refusing("/tf_static"):
                child, parent, H_parent_child = fixed_frame_from_message(transform)
                link = self._computation.robot.link
                self._computation.wrenches.links.fixed.set(link(child), link(parent), H_parent_child)

    def _odometry(self, message: Any) -> None:
        robot, states = self._computation.robot, self._computation.base_states
        assert robot.base is not None  # else the topic is not read
        assert states is not None
        with self._refusing("odometry"):
            orientation, twist = base_state_from_message(message, robot, robot.base)
            stamp = stamp_nanoseconds(message.header.stamp) or self._node.now()
            states.require_order(stamp, self._node.now())
            states.add(stamp, orientation, twist)

    def _reference(self, message: Any) -> None:
        computation = self._computation
        with self._refusing("reference"):
            names, now = computation.robot.state_names, self._node.now()
            computation.accelerations.reference.add(trajectory_from_message(message, names, now), now)

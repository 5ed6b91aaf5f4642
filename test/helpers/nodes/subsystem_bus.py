"""The sessions of all subsystems of a robot, and what they send each other, without DDS."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from unittest.mock import MagicMock

import numpy as np
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.lone_node import lone_node, message_info, receive
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.node.robot_node import Description
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.parameters.nodes import SubsystemParameters
from modular_dynamics_ros.subsystem.node import SubsystemSession

PERIOD = 5_000_000  # [ns] from one state to the next


class SubsystemBus:
    """One session per subsystem; a message that one publishes is delivered to those that subscribe to it.

    Args:
        from_topic: the nodes take their descriptions from the topic, not from files.

    Attributes:
        dead: subsystems whose sessions get and send nothing. frozen: those that stand still, and what comes
        for them meanwhile. graph: of the whole robot.
    """

    def __init__(self, urdf: str, partition: str = "", from_topic: bool = False, **parameters: Any) -> None:
        file = "" if from_topic else "robot.urdf"
        self.urdf = urdf
        self.parameters = {"partition_file": partition, "robot_description_file": file, **parameters}
        self.graph = md.load_urdf(urdf, partition or None)
        self.names = list(self.graph.independent_joint_names)
        self.dead: set[str] = set()
        self.frozen: dict[str, list[Callable[[], None]]] = {}
        self.time = 0
        self.sessions: dict[str, SubsystemSession] = {}
        for one in self.graph.subsystems:
            if not one.black_box:
                self.start(one.name)

    def start(self, name: str, urdf: str = "") -> None:
        """A new session, as of a process that was started again, with another description if one is given."""
        node = lone_node()
        node.create_subscription.side_effect = self._subscription
        session = self._session(name, urdf or self.urdf, node)
        session._node.time = self.time
        session.activate(None)
        self.sessions[name] = session
        self._delivered = getattr(self, "_delivered", {})
        self._delivered[name] = {}
        self.dead.discard(name)
        for other in self.sessions:  # latched: it comes again
            self._delivered[other].pop("~/subsystem_graph", None)
        self.deliver()

    def change(self, name: str, urdf: str) -> None:
        """A new description without a stamp on the topic has reached one node."""
        before = self.sessions[name]
        session = self._session(name, urdf, before._node)
        self._delivered[name] = {}  # the publishers are new
        session.activate(None)
        before.finish()
        session.continue_from(before)
        before.destroy()
        self.sessions[name] = session
        self.deliver()

    def _session(self, name: str, urdf: str, node: Any) -> SubsystemSession:
        """A session of a description, as the node makes it."""
        parameters = SubsystemParameters(subsystem=name, **self.parameters)
        session = SubsystemSession(node, SubsystemSession.load(urdf, parameters), parameters)
        session.description = Description("" if parameters.robot_description_file else urdf).digest
        return session

    def _subscription(self, kind: type, topic: str, *arguments: Any, **options: Any) -> MagicMock:
        """It has a publisher as long as the session of the topic's subsystem lives."""

        def publishers() -> int:
            living = self.sessions.keys() - self.dead
            names = {name for name in living if topic.startswith(f"{topic_name(name)}/")}
            return len(names)

        return MagicMock(get_publisher_count=publishers)

    def set_time(self, now: int) -> None:
        """The clocks of all nodes [ns]; each looks for what is overdue."""
        self.time = now
        for name, session in self.sessions.items():
            session._node.time = now
            if name not in self.dead and name not in self.frozen:
                session.on_watch()
        self.deliver()

    def freeze(self, name: str) -> None:
        """Its process is stopped: messages for it wait."""
        self.frozen[name] = []

    def go_on(self, name: str) -> None:
        """Its process runs again: its timers are called first, then it reads what waits."""
        waiting = self.frozen.pop(name)
        self.sessions[name].on_watch()
        for give in waiting:
            give()
        self.deliver()

    def _give(self, name: str, give: Callable[[], None]) -> None:
        """Hand a message to a session, or let it wait."""
        if name in self.frozen:
            self.frozen[name].append(give)
        elif name not in self.dead:
            give()

    def send(
        self, stamp: int, q: Sequence[float], v: Sequence[float], names: Sequence[str] | None = None
    ) -> None:
        """A joint state for all, and everything that follows from it."""
        message = JointState(name=list(names or self.names), position=list(map(float, q)))
        message.velocity = list(map(float, v))
        message.header.stamp = stamp_message(stamp)
        for name, session in self.sessions.items():
            info = message_info(self.time)
            self._give(name, partial(session.receive, message, info))
        self.deliver()

    def publish(self, topic: str, message: Any) -> None:
        """A message of somebody else."""
        for name, session in self.sessions.items():
            if topic in subscribed(session):
                self._give(name, partial(receive, session._node, topic, message))
        self.deliver()

    def deliver(self) -> None:
        """Until nobody has anything more to say."""
        while sum(self._deliver(name) for name in [*self.sessions]):
            pass

    def _deliver(self, name: str) -> bool:
        node, seen, new = self.sessions[name]._node, self._delivered[name], False
        for topic, messages in node.sent.items():
            first = seen.get(topic, 0)
            seen[topic] = len(messages)
            for message in messages[first:] if name not in self.dead else ():
                new = True
                full = topic.replace("~", topic_name(name))
                for other, session in self.sessions.items():
                    if full in subscribed(session):
                        self._give(other, partial(receive, session._node, full, message))
        return new

    def torques(self, stamp: int) -> dict[str, float]:
        """By joint, of all subsystems that have processed the state of this stamp."""
        efforts: dict[str, float] = {}
        for session in self.sessions.values():
            for message in session._node.sent["~/joint_torques"]:
                if stamp_nanoseconds(message.header.stamp) == stamp:
                    efforts |= dict(zip(message.name, message.effort, strict=True))
        return efforts

    def vector(self, stamp: int) -> np.ndarray:
        """The torques in the order of `names`; NaN where one is not known."""
        torques = self.torques(stamp)
        return np.array([torques.get(name, np.nan) for name in self.names])

    def errors(self, name: str) -> str:
        """What a node says of its neighbours in /diagnostics."""
        (status,) = [one for one in self.sessions[name].statuses() if one.name == "neighbours"]
        return status.message if status.level == 2 else ""


def subscribed(session: SubsystemSession) -> list[str]:
    """The topics to which a session subscribes."""
    return [call.args[1] for call in session._node.create_subscription.call_args_list]


def motion(bus, k):
    """A state of all joints."""
    numbers = np.random.default_rng(k)
    return numbers.uniform(-1.0, 1.0, len(bus.names)), numbers.normal(size=len(bus.names))


def step(bus, k, names=None):
    """The state k at its time, of all joints or of these; its stamp."""
    bus.set_time(1 + k * PERIOD)
    q, v = motion(bus, k)
    names = bus.names if names is None else names
    places = [bus.names.index(name) for name in names]
    bus.send(bus.time, q[places], v[places], names)
    return bus.time

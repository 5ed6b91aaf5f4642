"""What subsystem_node receives from its neighbours: motions, wrenches and descriptions."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import ConnectionMotion, SubsystemGraph

from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.subsystem.computation import SubsystemComputation
from modular_dynamics_ros.computation.subsystem.part import SubsystemPart
from modular_dynamics_ros.computation.subsystem.structure import SubsystemStructure, contradiction
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.lifecycle.entities import LATCHED
from modular_dynamics_ros.messages.geometry import wrench_from_message
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.messages.status import Status, status_of
from modular_dynamics_ros.messages.subsystems import connection_motion_from_message, structure_from_message
from modular_dynamics_ros.node.inputs import ReferenceInput, Subscriptions
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.topic_names import topic_name

VALID = 2.0  # [s] without a waiting joint state, after which no neighbour counts as missing

LOG_NAME = "neighbours"
DEPTH = 500  # messages that may wait: a second at 500 Hz
Receive = Callable[[int, str, Any], None]
"""Takes a stamp [ns], the neighbour, and the motion or the wrench."""


class NeighbourInputs(Subscriptions):
    """Receives motions from the predecessor and wrenches from the successors; refuses bad messages.

    Args:
        receive: takes each motion or wrench.

    Attributes:
        received: number of messages by neighbour. refused: number of messages by cause.
        other_descriptions: what to log of the predecessor while its motions belong to another description.
    """

    def __init__(self, node: SessionNode, computation: SubsystemComputation, receive: Receive) -> None:
        super().__init__(node)
        self._computation, self._receive = computation, receive
        self.received: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.other_descriptions: dict[str, str] = {}
        part = computation.part
        # when the last good message of each neighbour came [ns]
        self._heard = dict.fromkeys(part.neighbours, node.steady())
        # when a successor got the first motion that it has not processed [ns]
        self._asked: dict[str, int] = {}
        own = topic_name(part.name)
        if part.predecessor is not None:
            topic = f"{topic_name(part.predecessor)}/motion_out/{own}"
            self._subscribe(ConnectionMotion, topic, self._on_motion, DEPTH)
        for one in part.successors:
            take = partial(self._on_wrench, one.subsystem)
            self._subscribe(WrenchStamped, f"{topic_name(one.subsystem)}/wrench_out", take, DEPTH)

    def expect_wrenches(self, successors: Iterable[str]) -> None:
        """Expect answers to the motions of these successors' connection points, which are published now."""
        for one in successors:
            self._asked.setdefault(one, self._node.steady())

    def silence(self, neighbour: str) -> float:
        """Return for how long [s], while this node ran, no valid motion or wrench came from a neighbour.

        A successor is silent only since it was asked: without a motion it has no wrench.
        """
        since, now = self._heard[neighbour], self._node.steady()
        if neighbour != self._computation.part.predecessor:
            since = self._asked.get(neighbour, now)
        return (now - since) * 1e-9

    def _on_motion(self, message: ConnectionMotion, info: dict[str, Any]) -> None:
        """Take the motion of the connection point from the predecessor."""
        part, prefix, own = self._computation.part, self._computation.robot.frame_prefix, self._computation
        assert part.predecessor is not None  # it has subscribed

        def read() -> Any:
            return connection_motion_from_message(message, part.name, part.root, prefix, own.description)

        self._take(part.predecessor, "motion", message, read)

    def _on_wrench(self, subsystem: str, message: WrenchStamped, info: dict[str, Any]) -> None:
        """Take the wrench on a successor, converted to the link that carries it."""

        def read() -> Any:
            wrench = wrench_from_message(message)
            return self._computation.at_link(subsystem, message.header.frame_id, wrench)

        self._take(subsystem, "wrench", message, read)

    def _take(self, neighbour: str, what: str, message: Any, read: Callable[[], Any]) -> None:
        """Hand on what `read` returns of a message, or count and report why it is refused."""
        self.received[neighbour] += 1
        try:
            if not (stamp := stamp_nanoseconds(message.header.stamp)):
                raise BadMessage("no stamp", "it has no stamp, and so belongs to no joint state")
            value = read()
        except BadMessage as error:
            self.refused[error.cause] += 1
            text = f"{what} from '{neighbour}' refused: {error}"
            self._node.log.problem(LOG_NAME, f"{neighbour}: {error.cause}", text)
            if error.cause == "another robot":
                self.other_descriptions[neighbour] = text
            return
        self.other_descriptions.pop(neighbour, None)
        self._heard[neighbour] = self._node.steady()
        self._asked.pop(neighbour, None)
        self._receive(stamp, neighbour, value)


class NeighbourDescriptions(Subscriptions):
    """Compares the graphs of all other subsystems' nodes: any of their descriptions may name this subsystem.

    A foreign program publishes no graph, and is not compared.

    Args:
        part: the subsystem. graph: what this node publishes.
        fits: called when a compatible description has come, or a node without one has ended.

    Attributes:
        contradictions: what to log of the nodes with contradicting descriptions, by subsystem.
    """

    def __init__(
        self, node: SessionNode, part: SubsystemPart, graph: SubsystemGraph, fits: Callable[[], None]
    ) -> None:
        super().__init__(node)
        self._name, self._own, self._fits = part.name, structure_from_message(graph), fits
        self._structures: dict[str, SubsystemStructure] = {}
        self._awaited = {*part.neighbours}  # neighbours whose graph has not arrived
        self.contradictions: dict[str, str] = {}
        self._graphs = {
            other: self._subscribe(
                SubsystemGraph,
                f"{topic_name(other)}/subsystem_graph",
                partial(self._on_graph, other),
                LATCHED,
            )
            for other in self._own.predecessors
            if other != self._name
        }

    def continue_from(self, other: "NeighbourDescriptions") -> None:
        """Take over the graphs that another session has received; DDS does not send them again."""
        for name in other._structures.keys() & self._graphs.keys() - self._structures.keys():
            self._compare(name, other._structures[name])

    def unusable(self) -> dict[str, str]:
        """Return the nodes whose messages cannot be used, and why; also those without a graph yet."""
        coming = [name for name in self._awaited if self._graphs[name].get_publisher_count()]
        return self.contradictions | {
            name: f"the node of subsystem '{name}' runs, but its subsystem_graph has not come: nothing shows "
            "whether its robot description fits; no torques are published: is the node active?"
            for name in coming
        }

    def forget_ended(self) -> None:
        """Forget contradictions with nodes that have ended, as another program may replace them.

        Compatible graphs are kept: DDS takes a node for ended while its process is stopped, and does not send
        its graph again when it continues.
        """
        for name in [*self.contradictions]:
            if not self._graphs[name].get_publisher_count():
                del self._structures[name], self.contradictions[name]
                self._fits()

    def _on_graph(self, name: str, message: SubsystemGraph, info: dict[str, Any]) -> None:
        """Compare the description of another node with that of this one."""
        with self._refusing(LOG_NAME, f"subsystem_graph of '{name}'"):
            self._compare(name, structure_from_message(message))

    def _compare(self, name: str, structure: SubsystemStructure) -> None:
        """Store the structure of another node's robot, and whether it contradicts that of this one."""
        self._structures[name] = structure
        self._awaited.discard(name)
        if (clause := contradiction(self._name, self._own, name, structure)) is not None:
            self.contradictions[name] = (
                f"the robot descriptions of '{self._name}' and '{name}' contradict each other: {clause}; "
                "no torques are published: give the nodes of all subsystems the same description"
            )
            return
        self.contradictions.pop(name, None)
        self._fits()


class PartReferenceInput(ReferenceInput):
    """References of the whole robot: the nodes of all subsystems accept, and refuse, the same ones."""

    def __init__(self, node: SessionNode, computation: SubsystemComputation, reference_type: str) -> None:
        super().__init__(node, computation, reference_type)
        names, own = computation.part.robot_names, computation.robot.state_names
        self._names, self._columns = names, [names.index(name) for name in own]

    def _trajectory(
        self, message: Any, read: Callable[[Sequence[str]], ReferenceTrajectory]
    ) -> ReferenceTrajectory:
        """Return the trajectory as `ReferenceInput` does. Raises BadMessage: no stamp, as arrivals differ."""
        if not stamp_nanoseconds(message.header.stamp):
            text = "its stamp is zero, which means its arrival: that differs from node to node; stamp it"
            raise BadMessage("no stamp", text)
        trajectory = read(self._names)
        if not len(trajectory.instants):
            return trajectory
        own = {self._names[column] for column in self._columns}
        missing = tuple(name for name in trajectory.missing if name in own)
        return replace(trajectory, powers=trajectory.powers[:, :, self._columns].copy(), missing=missing)


class MissingNeighbours:
    """Reports neighbours without whose message joint states are rejected.

    They are missing until a joint state is processed or none come; in the log until one is processed: that no
    joint states come says nothing about neighbours.

    Attributes:
        names: of the missing neighbours.
    """

    def __init__(self, node: SessionNode, part: SubsystemPart) -> None:
        self._node, self._part = node, part
        self.names: tuple[str, ...] = ()
        self._silent: tuple[str, ...] = ()  # neighbours missing since the last answer
        self._unusable: Mapping[str, str] = {}
        self._patience, self._noted = 0.0, 0.0

    def note(self, names: Sequence[str], unusable: Mapping[str, str], patience: float, now: float) -> None:
        """Note neighbours that have not sent input for a joint state for `patience` [s]; `now`: see `report`.

        Without the motion from the predecessor successors get none, and cannot send wrenches.

        Args:
            unusable: nodes of which nothing counts, because of their descriptions, and what to say of them.
        """
        predecessor = self._part.predecessor
        to_blame = names if predecessor not in names else [predecessor]
        self.names = tuple(dict.fromkeys((*unusable, *to_blame)))
        self._silent, self._unusable = tuple(dict.fromkeys((*unusable, *names))), dict(unusable)
        self._patience, self._noted = patience, now

    def none_missing(self) -> None:
        """Note that a joint state was processed."""
        self.names = self._silent = ()

    def report(self, now: float) -> None:
        """Log the missing neighbours; `now`: of the monotonic clock [s]."""
        for name in self._silent:
            self._node.log.lasts(LOG_NAME, name)
        if now - self._noted > self._patience + VALID:
            self.names = ()
        for name in self.names:
            self._node.log.problem(LOG_NAME, name, self._text(name), severe=True)

    def _text(self, name: str) -> str:
        """Return what to log of a missing neighbour."""
        if name in self._unusable:
            return self._unusable[name]
        own, other = topic_name(self._part.name), topic_name(name)
        motion = name == self._part.predecessor
        topic = f"{other}/motion_out/{own}" if motion else f"{other}/wrench_out"
        return (
            f"no {'motion' if motion else 'wrench'} from subsystem '{name}': none with the stamp of a joint "
            f"state came on {topic} within {self._patience:g} s; no torques are published"
        )

    def status(self, received: Counter[str], refused: Counter[str]) -> Status:
        """Return the status for /diagnostics."""
        neighbours = self._part.neighbours
        values = {f"messages from {name}": str(received[name]) for name in neighbours}
        values |= {f"refused: {cause}": str(count) for cause, count in sorted(refused.items())}
        errors = [self._text(name) for name in self.names]
        warnings = [] if errors else self._node.log.texts(LOG_NAME)
        good = f"all neighbours send: {listed(neighbours, 20)}" if neighbours else "this subsystem has none"
        return status_of(LOG_NAME, good, values, errors, warnings)

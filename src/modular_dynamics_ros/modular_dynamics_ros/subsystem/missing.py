"""Which neighbours of a subsystem do not send awaited messages, and which of them are the cause."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from modular_dynamics_ros.computation.subsystem.part import SubsystemPart
from modular_dynamics_ros.exceptions import listed
from modular_dynamics_ros.messages.status import Status, status_of
from modular_dynamics_ros.node.session_node import SessionNode
from modular_dynamics_ros.node.topic_names import topic_name
from modular_dynamics_ros.subsystem.inputs import LOG_NAME

__all__ = ["MissingNeighbours"]

REPEAT = 0.1  # [s] from one report to the next
VALID = 2.0  # [s] without a waiting joint state, after which no neighbour counts as missing


class MissingNeighbours:
    """Neighbours without whose message a joint state was given up, until one is answered or none come.

    In the log they are missing until one is answered: that no joint states come shows nothing of neighbours.

    Args:
        awaited_by: the subsystems for which a neighbour waits itself.
        publish: takes the names of all that are missing, as far as is known.

    Attributes:
        names: of the neighbours.
    """

    def __init__(
        self,
        node: SessionNode,
        part: SubsystemPart,
        awaited_by: Callable[[str], list[str]],
        publish: Callable[[Iterable[str]], None],
    ) -> None:
        self._node, self._part = node, part
        self._awaited_by, self._publish = awaited_by, publish
        self.names: tuple[str, ...] = ()
        self._silent: tuple[str, ...] = ()  # neighbours missing since the last answer
        self._unusable: Mapping[str, str] = {}
        self._patience, self._next, self._noted = 0.0, 0.0, 0.0

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
        """Note that a joint state was answered."""
        self._silent = ()
        self._forget()

    def _forget(self) -> None:
        """Forget all missing neighbours."""
        if self.names:
            self.names = ()
            self._publish(())

    def report(self, now: float) -> None:
        """Log and publish the missing neighbours; `now`: of the monotonic clock [s]."""
        for name in self._silent:
            self._node.log.lasts(LOG_NAME, name)
        if now - self._noted > self._patience + VALID:
            self._forget()
        if not self.names or now < self._next:
            return
        self._next = now + REPEAT
        to_blame = dict[str, None]()
        for name in self.names:
            self._node.log.problem(LOG_NAME, name, self._text(name), severe=True)
            to_blame |= dict.fromkeys(self._awaited_by(name) or [name])
        self._publish(to_blame)

    def _text(self, name: str) -> str:
        if name in self._unusable:
            return self._unusable[name]
        own, other = topic_name(self._part.name), topic_name(name)
        motion = name == self._part.predecessor
        topic = f"{other}/motion_out/{own}" if motion else f"{other}/wrench_out"
        awaited = self._awaited_by(name)
        what = "motion" if motion else "wrench"
        waits = f", which waits for {listed(awaited)}" if awaited else ""
        return (
            f"no {what} from subsystem '{name}'{waits}: none with the stamp of a joint state came on {topic} "
            f"within {self._patience:g} s; no torques are published"
        )

    def status(self, received: "Counter[str]", refused: "Counter[str]") -> Status:
        """Return the status for /diagnostics."""
        neighbours = self._part.neighbours
        values = {f"messages from {name}": str(received[name]) for name in neighbours}
        values |= {f"refused: {cause}": str(count) for cause, count in sorted(refused.items())}
        errors = [self._text(name) for name in self.names]
        problems = self._node.log.texts(LOG_NAME)
        warnings = [] if errors else problems
        good = f"{listed(neighbours, 20)} send what is awaited" if neighbours else "this subsystem has none"
        return status_of(LOG_NAME, good, values, errors, warnings)

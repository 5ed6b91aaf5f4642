"""A node as its sessions see it: what outlives the robots of the node.

These are the record of joint states and their answers, and publishers and subscriptions, which a new robot
takes over from the old one. A publisher that is made anew is known to its
subscribers only after DDS has discovered it, and a subscription that is removed loses what is queued in it:
messages would be lost at every change of the robot.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from modular_dynamics_ros.computation.assembly_mode import CANNOT_CLOSE, SINGULAR
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.diagnostics.statuses import MessageCounts, closure_status, input_status
from modular_dynamics_ros.exceptions import BadMessage, listed
from modular_dynamics_ros.messages.status import Status

if TYPE_CHECKING:  # the command bag runs without ROS
    from builtin_interfaces.msg import Time


OUT_OF_ORDER = "older than the last result"  # cause of a BadMessage; usual with several publishers
OVERTAKEN = "overtaken by other joints"  # the same, where the newer joint state was not processed
NOTICEABLE = 0.1  # share of stale_after by which the clocks of publishers may differ without a warning
CLOCK_SILENT = 1_000_000_000  # [ns] a simulation that runs slowly sends /clock more often than that


class Clocks(Protocol):
    """The clocks of a node, and where it reports problems."""

    log: ChangeLog

    @property
    def simulated(self) -> bool:
        """Whether the node's clock is /clock."""

    def now(self) -> int:
        """Return the node's clock [ns]."""

    def steady(self) -> int:
        """Return a monotonic clock [ns]."""


class Stopwatch:
    """Measures the time since its start.

    By the monotonic clock, as system time may be set. With use_sim_time by /clock, and if that stands for
    a second, by the monotonic clock: a dead simulation must not look like one that has just processed.
    """

    def __init__(self, node: Clocks) -> None:
        self._node = node
        self.start(node.now())

    def start(self, now: int) -> None:
        """Start again at `now` [ns] of the node's clock."""
        self._started, self._started_steady = now, self._node.steady()
        self._clock, self._moved = self._started, self._started_steady  # /clock, and when it moved last

    def seconds(self) -> float:
        """Return the time since the start [s]."""
        steady = self._node.steady()
        if not self._node.simulated:
            return (steady - self._started_steady) * 1e-9
        now = self._node.now()
        if now < self._clock:  # a simulation that starts again
            self._started = now
        if now != self._clock:
            self._clock, self._moved = now, steady
        silent = steady - self._moved
        return max(now - self._started, silent if silent > CLOCK_SILENT else 0) * 1e-9


class AnswerRecord:
    """Counts and reports joint states and answers since activation, whichever robot they were of.

    Args:
        stale_after: the parameter [s], which may change at run time.

    Attributes:
        counts: of messages. last: the last answer that was published. missing: joints without a
        value within stale_after, as of the last joint state that was read. clock: what stamps are compared
        with, and what to do where they are far from it, for a sentence; empty: the node's clock.
    """

    last: Answer | None = None
    missing: tuple[str, ...] = ()
    clock = ""

    def __init__(self, node: Clocks, stale_after: Callable[[], float]) -> None:
        self._node, self._stale_after, self.counts = node, stale_after, MessageCounts()
        self._has_received = False  # a joint state since activation
        self._unprocessed = Stopwatch(node)

    def require_fresh(
        self, stamp: int, now: int, arrival: int | None = None, delay: str = "this node was busy"
    ) -> None:
        """Raise BadMessage unless the state is fresh.

        Args:
            arrival: of the message [ns of the system]; None: not known.
            delay: what has taken long where it came in time.

        Raises:
            BadMessage: it is older than stale_after, or as far ahead, or there is no clock.
        """
        if not self._has_received:
            self._has_received = True
            self._unprocessed.start(now)
        if self._is_fresh(stamp, now):
            self.counts.input_age = (now - stamp) * 1e-9
            return
        if now == 0 and self._node.simulated:
            raise BadMessage("no clock", "use_sim_time is set, and nothing has come on /clock yet")
        age, stale_after = (now - stamp) * 1e-9, self._stale_after()
        self.counts.input_age = age
        cause, where = ("too old", "behind") if age > 0.0 else ("ahead of the clock", "ahead of")
        # the clock of arrivals is that of stamps, unless a simulation's is
        in_time = arrival is not None and not self._node.simulated and self._is_fresh(stamp, arrival)
        if in_time and age > 0.0:
            text = f"it came in time, but {delay} for longer than {stale_after:g} s (stale_after)"
            raise BadMessage(cause, text)
        advice = "leave use_sim_time off" if self._node.simulated else "set use_sim_time for a recording"
        clock = self.clock or f"this node's clock: synchronise the clocks of the computers, or {advice}"
        raise BadMessage(cause, f"the stamp is more than {stale_after:g} s (stale_after) {where} {clock}")

    def _is_fresh(self, stamp: int, now: int) -> bool:
        """Return whether a state with this stamp [ns] may be processed `now`."""
        fresh = abs((now - stamp) * 1e-9) <= self._stale_after()
        return fresh and not (now == 0 and self._node.simulated)

    def require_order(self, stamp: int, now: int) -> None:
        """Raise BadMessage for a stamp [ns] before that of the last answer, unless the clock was set back."""
        last = self.counts.last_stamp
        if last is None or stamp >= last:
            return
        ahead, stale_after = (last - now) * 1e-9, self._stale_after()
        if ahead <= NOTICEABLE * stale_after:
            raise BadMessage(OUT_OF_ORDER, "a newer joint state was processed already")
        if ahead <= stale_after:
            raise BadMessage(
                "overtaken from ahead",
                "a joint state whose stamp is ahead of this node's clock was processed before it: "
                "synchronise the clocks of all publishers of joint states",
            )

    def processed(self, answer: Answer, arrival: int, now: int, tolerance: float = 0.0) -> None:
        """Record an answer published now [ns, node's clock].

        Args:
            arrival: of its state [ns of the system]. tolerance: see `ComputationSettings.closure_tolerance`.
        """
        self.last, self.missing = answer, ()
        counts = self.counts
        counts.last_stamp = answer.state.stamp
        self._unprocessed.start(now)
        counts.processed += 1
        counts.latencies.append((arrival, time.time_ns() - arrival))
        # only loops have assembly modes, and joints that disagree
        counts.closed_anew += not answer.configuration.continues_last
        if disagreements := answer.configuration.disagreements:
            self._node.log.problem(
                "passive joints",
                "disagree",
                f"measured {listed(list(disagreements))}: more than {tolerance:g} rad or m "
                "(closure_tolerance) from the position that closes the loops, which is used instead",
            )

    def rejected(self, error: BadMessage) -> None:
        """Count a joint state that cannot be processed, and log why."""
        self.counts.rejected[error.cause] += 1
        if error.cause in (OUT_OF_ORDER, OVERTAKEN):
            return
        closing = error.cause in (CANNOT_CLOSE, SINGULAR)
        where = "closure" if closing else "joint_states"
        self._node.log.problem(where, error.cause, f"not processed: {error}", severe=closing)

    def unanswerable(self, error: BadMessage) -> None:
        """Count a joint state that reached no session, and log why."""
        self.counts.received += 1
        self.rejected(error)

    def stale(self, publishing: str) -> None:
        """Log that input is stale; `publishing`: what is published meanwhile."""
        text = f"no joint state was processed for {self._stale_after():g} s{self._reason()}"
        self._node.log.problem("stale input", "stale", f"{text}; publishing {publishing}")

    def still_stale(self) -> None:
        """Note that input is stale, for a reason that is logged elsewhere."""
        self._node.log.lasts("stale input", "stale")

    def _reason(self) -> str:
        return f": no position of {listed(self.missing)} in that time" if self.missing else ""

    def overdue(self) -> float | None:
        """Return for how long [s] input has been stale; None if it is fresh, or before the first state."""
        age, stale_after = self._age(), self._stale_after()
        return None if age is None or age <= stale_after else age - stale_after

    def _age(self) -> float | None:
        """Return the seconds since the last answer, or since the first state; None before both."""
        return self._unprocessed.seconds() if self._has_received else None

    @property
    def last_if_fresh(self) -> Answer | None:
        """Return the last answer while the input is not stale."""
        return self.last if self.overdue() is None else None

    def status(self, *elsewhere: str) -> Status:
        """Return the status of joint states with all problems, except those that other statuses report."""
        problems, age = self._node.log.current("stale input", *elsewhere), self._age()
        stale = ""
        if age is not None and self.overdue() is not None:
            stale = f"joint states are stale: none was processed for {age:.2f} s{self._reason()}"
        return input_status(self.counts, problems, age, stale)

    def closure_status(self, answer: Answer | None) -> Status:
        """Return the status of closed loops at an answer."""
        texts = self._node.log.texts
        return closure_status(answer, self.counts.closed_anew, texts("closure"), texts("passive joints"))


class SessionNode(Clocks, Protocol):
    """What a session needs of its node, besides what rclpy's nodes have.

    Attributes:
        record: what became of the joint states since activation.
    """

    record: AnswerRecord

    def __getattr__(self, name: str) -> Any: ...

    def stamp(self) -> "Time":
        """Return the node's clock as a stamp."""


@dataclass(eq=False)
class SharedSubscription:
    """A subscription as one of its sessions uses it."""

    topic: str
    entity: Any
    callback: Callable[..., None]

    def get_publisher_count(self) -> int:
        """Return how many publishers the topic has."""
        return int(self.entity.get_publisher_count())


class SharedEntities:
    """The `SessionNode` of all sessions of a node; they share one publisher or subscription per topic.

    Args:
        node: has all attributes that are not defined here. stale_after: see `AnswerRecord`.
    """

    def __init__(self, node: Any, stale_after: Callable[[], float]) -> None:
        self._node, self._stale_after = node, stale_after
        self._publishers: dict[str, Any] = {}
        self._users = Counter[str]()  # of each publisher
        self._subscriptions: dict[str, list[SharedSubscription]] = {}  # the last one gets the messages
        self.begin()

    def begin(self) -> None:
        """Forget all joint states: the node is activated."""
        self.record = AnswerRecord(self._node, self._stale_after)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the node."""
        return getattr(self._node, name)

    def create_lifecycle_publisher(self, kind: type, topic: str, qos: Any, **options: Any) -> Any:
        """Return the topic's publisher, created if no session has it yet."""
        if topic not in self._publishers:
            self._publishers[topic] = self._node.create_lifecycle_publisher(kind, topic, qos, **options)
        self._users[topic] += 1
        return self._publishers[topic]

    def destroy_lifecycle_publisher(self, publisher: Any) -> bool:
        """Remove the publisher if no other session uses it."""
        topic = next(topic for topic, one in self._publishers.items() if one is publisher)
        self._users[topic] -= 1
        if self._users[topic]:
            return True
        del self._publishers[topic]
        return bool(self._node.destroy_lifecycle_publisher(publisher))

    def create_subscription(
        self, kind: type, topic: str, callback: Callable[..., None], qos: Any, **options: Any
    ) -> SharedSubscription:
        """Return the topic's subscription, which passes messages and info to this callback from now on."""
        uses = self._subscriptions.get(topic, [])

        def receive(message: Any, info: dict[str, Any]) -> None:
            uses[-1].callback(message, info)

        make = self._node.create_subscription
        entity = uses[-1].entity if uses else make(kind, topic, receive, qos, **options)
        uses.append(SharedSubscription(topic, entity, callback))
        self._subscriptions[topic] = uses
        return uses[-1]

    def destroy_subscription(self, use: SharedSubscription) -> bool:
        """Pass messages to the session before again; remove the subscription if there is none."""
        uses = self._subscriptions[use.topic]
        uses.remove(use)
        if uses:
            return True
        del self._subscriptions[use.topic]
        return bool(self._node.destroy_subscription(use.entity))

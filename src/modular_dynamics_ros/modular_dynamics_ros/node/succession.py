"""The robots of a node, one after the other, and which of them each joint state belongs to.

A description may have a stamp (attribute of <modular_dynamics>): the robot is so from that instant on. A
joint state may name its description in header.frame_id (`description_frame`). Then topics may deliver them in
any order: a joint state waits for its description, and a robot that was replaced answers those that are late.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from sensor_msgs.msg import JointState

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.lifecycle.node import STEADY_CLOCK
from modular_dynamics_ros.messages.stamps import description_of, stamp_nanoseconds
from modular_dynamics_ros.node.interfaces import Session, SessionNode
from modular_dynamics_ros.node.subscriptions import Subscriptions
from modular_dynamics_ros.node.topics import JOINT_STATES

__all__ = ["Succession"]

MOST_ROBOTS = 32  # that were replaced and may still answer: changes may come faster than their time runs out
MOST_REFUSED = 32  # stamps of descriptions that are remembered
MOST_HELD = JOINT_STATES.depth  # joint states that wait for their description
LOOK_PERIOD = 0.02  # [s] from one look for those that waited in vain to the next


class _Robot(NamedTuple):
    """A robot in force from its description's stamp on [ns]; None: the description has none."""

    session: Session[Any]
    stamp: int | None


class _Held(NamedTuple):
    """A joint state that waits for its description until a time of the steady clock [s]."""

    message: JointState
    info: dict[str, Any]
    until: float


class Succession:
    """Hands each joint state to the robot that it belongs to.

    Args:
        patience: for how long [s] a joint state waits for its description, and a replaced robot is kept.
    """

    def __init__(self, node: SessionNode, patience: Callable[[], float]) -> None:
        self._node, self._patience = node, patience
        self._robots: list[_Robot] = []
        self._ends: deque[float] = deque()  # of all but the newest robot: until when they are kept [s]
        self._refused: deque[int] = deque(maxlen=MOST_REFUSED)
        self._held: deque[_Held] = deque()
        self._subscription: Subscriptions | None = None
        self._active = False
        self._timer: Any = None

    @property
    def current(self) -> Session[Any] | None:
        """The robot in force."""
        return self._robots[-1].session if self._robots else None

    @property
    def stamp(self) -> int | None:
        """Since when the robot in force is valid [ns]; None where its description does not say."""
        return self._robots[-1].stamp if self._robots else None

    def add(self, session: Session[Any], stamp: int | None) -> None:
        """A new robot; while the node is active, the one before answers what still belongs to it."""
        before = self.current
        self._robots.append(_Robot(session, stamp))
        if self._active:
            self._begin(None)
        if before is not None and self._active:
            session.continue_from(before)
            before.retire()
            self._ends.append(time.monotonic() + self._patience())
        elif before is not None:
            self._remove_oldest()
        self.tidy()
        self._deliver_held()

    def refuse(self, stamp: int | None) -> None:
        """A description with this stamp was refused: its joint states are not answered."""
        if stamp is not None:
            self._refused.append(stamp)
            self._deliver_held()

    def activate(self, state: Any) -> None:
        """Take joint states from now on, or as soon as there is a robot."""
        self._active = True
        if self._robots:
            self._begin(state)

    def _begin(self, state: Any) -> None:
        """Activate the newest robot. Its own subscriptions come first.

        So a waiting reference is read before a waiting joint state, and a player that waits for subscribers
        finds all of them.
        """
        self._robots[-1].session.activate(state)
        if self._subscription is None:
            self._subscription = _JointStates(self._node, self._deliver)

    def deactivate(self) -> None:
        """Take no more messages; keep only the robot in force."""
        if self._subscription is not None:
            self._subscription.destroy()
        self._subscription, self._active = None, False
        self._held.clear()
        self._watch()
        while len(self._robots) > 1:
            self._remove_oldest()
        self._ends.clear()
        if self.current is not None:
            self.current.deactivate()

    def destroy(self) -> None:
        """Deactivate, and forget all robots."""
        self.deactivate()
        self._refused.clear()
        if self._robots:
            self._remove_oldest()

    def tidy(self) -> None:
        """Remove robots that were replaced long ago."""
        now = time.monotonic()
        while self._ends and (self._ends[0] < now or len(self._ends) > MOST_ROBOTS):
            self._ends.popleft()
            self._remove_oldest()

    def _remove_oldest(self) -> None:
        self._robots.pop(0).session.destroy()

    def _deliver(self, message: JointState, info: dict[str, Any], until: float | None = None) -> None:
        if self._ends:
            self.tidy()
        if not self._robots:
            return
        try:
            session = self._owner(message)
        except BadMessage as error:
            self._robots[-1].session.reject(error)
            return
        if session is not None:
            session.receive(message, info)
            return
        self._held.append(_Held(message, info, until or time.monotonic() + self._patience()))
        if len(self._held) > MOST_HELD:
            self._give_up(self._held.popleft())
        self._watch()

    def _owner(self, message: JointState) -> Session[Any] | None:
        """Whose state it is; None: of a robot whose description has not arrived.

        Raises:
            BadMessage: of one that is in force no more, or was refused.
        """
        newest = self._robots[-1]
        if newest.stamp is None:
            # times say nothing: a robot that was replaced gets what the new one cannot use
            if len(self._robots) == 1:
                return newest.session
            fitting = [one for one in self._robots if one.session.fits(message.name)]
            return fitting[-1].session if fitting else newest.session
        if (described := description_of(message.header.frame_id)) is not None:
            return self._named(described, newest.stamp)
        stamp = stamp_nanoseconds(message.header.stamp) or self._node.now()
        for robot in reversed(self._robots):
            if (robot.stamp or 0) <= stamp:
                waits = robot is newest and not robot.session.fits(message.name)
                return None if waits else robot.session
        text = f"its stamp is {(newest.stamp - stamp) * 1e-9:.3f} s older than the robot's description"
        raise BadMessage("older than the robot", text)

    def _named(self, described: int, newest: int) -> Session[Any] | None:
        if named := [robot.session for robot in self._robots if robot.stamp == described]:
            return named[-1]
        if described in self._refused:
            raise BadMessage("robot refused", "it belongs to a robot whose description was refused")
        if described > newest:
            return None
        text = f"it belongs to a robot that was replaced more than {self._patience():g} s ago"
        raise BadMessage("robot replaced", text)

    def _deliver_held(self) -> None:
        """After a new description: joint states that wait find their robot, or go on waiting."""
        held, self._held = self._held, deque()
        for one in held:
            self._deliver(*one)
        self._watch()

    def _give_up(self, held: _Held) -> None:
        """A joint state has waited in vain."""
        if description_of(held.message.header.frame_id) is None:
            self._robots[-1].session.receive(held.message, held.info)  # says which joints are missing
            return
        text = f"the description of its robot did not arrive within {self._patience():g} s"
        self._robots[-1].session.reject(BadMessage("no description", text))

    def _on_look(self) -> None:
        now = time.monotonic()
        while self._held and self._held[0].until < now:
            self._give_up(self._held.popleft())
        self._watch()

    def _watch(self) -> None:
        """Look for states that waited in vain as long as some wait."""
        if self._held and self._timer is None:
            self._timer = self._node.create_timer(LOOK_PERIOD, self._on_look, clock=STEADY_CLOCK)
        elif not self._held and self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None


class _JointStates(Subscriptions):
    """To joint_states, from activation to deactivation."""

    def __init__(self, node: SessionNode, deliver: Callable[[JointState, dict[str, Any]], None]) -> None:
        super().__init__(node)
        self._subscribe_with_queued(JointState, "joint_states", deliver, JOINT_STATES)

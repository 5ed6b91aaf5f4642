"""The robots of a node, one after the other, and which of them each joint state belongs to.

A description may have a stamp (attribute of <modular_dynamics>): the robot is so from that instant on. A
joint state may name its description in header.frame_id (`description_frame`). Then topics may deliver them in
any order: a joint state waits for its description, and a robot that was replaced answers those that are late.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from sensor_msgs.msg import JointState

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import description_of, stamp_message, stamp_seconds
from modular_dynamics_ros.node.interfaces import Session, SessionNode
from modular_dynamics_ros.node.joint_states.arrivals import JointStateArrivals
from modular_dynamics_ros.node.joint_states.robot_version import RobotVersion, Vacancy
from modular_dynamics_ros.node.joint_states.state_stamp import state_stamp
from modular_dynamics_ros.node.joint_states.waiting_states import WaitingState, WaitingStates

__all__ = ["Succession"]

FAR = 2**63  # [ns] later than any stamp
MOST_ROBOTS = 32  # that were replaced and may still answer: changes may come faster than their time runs out


class Succession:
    """Hands each joint state to the robot that it belongs to.

    Args:
        patience: for how long [s] a joint state waits for its description, and a replaced robot is kept.
        awaits: whether a description has arrived that is not in force yet and valid since a stamp [ns] after
            the first argument and up to the second.
    """

    def __init__(
        self,
        node: SessionNode,
        patience: Callable[[], float],
        awaits: Callable[[int, int], bool] = lambda after, until: False,
    ) -> None:
        self._node, self._patience, self._awaits = node, patience, awaits
        self._robots: list[RobotVersion] = []
        self._last: Session[Any] | None = None  # newest session, which counts states that no robot can answer
        self._ends: deque[float] = deque()  # times [s] until which replaced robots are kept
        self._waiting = WaitingStates(node, patience, self._give_up)
        self._preparing = False  # some wait because their robot is being prepared
        self._arrivals: JointStateArrivals | None = None
        self._active = False

    @property
    def current(self) -> Session[Any] | None:
        """The active robot; None if there is none or its joint states cannot be answered."""
        return newest.session if (newest := self._newest) is not None else None

    @property
    def vacancy(self) -> Vacancy | None:
        """Why joint states of the active robot cannot be answered; None if they can."""
        return newest.vacancy if (newest := self._newest) is not None else None

    @property
    def stamp(self) -> int | None:
        """Stamp [ns] from which the active robot is valid; None if its description does not say."""
        return newest.stamp if (newest := self._newest) is not None else None

    @property
    def _newest(self) -> RobotVersion | None:
        """Return the newest of all robots. Thread-safe: services call it while the node may remove them."""
        newest = self._robots[-1:]
        return newest[0] if newest else None

    @property
    def lost(self) -> int | None:
        """Number of joint states sent but not received; None if it is unknown."""
        return 0 if self._arrivals is None else self._arrivals.lost

    def add(self, session: Session[Any], name: str, stamp: int | None) -> None:
        """Add a new robot; while the node is active, the robot before answers its remaining states."""
        self._append(RobotVersion(name, stamp, session, described=stamp))

    def add_changed(self, session: Session[Any], stamp: int) -> None:
        """Add the changed active robot, valid from a stamp [ns]: see `change_stamp`."""
        newest = self._look_at_clock()
        self._append(RobotVersion(newest.name, stamp, session, described=newest.described))

    def add_vacant(self, name: str, stamp: int, vacancy: Vacancy) -> None:
        """Add a new robot whose joint states cannot be answered; the robot before is no longer active."""
        self._append(RobotVersion(name, stamp, None, vacancy, stamp))

    def _append(self, robot: RobotVersion) -> None:
        before = self._robots[-1] if self._robots else None
        self._robots.append(robot)
        if robot.session is not None:
            if self._active:
                self._begin(None)
                if self._last is not None:
                    robot.session.continue_from(self._last)
            self._last = robot.session
        if before is not None and self._active:
            if before.session is not None:
                self._retire(before.session)
            ahead = max(0, (robot.stamp or 0) - self._node.now()) * 1e-9
            self._ends.append(time.monotonic() + self._patience() + ahead)
        elif before is not None:
            self._remove_oldest()
        self.tidy()
        self._deliver_waiting()

    def _retire(self, session: Session[Any]) -> None:
        """Retire a session, and log what it raises while it answers waiting states."""
        try:
            session.retire()
        except Exception as error:
            self._node.log.skipped("joint_states", error)

    def activate(self, state: Any) -> None:
        """Take joint states from now on, or as soon as there is a robot."""
        self._active = True
        if self.current is not None:
            self._begin(state)

    def _begin(self, state: Any) -> None:
        """Activate the newest robot. Its own subscriptions come first.

        So a waiting reference is read before a waiting joint state, and a player that waits for subscribers
        finds all of them.
        """
        session = self._robots[-1].session
        assert session is not None  # both callers have checked
        session.activate(state)
        if self._arrivals is None:
            self._arrivals = JointStateArrivals(self._node, self)

    def deactivate(self) -> None:
        """Take no more messages; keep only the active robot."""
        if self._arrivals is not None:
            self._arrivals.destroy()
        self._arrivals, self._active = None, False
        self._waiting.clear()
        while len(self._robots) > 1:
            self._remove_oldest()
        self._ends.clear()
        if self.current is not None:
            self.current.deactivate()

    def destroy(self) -> None:
        """Deactivate, and forget all robots."""
        self.deactivate()
        if self._robots:
            self._remove_oldest()
        self._last = None

    def tidy(self) -> None:
        """Remove robots that were replaced long ago."""
        now = time.monotonic()
        while self._ends and (self._ends[0] < now or len(self._ends) > MOST_ROBOTS):
            self._ends.popleft()
            self._remove_oldest()

    def _remove_oldest(self) -> None:
        session = self._robots.pop(0).session
        if session is not None:
            session.destroy()

    def answer(self, data: bytes, info: dict[str, Any]) -> bool:
        """Answer as `Session.answer`; False also if the state may belong to another robot."""
        only = self._robots[0]
        if len(self._robots) > 1 or only.session is None:
            return False
        if only.described is not None and (self._preparing or self._awaits(only.described, FAR)):
            return False
        return only.session.answer(data, info, only.stamp or 0)

    def deliver(self, message: JointState, info: dict[str, Any], until: float | None = None) -> None:
        """Give a joint state to its robot, or let it wait, until a time [s] at most."""
        if self._ends:
            self.tidy()
        try:
            session = self._owner(message, info)
        except BadMessage as error:
            self.reject(error)
            return
        if session is None:
            # of one without a stamp the arrival counts, not the delivery
            message.header.stamp = stamp_message(state_stamp(message, info, self._node))
            self._waiting.add(message, info, until)
        else:
            session.receive(message, info)

    def _look_at_clock(self) -> RobotVersion:
        """Return the newest robot, with its stamp corrected after a clock reset: see `RobotVersion.at`."""
        newest = self._robots[-1] = self._robots[-1].at(self._node.now, self._patience())
        return newest

    def reject(self, error: BadMessage) -> None:
        """Count and report a joint state that no robot can answer."""
        if self._last is not None:
            self._last.reject(error)

    def _owner(self, message: JointState, info: dict[str, Any]) -> Session[Any] | None:
        """Return the session of a state; None if its description has not arrived.

        Raises:
            BadMessage: its robot is no longer active, or cannot be answered.
        """
        newest = self._look_at_clock()
        if (described := description_of(message.header.frame_id)) is not None:
            return self._named(*described, state_stamp(message, info, self._node))
        if newest.stamp is None:
            if len(self._robots) == 1:
                return newest.session
            # times say nothing: a robot that was replaced gets what the new one cannot use
            sessions = [robot.session for robot in self._robots if robot.session is not None]
            fitting = [one for one in sessions if one.fits(message.name)] if len(sessions) > 1 else []
            return fitting[-1] if fitting else newest.session
        stamp = state_stamp(message, info, self._node)
        # a state without a stamp belongs to no description's time: none is awaited
        if newest.described is not None and (
            self._preparing or (stamp >= newest.stamp and self._awaits(newest.stamp, stamp))
        ):
            self._preparing = True  # keeps the order of joint states
            return None
        for robot in reversed(self._robots):
            if (robot.stamp or 0) <= stamp:
                session: Session[Any] = robot.answering
                if robot is not newest or newest.described is None:
                    return session
                known = session.fits(message.name) or session.knows(message.name)
                return session if known else None  # other joints belong to a description that has not arrived
        since = "last change" if newest.changed else "description"
        text = f"its stamp is {(newest.stamp - stamp) * 1e-9:.3f} s older than the robot's {since}"
        raise BadMessage("older than the robot", text)

    def _named(self, name: str, stamp: int, sent: int) -> Session[Any] | None:
        """Return the robot that a joint state names by its description, as it was at its stamp [ns]."""
        alike = [robot for robot in self._robots if robot.described == stamp]
        if named := [robot for robot in alike if robot.name == name]:
            if then := [robot for robot in named if robot.stamp == stamp or (robot.stamp or 0) <= sent]:
                return then[-1].answering
            raise BadMessage("older than the robot", "the robot that it names was changed since then")
        if alike:
            text = f"it names '{name[:60]}', but the description with that stamp is of '{alike[-1].name}'"
            raise BadMessage("another robot", text)
        described = [robot.described for robot in self._robots if robot.described is not None]
        if self._robots[-1].described is None or stamp > max(described):
            return None
        text = f"it belongs to a robot that was replaced more than {self._patience():g} s ago"
        raise BadMessage("robot replaced", text)

    def _deliver_waiting(self) -> None:
        """Deliver waiting joint states to the robot of a new description; the others go on waiting."""
        self._preparing = False
        self._waiting.deliver(lambda one: self.deliver(one.message, one.info, one.until))

    def look_again(self) -> None:
        """Call when `awaits` may have changed."""
        if self._preparing:
            self._deliver_waiting()

    def _give_up(self, one: WaitingState) -> None:
        """Reject a joint state that has timed out."""
        named, session = description_of(one.message.header.frame_id), self._robots[-1].session
        stamp = state_stamp(one.message, one.info, self._node)
        if named is None and session is not None and not self._awaits(self.stamp or 0, stamp):
            session.receive(one.message, one.info)  # reports which joints are missing
            return
        which = "its robot" if named is None else f"'{named[0][:60]}' since {stamp_seconds(named[1])}"
        text = f"the description of {which} did not arrive within {self._patience():g} s"
        self.reject(BadMessage("no description", text))

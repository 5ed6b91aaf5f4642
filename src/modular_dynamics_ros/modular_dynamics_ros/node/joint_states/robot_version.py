"""A version of a node's robot, made by a description or a change, and its first stamp."""

from collections.abc import Callable
from typing import Any, NamedTuple

from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.node.interfaces import Session
from modular_dynamics_ros.node.joint_states.change_stamp import is_far_ahead

__all__ = ["RobotVersion", "Vacancy"]


class Vacancy(NamedTuple):
    """Why the joint states of a robot cannot be answered, and whether that is no fault."""

    why: str
    usual: bool


class RobotVersion(NamedTuple):
    """A robot that is active from a stamp on [ns]; None: the description has none.

    `described`: stamp of its description, which is the same where the robot was not changed since then.
    """

    name: str
    stamp: int | None
    session: Session[Any] | None
    vacancy: Vacancy | None = None  # where there is no session
    described: int | None = None

    @property
    def changed(self) -> bool:
        """Whether its stamp is that of a change."""
        return self.stamp != self.described

    def at(self, now: Callable[[], int], stale_after: float) -> "RobotVersion":
        """Return this version by the clock `now` [ns], which is read only if needed.

        A change from before that clock was set back counts since the description: its stamp says nothing any
        more, also once the clock is there again.

        Args:
            stale_after: see `is_far_ahead`.
        """
        if self.stamp is None or not self.changed or not is_far_ahead(self.stamp, now(), stale_after):
            return self
        return self._replace(stamp=self.described or 0)

    @property
    def answering(self) -> Session[Any]:
        """The session that answers.

        Raises:
            BadMessage: its joint states cannot be answered.
        """
        if self.session is None:
            why = self.vacancy.why if self.vacancy else ""
            raise BadMessage("robot refused", f"it belongs to a robot that cannot be answered: {why}")
        return self.session

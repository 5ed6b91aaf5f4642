"""Compares what controllers take, effort_commands and its stamped twin, with the torques of joint_torques."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from robustness.harness.tally import Tally

__all__ = ["Commands"]

KEPT = 2000  # messages of each topic, which may reach this process in any order
#: Of commands without a stamp, those that were never published as torques: some of either may be lost.
MOST_UNKNOWN = 0.2

Numbers = tuple[float, ...]


class Commands:
    """Commands are the torques of the answer with their stamp; the others' numbers are those of some answer.

    Whether the torques themselves are right is the judge's matter.

    Attributes:
        compared: commands with a stamp that had torques to be compared with.
        lossy: messages of both topics are lost, as in a flood: which torques commands without a stamp are
        cannot be known.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self.compared, self.lossy = 0, False
        self._torques: OrderedDict[int, dict[str, float]] = OrderedDict()
        self._commands: OrderedDict[int, dict[str, float]] = OrderedDict()
        self._efforts: OrderedDict[Numbers, None] = OrderedDict()
        self._unstamped: list[Numbers] = []
        self._count = 0

    def on_torques(self, message: JointState) -> None:
        """A message of joint_torques, whatever the judge says of it."""
        stamp, torques = _named(message)
        self._keep(self._torques, stamp, torques)
        self._keep(self._efforts, tuple(message.effort), None)
        if stamp in self._commands:
            self._compare(stamp, torques, self._commands.pop(stamp))

    def on_stamped(self, message: JointState, info: dict[str, Any] | None = None) -> None:
        """A message of stamped_effort_commands."""
        stamp, commands = _named(message)
        if stamp in self._torques:
            self._compare(stamp, self._torques[stamp], commands)
        else:
            self._keep(self._commands, stamp, commands)

    def on_unstamped(self, message: Float64MultiArray) -> None:
        """A message of effort_commands."""
        self._count += 1
        self._unstamped.append(tuple(message.data))
        self._forget_known()

    def finish(self) -> None:
        """Once no more messages come: there were commands, and most without a stamp were torques."""
        self._forget_known(all_of_them=True)
        if len(self._torques) > 50 and not (self.compared and self._count):
            self._tally.found_wrong("torques were published, but no commands")
        unknown = len(self._unstamped)
        if unknown > MOST_UNKNOWN * self._count and not self.lossy:
            text = f"{unknown} of {self._count} effort_commands are not the torques of any answer"
            self._tally.found_wrong(text, str(self._unstamped[:3]))
        self._unstamped, self._count, self.compared = [], 0, 0
        self._torques.clear()  # a process that is started next may publish nothing

    def _forget_known(self, all_of_them: bool = False) -> None:
        if all_of_them or len(self._unstamped) > KEPT // 4:
            self._unstamped = [one for one in self._unstamped if one not in self._efforts]

    def _compare(self, stamp: int, torques: dict[str, float], commands: dict[str, float]) -> None:
        self.compared += 1
        if commands != torques:
            text = f"stamped_effort_commands at {stamp} are not the torques with this stamp"
            self._tally.found_wrong(text, f"{text}\n{torques}\n{commands}")

    @staticmethod
    def _keep(where: "OrderedDict[Any, Any]", key: int | Sequence[float], value: Any) -> None:
        where[key] = value
        if len(where) > KEPT:
            where.popitem(last=False)


def _named(message: JointState) -> tuple[int, dict[str, float]]:
    return stamp_nanoseconds(message.header.stamp), dict(zip(message.name, message.effort, strict=True))

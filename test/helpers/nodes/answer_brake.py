"""A publisher of joint states that waits for a node which has less of the machine than it needs."""

import time
from collections.abc import Sequence

from sensor_msgs.msg import JointState

from modular_dynamics_ros.lifecycle.entities import ANSWER_DEPTH
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

MOST_AHEAD = ANSWER_DEPTH - 20  # states that are not answered yet: no queue on the way holds fewer
PATIENCE = 30.0  # [s] for a late answer
LOOK = 0.002  # [s]


class AnswerBrake:
    """Holds a publisher back before a queue overflows; another thread hears the answers."""

    def __init__(self) -> None:
        self._newest: int | None = None  # stamp of the last answer [ns]: they never go back

    def hear(self, message: JointState) -> None:
        """Take an answer."""
        self._newest = stamp_nanoseconds(message.header.stamp)

    def hold(self, sent: Sequence[int]) -> None:
        """Return when few enough of the stamps that were sent wait for their answer, or none was answered."""
        deadline = time.monotonic() + PATIENCE
        while self._newest and sent[-MOST_AHEAD:][0] > self._newest and time.monotonic() < deadline:
            time.sleep(LOOK)

"""What the log calls resolved: a lost neighbour and stale input are, once a joint state is answered."""

from unittest.mock import MagicMock

import pytest

from helpers.nodes.subsystem_bus import SubsystemBus, step
from helpers.paths import ROBOTS
from modular_dynamics_ros.diagnostics.change_log import ChangeLog

pytestmark = pytest.mark.ros
STALE_INPUT = "stale input: no joint state was answered for 0.2 s; publishing nothing"


@pytest.fixture
def bus():
    return SubsystemBus(str(ROBOTS / "charmie.urdf"))


class Log:
    """The log of one session, by the clock of the bus. `looked`: when it last looked what is resolved [s]."""

    def __init__(self, bus, name):
        self._bus, self.lines, self.looked = bus, [], 0.0
        node = bus.sessions[name]._node
        logger = MagicMock(info=self.lines.append, warning=self.lines.append, error=self.lines.append)
        self.log = node.log = ChangeLog(logger, lambda: bus.time * 1e-9)

    def look(self):
        """Once a second, as a node does."""
        if self._bus.time * 1e-9 - self.looked >= 1.0:
            self.log.log_resolved()
            self.looked = self._bus.time * 1e-9


def test_a_lost_neighbour_and_stale_input_last_until_a_state_is_answered(bus):
    log = Log(bus, "torso")
    step(bus, 0)
    bus.dead.add("head")
    for k in range(1, 1200):  # 6 s
        step(bus, k)
        log.look()
    end = bus.time
    assert any("no wrench from subsystem 'head'" in line for line in log.lines)
    assert not [line for line in log.lines if "resolved" in line]
    for k in range(1, 400):  # no more joint states for 8 s: it is not known to be back
        bus.set_time(end + k * 20_000_000)
        log.look()
    # steps of the motion are resolved by themselves, because no more come
    assert not [line for line in log.lines if "resolved" in line and "(step)" not in line]
    assert log.lines.count(STALE_INPUT) == 1
    bus.start("head")
    first = bus.time // 5_000_000 + 1
    for k in range(first, first + 800):  # 4 s, all of them answered
        step(bus, k)
        log.look()
    assert "neighbours: resolved (head)" in log.lines
    assert "stale input: resolved (stale)" in log.lines
    assert len(log.lines) == len({*log.lines})

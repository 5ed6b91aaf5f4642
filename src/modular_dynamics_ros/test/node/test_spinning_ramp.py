"""dynamics_node as a process: ramp_to_zero ramps before a signal or a request ends it."""

import os
import signal
import time
from contextlib import closing

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from helpers.nodes.process_probe import NODE, ProcessProbe
from modular_dynamics_ros.messages.stamps import stamp_message

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]


class Probe(ProcessProbe):
    """Sends joint states to a process, and keeps its torques."""

    def start(self, path, ramp_time):
        given = [f"robot_description_file:={path}", f"ramp_time:={ramp_time}", "stale_after:=30.0"]
        self.processes.start(NODE, "autostart:=true", "on_stale:=ramp_to_zero", *given)
        self.spin_until(self._answered, "torques")
        self.efforts.clear()

    def _answered(self):
        assert self.processes.code(NODE) is None, self.processes.log(NODE)
        message = JointState(name=NAMES, position=Q.tolist(), velocity=V.tolist())
        message.header.stamp = stamp_message(time.time_ns())
        self.states.publish(message)
        return len(self.efforts) > 2

    def signal(self, number):
        os.kill(self.processes.pid(NODE), number)


@pytest.fixture
def probe(tmp_path):
    with closing(Probe(tmp_path)) as made:
        yield made


def falls_to_zero(efforts, four_link):
    factors = np.array(efforts)[:, 0] / expected(four_link)[0]
    falling = factors[factors < 1.0]
    assert len(falling) > 5
    assert (np.diff(falling) < 0.0).all()
    assert efforts[-1].tolist() == [0.0] * 4


@pytest.mark.parametrize(("number", "count"), [(signal.SIGTERM, 1), (signal.SIGINT, 3)])
def test_a_signal_ends_the_process_after_the_ramp(probe, four_link, number, count):
    """Several that come together are one: Ctrl-C reaches a node from its terminal and from ros2 launch."""
    probe.start(four_link, 0.5)
    for _ in range(count):
        probe.signal(number)
        time.sleep(0.02)
    probe.spin_until(lambda: probe.processes.code(NODE) is not None)
    assert probe.processes.code(NODE) == 0
    probe.spin_until(lambda: probe.efforts and not any(probe.efforts[-1]))
    falls_to_zero(probe.efforts, four_link)


def test_a_second_signal_ends_it_at_once(probe, four_link):
    probe.start(four_link, 3600.0)
    probe.signal(signal.SIGINT)
    end = time.monotonic() + 0.7
    probe.spin_until(lambda: len(probe.efforts) > 5 and time.monotonic() > end)
    assert probe.processes.code(NODE) is None
    probe.signal(signal.SIGINT)
    probe.spin_until(lambda: probe.processes.code(NODE) is not None)
    assert probe.processes.code(NODE) == 0
    assert probe.processes.log(NODE).count("Traceback") == 0

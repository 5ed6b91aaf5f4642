"""Which joint states and bases of a session count while wrenches are averaged."""

import numpy as np
import pytest
from sensor_msgs.msg import Imu, JointState

from helpers.nodes.dynamics_harness import NAMES
from helpers.nodes.lone_node import lone_node, message_info, receive
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters

MS = 1_000_000  # [ns]
BEGIN, END = 1000, 1500  # [ms]


class Session(DynamicsSession):
    """Of four_link, its right branch a black box; times are in [ms]."""

    def __init__(self, path, partition, **parameters):
        given = {"stale_after": 0.2, "crosscheck_rate": 0.0, "partition_file": partition}
        table = DynamicsParameters(**given | parameters)
        super().__init__(lone_node(), self.load(path, table), table)
        self._node.time = BEGIN * MS
        self.activate(None)
        self.averaging = self.boxes.begin_averaging("right_branch")

    def state(self, ms, bend=0.0, names=NAMES[:3]):
        self._node.time = ms * MS
        position = [bend if name == "bend" else 0.0 for name in names]
        message = JointState(name=names, position=position, velocity=[0.0] * len(names))
        message.header.stamp = stamp_message(ms * MS)
        self.receive(message, message_info(self._node.time))
        self.boxes.measured("right_branch", "upper_stem", np.ones(6))

    def states(self, begin=BEGIN, end=END, **fields):
        for ms in range(begin, end + 1, 20):
            self.state(ms, **fields)

    def result(self):
        self.boxes.end_averaging(self.averaging)
        return self.averaging.result()

    def refusal(self):
        with pytest.raises(BadMessage) as error:
            self.result()
        return str(error.value)


@pytest.fixture
def make(four_link, boxed_branch):
    return lambda **parameters: Session(four_link, boxed_branch, **parameters)


def test_all_states_count_of_which_a_rate_answers_few(make):
    """Its timer has not come when all is over."""
    session = make(rate=1.0)
    session.states()
    assert session.record.counts.superseded > 20
    assert session.result().mean.tolist() == [1.0] * 6
    session = make(rate=1.0)
    for ms in range(BEGIN, END + 1, 20):
        session.state(ms, bend=0.1 if ms == 1240 else 0.0)
    assert "joint 'bend' moves: velocity 0 rad/s, displacement +0.1 rad" in session.refusal()


def test_a_root_that_turns_is_no_robot_at_rest(make):
    """An imu tells no twist."""
    for amplitude in (0.0, 0.6):
        session = make(gravity_source="imu")
        for ms in range(BEGIN, END + 1, 20):
            half = 0.5 * amplitude * np.sin(0.003 * (ms - BEGIN))
            message = Imu()
            message.header.frame_id, message.header.stamp = "base", stamp_message(ms * MS)
            message.orientation.x, message.orientation.w = float(np.sin(half)), float(np.cos(half))
            session._node.time = ms * MS
            receive(session._node, "imu", message)
            session.state(ms)
        if amplitude:
            assert "the base moves: velocity 0 m/s, turned by" in session.refusal()
        else:
            session.result()

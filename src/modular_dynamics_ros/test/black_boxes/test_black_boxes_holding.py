"""on_stale: hold_gravity with a black box: its weight, or a wrench of a robot at rest there."""

import numpy as np
import pinocchio
import pytest
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState

from helpers.nodes.dynamics_harness import NAMES
from helpers.nodes.lone_node import lone_node, message_info, receive
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.wrenches import WrenchWriter
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters

MS = 1_000_000  # [ns]
POINT = "right_branch/connection_point"
BOX = "~/black_box/right_branch/wrench"
HERE, THERE = np.array([0.3, -0.5, 0.7]), np.array([-0.4, 0.9, 0.2])


class Arm:
    """Pinocchio's four_link, its last joint at zero: what the black box hides is the last link."""

    def __init__(self, path):
        self.model = pinocchio.buildModelFromUrdf(path)
        self.data = self.model.createData()
        inertia = self.model.inertias[self.model.getJointId("right")]
        self.load = f"right_branch:={inertia.mass!r} " + " ".join(repr(float(x)) for x in inertia.lever)

    def dynamics(self, q, v):
        """Torques of the three joints, and the wrench that moves the last link, in its frame."""
        places = [self.model.joints[self.model.getJointId(name)].idx_v for name in NAMES[:3]]
        moved, rates = np.zeros((2, 4))
        moved[places], rates[places] = q, v
        q = pinocchio.integrate(self.model, pinocchio.neutral(self.model), moved)
        tau = pinocchio.rnea(self.model, self.data, q, rates, np.zeros(4))
        return tau[places], self.data.f[self.model.getJointId("right")].vector.copy()


class Held:
    """What is published while stale, after the last states were given."""

    def __init__(self, four_link, partition, **parameters):
        table = DynamicsParameters(
            on_stale="hold_gravity", stale_after=0.1, partition_file=partition, **parameters
        )
        self.session = DynamicsSession(
            lone_node(stale_after=0.1), DynamicsSession.load(four_link, table), table
        )
        self.node = self.session._node
        self.node.time = 1000 * MS
        self.session.activate(None)
        self.session.computation.wrenches.black_box._steady = lambda: -(10**20)  # none is old by that clock

    def state(self, q, v):
        message = JointState(name=NAMES[:3], position=q.tolist(), velocity=v.tolist())
        message.header.stamp = stamp_message(self.node.time)
        self.session.receive(message, message_info(self.node.time))

    def wrench(self, values):
        message: WrenchStamped = WrenchWriter().write(stamp_message(self.node.time), POINT, values)
        receive(self.node, BOX, message)

    @property
    def answered(self):
        return self.session.record.counts.answered

    def torques(self):
        self.node.time += 10_000 * MS
        sent = self.node.sent["~/joint_torques"]
        count = len(sent)
        self.session.on_watch()
        return [list(message.effort) for message in sent[count:]]


@pytest.fixture(scope="module")
def arm(four_link):
    return Arm(four_link)


@pytest.fixture
def held(four_link, boxed_branch):
    return lambda **parameters: Held(four_link, boxed_branch, **parameters)


@pytest.mark.parametrize("moving", [0.0, 3.0])
def test_the_weight_of_a_known_load_is_held_wherever_the_robot_is(arm, held, moving):
    one, v = held(black_box_loads=[arm.load]), np.full(3, moving)
    one.wrench(arm.dynamics(HERE, v)[1])
    one.state(HERE, v)
    weight, _ = arm.dynamics(HERE, np.zeros(3))
    assert one.torques() == [pytest.approx(weight, abs=1e-12)]
    one.state(THERE, v)  # its wrench is missing: not answered
    weight, _ = arm.dynamics(THERE, np.zeros(3))
    assert one.torques() == [pytest.approx(weight, abs=1e-12)]
    assert one.torques() == [pytest.approx(weight, abs=1e-12)]


def test_the_last_wrench_of_a_robot_at_rest_is_held_there(arm, held):
    one = held()
    weight, wrench = arm.dynamics(HERE, np.zeros(3))
    one.wrench(wrench)
    one.state(HERE, np.full(3, 0.01))
    for _ in range(2):
        assert one.torques() == [pytest.approx(weight, abs=1e-12)]


@pytest.mark.parametrize(("v", "now"), [(3.0, HERE), (0.0, THERE)])
def test_a_wrench_of_a_moving_robot_or_of_another_place_is_not_held(arm, held, v, now):
    one, v = held(), np.full(3, v)
    one.wrench(arm.dynamics(HERE, v)[1])
    one.state(HERE, v)
    if now is THERE:
        one.node.time += 500 * MS
        one.state(THERE, v)
    assert one.torques() == []
    (text,) = one.node.log.texts("joint_states")[-1:]
    assert "position not held: no wrench of black box 'right_branch' was measured while the robot was" in text
    assert "black_box_loads" in text


def refused(one):
    """Whether nothing is held, and why."""
    return one.torques() == [] and "no wrench of black box" in one.node.log.texts("joint_states")[-1]


def test_a_robot_that_creeps_does_not_take_its_wrench_along(arm, held):
    one = held()
    weight, wrench = arm.dynamics(HERE, np.zeros(3))
    one.wrench(wrench)
    one.state(HERE, np.zeros(3))
    assert one.torques() == [pytest.approx(weight, abs=1e-12)]
    one.state(HERE + 0.009, np.zeros(3))  # not answered: its wrench is missing
    assert len(one.torques()) == 1
    one.state(HERE + 0.018, np.zeros(3))
    assert refused(one)


def test_a_robot_whose_velocity_is_not_known_may_move(arm, held):
    one = held()
    one.wrench(arm.dynamics(HERE, np.zeros(3))[1])
    one.state(HERE, np.zeros(0))
    assert one.answered == 1
    assert refused(one)


@pytest.mark.parametrize("on_stale", ["hold", "zero"])
def test_what_stands_for_a_wrench_that_has_stopped_is_not_held(arm, held, on_stale):
    one = held(on_stale_black_box=on_stale)
    one.wrench(arm.dynamics(THERE, np.zeros(3))[1])
    one.node.time += 500 * MS
    one.state(HERE, np.zeros(3))
    assert one.answered == 1
    assert refused(one)

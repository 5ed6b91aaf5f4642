"""A session whose states wait for the wrenches of black boxes; the motions that it publishes."""

from dataclasses import replace

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Q, V
from helpers.nodes.lone_node import lone_node, message_info, receive
from modular_dynamics_ros.computation.subsystem.connection_point import pose_matrix
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.connection_motion import connection_motion_from_message
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.wrenches import WrenchWriter
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters

MS = 1_000_000  # [ns]
BOX = "~/black_box/right_branch/wrench"


class Session(DynamicsSession):
    """Of four_link, its right branch a black box; at a time [ms]."""

    def __init__(self, path, partition, **parameters):
        given = {"stale_after": 0.5, "crosscheck_rate": 0.0, "partition_file": partition}
        table = DynamicsParameters(**given | parameters)
        super().__init__(lone_node(), self.load(path, table), table)
        self.at(1000)
        self.activate(None)
        self.computation.wrenches.black_box._steady = lambda: -(10**20)  # no wrench is old by that clock

    def at(self, ms):
        self._node.time = ms * MS

    def state(self, ms):
        message = JointState(name=NAMES[:3], position=Q[:3].tolist(), velocity=V[:3].tolist())
        message.header.stamp = stamp_message(ms * MS)
        self.receive(message, message_info(self._node.time))

    def wrench(self, ms, force=1.0):
        values = np.array([0.0, 0.0, force, 0.0, 0.0, 0.0])
        message = WrenchStamped(wrench=WrenchWriter().write(stamp_message(0), "upper_stem", values).wrench)
        message.header.frame_id, message.header.stamp = "upper_stem", stamp_message(ms * MS)
        receive(self._node, BOX, message)

    @property
    def answered(self):
        return [stamp_nanoseconds(one.header.stamp) // MS for one in self._node.sent["~/joint_torques"]]

    def look(self):
        self.boxes._on_look()


@pytest.fixture
def make(four_link, boxed_branch):
    return lambda **parameters: Session(four_link, boxed_branch, **parameters)


def test_without_a_wait_the_newest_wrench_counts(make):
    session = make()
    session.wrench(999)
    session.state(1000)
    assert session.answered == [1000]


def test_with_a_wait_the_wrench_of_the_stamp_counts(make):
    session, plain = make(black_box_wait=0.1), make()
    session.wrench(999, 5.0)
    session.state(1000)
    assert session.answered == []
    session.wrench(1000, 7.0)
    assert session.answered == [1000]
    plain.wrench(1000, 7.0)
    plain.state(1000)
    effort, other = (one._node.sent["~/joint_torques"][0].effort for one in (session, plain))
    assert effort == pytest.approx(other, abs=1e-14)


def test_a_state_that_waits_in_vain_is_counted_by_the_boxs_name(make):
    session = make(black_box_wait=0.1)
    session.state(1000)
    session.state(1002)
    session.at(1099)
    session.look()
    assert session.record.counts.rejected == {}
    session.at(1100)
    session.look()
    assert session.record.counts.rejected == {"no wrench with its stamp": 2}
    texts = session._node.log.texts("joint_states")
    assert any("black box 'right_branch' sent no wrench with its stamp within 0.1 s" in one for one in texts)
    session.state(1100)
    session.wrench(1100)
    assert session.answered == [1100]


def test_states_behind_keep_their_order_and_older_ones_are_refused(make):
    session = make(black_box_wait=0.1)
    for stamp in (1000, 1002, 1004):
        session.state(stamp)
    session.state(1003)
    assert session.record.counts.rejected == {"older than the last answer": 1}
    for stamp in (1000, 1002, 1004):
        session.wrench(stamp)
    assert session.answered == [1000, 1002, 1004]
    session.state(1006)
    session.state(1008)
    session.wrench(1008)  # that of 1006 is lost
    assert session.answered == [1000, 1002, 1004, 1008]
    assert session.record.counts.rejected["no wrench with its stamp"] == 1


def test_the_wait_changes_while_it_runs(make):
    session = make(black_box_wait=0.1)
    session.wrench(999)
    session.state(1000)
    session.set_parameters(replace(session.parameters, black_box_wait=0.0))
    assert session.record.counts.rejected == {"no wrench with its stamp": 1}
    session.state(1002)
    assert session.answered == [1002]


def test_a_replaced_robot_answers_no_state_that_waits(make):
    session = make(black_box_wait=0.1)
    session.state(1000)
    session.finish()
    assert session.record.counts.rejected == {"robot replaced": 1}
    session.state(1002)
    assert session.record.counts.rejected == {"robot replaced": 2}


def test_the_motion_is_that_of_the_connection_point(make, four_link):
    """Pose by the library's kinematics; twist and its derivative by differences of poses."""
    session, graph = make(), md.load_urdf(four_link)
    session._outputs.demand.look = lambda: None
    session._outputs.demand.wanted = frozenset(
        publisher for publisher, _ in session._outputs._motions.values()
    )
    session.wrench(1000)
    session.state(1000)
    (message,) = session._node.sent["~/black_box/right_branch/motion"]
    assert stamp_nanoseconds(message.header.stamp) == 1000 * MS
    assert message.header.frame_id == "base"
    motion = connection_motion_from_message(message, "right_branch", "base")
    connection = session.robot.graph.subsystem("right_branch").connection
    in_link = pose_matrix(connection.x_link_connection)

    def pose(t):
        return md.frame_poses(graph, np.append(Q[:3] + V[:3] * t, 0.0), [connection.link])[0] @ in_link

    def twist(t, h=1e-4):  # of the point, along its own axes: H^-1 Hdot
        body = np.linalg.inv(pose(t)) @ (pose(t + h) - pose(t - h)) / (2.0 * h)
        return np.array([*body[:3, 3], body[2, 1], body[0, 2], body[1, 0]])

    h = 1e-3
    assert motion.H_root_point == pytest.approx(pose(0.0), abs=1e-12)
    assert motion.twist == pytest.approx(twist(0.0), abs=1e-6)
    assert motion.acceleration == pytest.approx((twist(h) - twist(-h)) / (2 * h), abs=1e-4)
    assert np.abs(motion.acceleration).max() > 0.1
    assert motion.gravity.tolist() == [0.0, 0.0, -9.81]

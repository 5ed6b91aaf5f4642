"""A robot with a black box: the motions that are published, averaging, what is held while input is stale."""

import time
from contextlib import ExitStack, closing, nullcontext

import numpy as np
import pinocchio
import pytest
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import modular_dynamics as md
from examples.demo.processes import Processes
from helpers.nodes.dynamics_harness import NAMES, Q, V
from helpers.nodes.lone_node import receive
from helpers.nodes.sessions.lone_session import LoneSession, S
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS, ROOT
from helpers.wrenches import in_carrying_link
from modular_dynamics_ros.computation.subsystem.motion import pose_matrix
from modular_dynamics_ros.exceptions import BadMessage
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.subsystems import connection_motion_from_message

MS = 1_000_000  # [ns]
pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

BOX = "~/black_box/right_branch/wrench"
FORCE = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


class Session(LoneSession):
    """Of four_link, its right branch a black box; times are in [ms]."""

    def __init__(self, path, partition, **parameters):
        given = {"stale_after": 0.5, "crosscheck_rate": 0.0, "partition_file": partition}
        super().__init__(path, **given | parameters)
        self.at(1000)
        self.computation.wrenches.black_box._steady = lambda: -(10**20)  # no wrench is old by that clock

    def at(self, ms):
        self.node.time = ms * MS

    def state(self, ms=None, q=Q[:3], v=V[:3]):
        """At a time, or now."""
        now = self.node.time / S
        self.send(now, now if ms is None else ms / 1000, names=NAMES[:3], q=q, v=v)

    def wrench(self, ms=None, values=FORCE, frame="upper_stem"):
        stamp = self._node.time if ms is None else ms * MS
        receive(self._node, BOX, WrenchWriter().write(stamp_message(stamp), frame, values))

    @property
    def processed(self):
        return [round(1000 * stamp) for stamp in self.stamps]

    def held(self):
        """Torques that are published while stale, after the last states were given."""
        return [list(message.effort) for message in self.watch(self.node.time / S + 10.0)]

    def problem(self):
        """The last one about joint states."""
        return self._node.log.texts("joint_states")[-1]


@pytest.fixture
def make(four_link, boxed_branch):
    return lambda **parameters: Session(four_link, boxed_branch, **parameters)


def test_the_motion_is_that_of_the_connection_point(make, four_link):
    """Pose by the library's kinematics; twist and its derivative by differences of poses."""
    session, graph = make(), md.load_urdf(four_link)
    session._outputs.subscribed.update = lambda: None
    session._outputs.subscribed.publishers = frozenset(
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


def test_a_box_is_fed_from_its_topic_by_frames_that_can_be_placed(make, four_link):
    """Never zeros in place of a wrench that is not known."""
    session, words = make(), "moves with 'right' inside a black box"
    result = md.InverseDynamics(md.load_urdf(four_link)).solve(Q, V, np.zeros(4))
    session.wrench(frame="right_branch")
    session.state()
    assert (session.processed, session.record.counts.rejected) == ([], {"no wrench": 1})
    status = next(one for one in session.statuses() if words in one.message)
    assert "no wrench of black box 'right_branch' has come yet" in status.message
    (text,) = session.node.log.texts("wrenches")
    assert "wrench of black box 'right_branch' refused" in text
    assert words in text
    session.at(1001)
    frame, wrench = in_carrying_link(session.robot.graph, "right_branch", result.connection_wrenches[2])
    session.wrench(values=wrench, frame=frame)
    session.state()
    assert session.processed == [1001]
    assert session.torques[-1].name == NAMES[:3]
    assert session.torques[-1].effort == pytest.approx(result.tau[:3], abs=1e-12)


CHARMIE = ROBOTS / "charmie.urdf"
ARM = [
    "right_shoulder_abduction", "--ros-args", "-r", "__node:=right_arm",
    "-r", "~/motion:=dynamics_node/black_box/right_arm/motion",
    "-r", "~/wrench:=dynamics_node/black_box/right_arm/wrench",
]  # fmt: skip


def test_torques_are_those_without_the_black_box(tmp_path):
    """In each of some states, once the wrench that the arm's program computes for it has come."""
    graph, node = md.load_urdf(CHARMIE), Node("robot")
    names = list(graph.joint_names)
    # the arm's program takes its own joints not to accelerate
    moving = np.array([not name.startswith("right_") for name in names])
    a = np.where(moving, 0.5 * np.sin(1.0 + np.arange(len(names))), 0.0)
    publisher = node.create_publisher(JointState, "joint_states", 500)
    references = node.create_publisher(JointTrajectory, "reference", 10)
    torques, last = [], [0.0]
    node.create_subscription(JointState, "dynamics_node/joint_torques", torques.append, 1000)

    def send(q, v):
        if time.monotonic() - last[0] < 0.02:
            return
        last[0], now = time.monotonic(), time.time_ns()
        if not torques:  # there is no reference yet
            points = [JointTrajectoryPoint(accelerations=a.tolist()) for _ in range(2)]
            points[1].time_from_start.sec = 1000
            reference = JointTrajectory(joint_names=names, points=points)
            reference.header.stamp = stamp_message(now)
            references.publish(reference)
        message = JointState(name=names, position=q.tolist(), velocity=v.tolist())
        message.header.stamp = stamp_message(now)
        publisher.publish(message)

    with ExitStack() as ended:
        probe = ended.enter_context(closing(SpunNodes(node)))
        processes = ended.enter_context(Processes(tmp_path))
        processes.start_file("arm", ROOT / "examples/nodes/black_box_arm.py", str(CHARMIE), *ARM)
        partition = ROOT / "config/charmie_black_box.yaml"
        processes.start(
            "dynamics_node", f"robot_description_file:={CHARMIE}", f"partition_file:={partition}",
            "acceleration_source:=reference", "without_reference:=stop", "stale_after:=5.0",
            "autostart:=true",
        )  # fmt: skip
        for k in range(20):
            q, v = (f(np.arange(len(names)) + 0.1 * k) for f in (np.sin, np.cos))
            tau = dict(zip(names, md.inverse_dynamics(graph, q, v, a), strict=True))

            def close(q=q, v=v, tau=tau):
                send(q, v)
                return torques and all(
                    abs(tau[name] - effort) < 1e-9
                    for name, effort in zip(torques[-1].name, torques[-1].effort, strict=True)
                )

            probe.spin_until(close, f"torques of state {k}")
            assert set(torques[-1].name) == {name for name, free in zip(names, moving, strict=True) if free}


BEGIN, END = 1000, 1500  # [ms]


def averaged(session, bend=lambda ms: 0.0, before=lambda ms: None):
    """The mean of wrenches that come with states of a robot at rest."""
    averaging = session.boxes.begin_averaging("right_branch")
    for ms in range(BEGIN, END + 1, 20):
        session.at(ms)
        before(ms)
        session.state(ms, np.array([0.0, bend(ms), 0.0]), np.zeros(3))
        session.boxes.measured("right_branch", "upper_stem", np.ones(6))
    averaging.end(session._node.now())
    return averaging.result()


def test_a_robot_that_moves_is_not_averaged(make):
    assert averaged(make(stale_after=0.2)).mean.tolist() == [1.0] * 6
    with pytest.raises(BadMessage, match=r"joint 'bend' moves: velocity 0 rad/s, displacement \+0.1 rad"):
        averaged(make(stale_after=0.2), bend=lambda ms: 0.1 if ms == 1240 else 0.0)


@pytest.mark.parametrize(("amplitude", "words"), [(0.0, ""), (0.6, "base moves: velocity 0 m/s, turned by")])
def test_a_root_that_turns_is_no_robot_at_rest(make, amplitude, words):
    """An imu tells no twist."""
    session = make(gravity_source="imu", stale_after=0.2)

    def turn(ms):
        half, message = 0.5 * amplitude * np.sin(0.003 * (ms - BEGIN)), Imu()
        message.header.frame_id, message.header.stamp = "base", stamp_message(ms * MS)
        message.orientation.x, message.orientation.w = float(np.sin(half)), float(np.cos(half))
        receive(session._node, "imu", message)

    with pytest.raises(BadMessage, match=words) if words else nullcontext():
        assert averaged(session, before=turn).mean.tolist() == [1.0] * 6


POINT = "right_branch/connection_point"
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


@pytest.fixture(scope="module")
def arm(four_link):
    return Arm(four_link)


@pytest.fixture
def holding(make):
    return lambda **parameters: make(on_stale="hold_gravity", stale_after=0.1, **parameters)


@pytest.mark.parametrize("moving", [0.0, 3.0])
def test_the_weight_of_a_known_load_is_held_wherever_the_robot_is(arm, holding, moving):
    session, v = holding(black_box_loads=[arm.load]), np.full(3, moving)
    session.wrench(None, arm.dynamics(HERE, v)[1], POINT)
    session.state(None, HERE, v)
    weight, _ = arm.dynamics(HERE, np.zeros(3))
    assert session.held() == [pytest.approx(weight, abs=1e-12)]
    session.state(None, THERE, v)  # its wrench is missing: not processed
    weight, _ = arm.dynamics(THERE, np.zeros(3))
    assert session.held() == [pytest.approx(weight, abs=1e-12)]
    assert session.held() == [pytest.approx(weight, abs=1e-12)]


def test_the_last_wrench_of_a_robot_at_rest_is_held_there_unless_it_creeps(arm, holding):
    session = holding()
    weight, wrench = arm.dynamics(HERE, np.zeros(3))
    session.wrench(None, wrench, POINT)
    session.state(None, HERE, np.full(3, 0.01))
    for _ in range(2):
        assert session.held() == [pytest.approx(weight, abs=1e-12)]
    session.state(None, HERE + 0.009, np.zeros(3))  # not processed: its wrench is missing
    assert len(session.held()) == 1
    session.state(None, HERE + 0.018, np.zeros(3))
    assert session.held() == []
    assert "no wrench of black box" in session.problem()


@pytest.mark.parametrize(
    ("v", "now"),
    [
        (np.full(3, 3.0), HERE),
        (np.zeros(3), THERE),
        (np.zeros(0), HERE),  # its velocity is not known
    ],
)
def test_a_wrench_of_a_moving_robot_or_of_another_place_is_not_held(arm, holding, v, now):
    session = holding()
    session.wrench(None, arm.dynamics(HERE, v if len(v) else np.zeros(3))[1], POINT)
    session.state(None, HERE, v)
    assert session.processed == [1000]
    if now is THERE:
        session.at(1500)
        session.state(None, THERE, v)
    assert session.held() == []
    text = "position not held: no wrench of black box 'right_branch' was measured while the robot was"
    assert text in session.problem()
    assert "black_box_loads" in session.problem()


@pytest.mark.parametrize("on_stale", ["hold", "zero"])
def test_what_stands_for_a_wrench_that_has_stopped_is_not_held(arm, holding, on_stale):
    session = holding(on_stale_black_box=on_stale)
    session.wrench(None, arm.dynamics(THERE, np.zeros(3))[1], POINT)
    session.at(1500)
    session.state(None, HERE, np.zeros(3))
    assert session.processed == [1500]
    assert session.held() == []
    assert "no wrench of black box" in session.problem()

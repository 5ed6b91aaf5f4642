from array import array
from importlib.util import find_spec

import numpy as np
import pytest
import transforms3d
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Quaternion, WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemEdge
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import modular_dynamics as md
from modular_dynamics_ros.diagnostics.status import WARN, Status
from modular_dynamics_ros.dynamics.graph_message import pose_message, subsystem_graph_message
from modular_dynamics_ros.messages.bad_message import BadMessage
from modular_dynamics_ros.messages.conversions import (
    EffortWriter,
    JointStateReader,
    JointStateWriter,
    WrenchWriter,
    diagnostic_array,
    quaternion_from_message,
    quaternion_to_message,
    stamp_message,
    stamp_nanoseconds,
    trajectory_from_message,
    trajectory_message,
    wrench_from_message,
)

pytestmark = pytest.mark.ros

NAN = float("nan")


def state(names, position, velocity=(), effort=()):
    return JointState(
        name=list(names),
        position=[float(x) for x in position],
        velocity=[float(x) for x in velocity],
        effort=[float(x) for x in effort],
    )


def test_stamps_survive_the_round_trip():
    for nanoseconds in (0, 1, 999_999_999, 1_700_000_000_123_456_789):
        assert stamp_nanoseconds(stamp_message(nanoseconds)) == nanoseconds
    assert stamp_message(1_500_000_000) == Time(sec=1, nanosec=500_000_000)


def test_quaternions_are_permuted():
    wxyz = (0.5, 0.1, -0.7, 0.5)
    message = quaternion_to_message(wxyz)
    assert (message.x, message.y, message.z, message.w) == (0.1, -0.7, 0.5, 0.5)
    assert quaternion_from_message(message) == wxyz


def test_poses_agree_with_transforms3d():
    rng = np.random.default_rng(0)
    for _ in range(20):
        xyz, rpy = rng.normal(size=3), rng.uniform(-3, 3, size=3)
        message = pose_message(md.algebra.from_xyz_rpy(xyz, rpy))
        expected = transforms3d.euler.euler2mat(*rpy, axes="sxyz")
        rotation = transforms3d.quaternions.quat2mat(quaternion_from_message(message.orientation))
        assert rotation == pytest.approx(expected, abs=1e-14)  # a few roundings of numbers up to 1
        assert [message.position.x, message.position.y, message.position.z] == pytest.approx(xyz, abs=1e-14)


@pytest.mark.skipif(
    find_spec("tf_transformations") is None, reason="tf_transformations comes with a distribution"
)
def test_quaternions_agree_with_tf_transformations():
    import tf_transformations

    rng = np.random.default_rng(0)
    for rpy in rng.uniform(-3, 3, size=(20, 3)):
        x, y, z, w = tf_transformations.quaternion_from_euler(*rpy)
        ours = quaternion_from_message(Quaternion(x=x, y=y, z=z, w=w))
        theirs = transforms3d.euler.euler2quat(*rpy, axes="sxyz")
        assert (
            min(np.abs(ours - theirs).max(), np.abs(ours + theirs).max()) < 1e-14
        )  # q and -q are one rotation


def test_optional_joints_are_measured_where_they_are_there_and_finite():
    reader = JointStateReader(["a", "b"], ["p", "q"])
    reader.read(state("ab", [1.0, 2.0]))
    assert np.isnan(reader.measured).all()
    reader.read(state("qbpa", [4.0, 2.0, 3.0, 1.0]))
    assert (reader.q.tolist(), reader.measured.tolist()) == ([1.0, 2.0], [3.0, 4.0])
    reader.read(state("apbx", [1.0, np.inf, 2.0, 9.0]))
    assert np.isnan(reader.measured).all()
    with pytest.raises(BadMessage, match="'p' named more than once"):
        reader.read(state("abpp", [1.0, 2.0, 3.0, 3.0]))


def test_joints_are_matched_by_name_and_strangers_ignored():
    reader = JointStateReader(["a", "b", "c"])
    for names in (["a", "b", "c"], ["c", "x", "a", "b"], ["a", "b", "c"]):
        values = {"a": 1.0, "b": 2.0, "c": 3.0, "x": NAN}
        reader.read(state(names, [values[n] for n in names], [10 * values[n] for n in names]))
        assert reader.q.tolist() == [1.0, 2.0, 3.0]
        assert reader.v.tolist() == [10.0, 20.0, 30.0]
        assert reader.without_velocity == ()


@pytest.mark.parametrize(
    ("message", "cause", "offender"),
    [
        (state("a", [9.0]), "missing joints", "'b'"),
        (state("", []), "missing joints", "'a', 'b'"),
        (state("aba", [9.0, 9.0, 9.0]), "duplicate joints", "'a' named more than once"),
        (state("ab", [9.0]), "wrong length", "position has 1 values for 2 joint names"),
        (state("ab", [9.0, 9.0, 9.0]), "wrong length", "position has 3 values for 2 joint names"),
        (state("ab", []), "wrong length", "position has 0 values for 2 joint names"),
        (state("ab", [9.0, 9.0], [9.0]), "wrong length", "velocity has 1 values for 2 joint names"),
        (state("ab", [9.0, NAN]), "not finite", "position of 'b'"),
        (state("ab", [-np.inf, 9.0]), "not finite", "position of 'a'"),
        (state("ab", [9.0, 9.0], [9.0, np.inf]), "not finite", "velocity of 'b'"),
    ],
)
def test_a_bad_state_is_refused_by_name_and_the_last_good_one_stays(message, cause, offender):
    reader = JointStateReader(["a", "b"])
    reader.read(state("ba", [2.0, 1.0], [4.0, 3.0]))
    with pytest.raises(BadMessage) as caught:
        reader.read(message)
    assert caught.value.cause == cause
    assert offender in str(caught.value)
    assert (reader.q.tolist(), reader.v.tolist()) == ([1.0, 2.0], [3.0, 4.0])
    reader.read(state("ab", [5.0, 6.0], [7.0, 8.0]))
    assert (reader.q.tolist(), reader.v.tolist()) == ([5.0, 6.0], [7.0, 8.0])


def test_missing_velocities_are_zero_and_named():
    reader = JointStateReader(["a", "b"])
    reader.read(state("ab", [1.0, 2.0]))
    assert (reader.v.tolist(), reader.without_velocity) == ([0.0, 0.0], ("a", "b"))
    reader.read(state("ab", [1.0, 2.0], [3.0, NAN]))
    assert (reader.v.tolist(), reader.without_velocity) == ([3.0, 0.0], ("b",))


def test_a_stranger_named_twice_does_no_harm():
    reader = JointStateReader(["a"])
    reader.read(state("xax", [7.0, 1.0, 8.0]))
    assert reader.q.tolist() == [1.0]


def test_written_states_reuse_one_message():
    writer = JointStateWriter(["a", "b", "c"], [0, 2], ("position", "effort"))
    first = writer.write(Time(sec=3), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    assert first.name == ["a", "c"]
    assert (first.position.tolist(), first.effort.tolist(), len(first.velocity)) == (
        [1.0, 3.0],
        [4.0, 6.0],
        0,
    )
    assert first.header.stamp == Time(sec=3)
    again = writer.write(Time(sec=4), np.zeros(3), np.ones(3))
    assert again is first
    assert again.effort.tolist() == [1.0, 1.0]


def test_efforts_are_in_the_controllers_order():
    assert EffortWriter([2, 0]).write(np.array([1.0, 2.0, 3.0])).data.tolist() == [3.0, 1.0]
    assert EffortWriter([]).write(np.zeros(3)).data.tolist() == []


def test_wrenches_survive_the_round_trip():
    wrench = np.arange(1.0, 7.0)
    message = WrenchWriter().write(Time(sec=1), "tool", wrench)
    assert message.header.frame_id == "tool"
    assert message.wrench.torque.x == 4.0  # force first, moment second
    assert wrench_from_message(message).tolist() == wrench.tolist()


def test_a_wrench_with_nan_is_refused_by_name():
    message = WrenchStamped()
    message.header.frame_id = "tool"
    message.wrench.torque.y = NAN
    with pytest.raises(BadMessage, match="'tool'"):
        wrench_from_message(message)


def reference(names, accelerations, times=None):
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp = Time(sec=100)
    for k, row in enumerate(accelerations):
        ns = round((k if times is None else times[k]) * 1e9)
        point = JointTrajectoryPoint(accelerations=[float(x) for x in row])
        point.time_from_start = Duration(sec=ns // 10**9, nanosec=ns % 10**9)
        message.points.append(point)
    return message


def test_a_reference_is_read_by_name_at_absolute_instants():
    message = reference("xba", [[0, 2, 1], [0, 4, 3]], [0.5, 1.25])
    trajectory = trajectory_from_message(message, ["a", "b"], arrival=7)
    assert trajectory.instants.tolist() == [100_500_000_000, 101_250_000_000]
    assert trajectory.accelerations.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    message.header.stamp = Time()
    assert trajectory_from_message(message, ["a", "b"], arrival=7).instants[0] == 500_000_007


@pytest.mark.parametrize(
    ("message", "offender"),
    [
        (reference("a", [[1.0]]), "'b'"),
        (reference("ab", []), "no points"),
        (reference("ab", [[]]), "point 0 has 0 accelerations for 2 joint names"),
        (reference("ab", [[1, 2], [1]]), "point 1 has 1 accelerations"),
        (reference("ab", [[1, 2], [1, NAN]]), "acceleration of 'b' in point 1"),
        (reference("ab", [[1, 2], [1, 2]], [1.0, 1.0]), "point 1 is not later"),
    ],
)
def test_a_bad_reference_is_refused_by_name(message, offender):
    with pytest.raises(BadMessage) as caught:
        trajectory_from_message(message, ["a", "b"], arrival=0)
    assert offender in str(caught.value)


def test_a_written_reference_is_read_back_exactly():
    rows = [tuple(np.random.default_rng(k).normal(size=(3, 2))) for k in range(3)]
    message = trajectory_message(10**18 + 1, ["a", "b"], [0, 5_000_000, 10**9], rows)
    trajectory = trajectory_from_message(message, ["a", "b"], arrival=0)
    assert trajectory.instants.tolist() == [10**18 + 1, 10**18 + 5_000_001, 10**18 + 10**9 + 1]
    assert trajectory.accelerations.tolist() == [a.tolist() for _, _, a in rows]
    assert message.points[1].positions.tolist() == rows[1][0].tolist()


def test_the_graph_message_has_an_edge_each_way(four_link):
    graph = md.load_urdf(four_link)
    message = subsystem_graph_message(graph, Time(sec=5))
    assert (message.robot, message.header.frame_id, message.header.stamp.sec) == ("four_link", "base", 5)
    assert [vertex.name for vertex in message.vertices] == ["stem", "left_branch", "right_branch"]
    assert [vertex.predecessor for vertex in message.vertices] == [-1, 0, 0]
    assert message.vertices[0].joints == ["turn", "bend"]
    assert message.vertices[1].connection_link == "upper_stem"
    edges = {(edge.kind, edge.source, edge.target) for edge in message.edges}
    twist, wrench = SubsystemEdge.TWIST, SubsystemEdge.WRENCH
    assert edges == {(twist, 0, 1), (wrench, 1, 0), (twist, 0, 2), (wrench, 2, 0)}
    assert message.dot.startswith("digraph")


def test_diagnostics():
    message = diagnostic_array(Time(sec=1), [Status(WARN, "input", "words", "robot", {"key": "value"})])
    (status,) = message.status
    assert (status.level, status.name, status.message, status.hardware_id) == (
        b"\x01",
        "input",
        "words",
        "robot",
    )
    assert [(entry.key, entry.value) for entry in status.values] == [("key", "value")]


def test_reading_does_not_keep_the_message():
    reader, message = JointStateReader(["a"]), state("a", [1.0])
    reader.read(message)
    message.position = array("d", [5.0])
    assert reader.q.tolist() == [1.0]

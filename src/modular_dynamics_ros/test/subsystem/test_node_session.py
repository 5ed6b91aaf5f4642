"""All subsystems of a robot, each in a session of its own, against the whole robot."""

from contextlib import nullcontext
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import modular_dynamics as md
from helpers.nodes.lone_node import message_info
from helpers.nodes.subsystem_bus import SubsystemBus, motion, step
from helpers.paths import ROBOTS
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.diagnostics.change_log import ChangeLog
from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.nodes import SubsystemParameters
from modular_dynamics_ros.subsystem.node import SubsystemSession

pytestmark = pytest.mark.ros
CHARMIE = str(ROBOTS / "charmie.urdf")
MS = 1_000_000  # [ns]
ARMS = "left_arm", "right_arm", "head"


@pytest.fixture
def bus():
    return SubsystemBus(CHARMIE)


@pytest.mark.parametrize("robot", ["charmie", "branched_38dof", "vendor_arm"])
def test_the_torques_are_those_of_the_whole_robot(robot):
    partition = str(ROBOTS / "vendor_arm_partition.yaml") if robot == "vendor_arm" else ""
    bus = SubsystemBus(str(ROBOTS / f"{robot}.urdf"), partition)
    for k in range(3):
        q, v = motion(bus, k)
        expected = md.inverse_dynamics(bus.graph, q, v, np.zeros(len(q)))
        assert bus.vector(step(bus, k)) == pytest.approx(expected, abs=1e-9)


def test_loops_within_one_subsystem_are_closed_by_its_node_alone():
    bus = SubsystemBus(str(ROBOTS / "charmie_torso.urdf"))
    q, v = 0.01 * np.arange(19) / 19, np.linspace(-0.1, 0.1, 19)
    bus.set_time(1)
    bus.send(1, q, v)
    expected = md.inverse_dynamics(bus.graph, q, v, np.zeros(19))
    assert bus.vector(1) == pytest.approx(expected, abs=1e-9)
    closing = {
        name for name, one in bus.sessions.items() if "closure" in {part.name for part in one.statuses()}
    }
    assert closing == {"torso"}


def test_filtered_accelerations_are_those_of_one_filter_for_all_joints():
    bus = SubsystemBus(CHARMIE, acceleration_source="filtered")
    robot = load_robot(CHARMIE)
    whole = Computation(robot, ComputationSettings(acceleration_source="filtered"))
    largest = 0.0
    for k in range(30):
        stamp, t = 1 + k * 5 * MS, 0.005 * k
        q, v = np.sin(np.arange(19) + t), np.cos(np.arange(19) + t)
        bus.set_time(stamp)
        bus.send(stamp, q, v)
        if k < 6:
            with pytest.raises(ValueError, match="the filter starts") if k < 5 else nullcontext():
                whole.observe(stamp, q, v)
            assert (k == 5) == bool(bus.torques(stamp))
            continue
        answer = whole.compute(whole.observe(stamp, q, v), stamp)
        largest = max(largest, np.abs(answer.state.a).max())
        assert bus.vector(stamp) == pytest.approx(answer.effort, abs=1e-9)
    assert largest > 0.5


def refer(bus, reference_type, stamp, names, a):
    """A trajectory of one second; or the set point of a controller, whose type the wheels of ROS 2 lack."""
    if reference_type == "controller_state":
        point = JointTrajectoryPoint(accelerations=[float(x) for x in a])
        header, names = Header(stamp=stamp_message(stamp)), list(names)
        state = SimpleNamespace(header=header, joint_names=names, reference=point, speed_scaling_factor=1.0)
        bus.publish("controller_state", state)
        return
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp = stamp_message(stamp)
    for seconds in (0, 1):
        point = JointTrajectoryPoint(accelerations=[float(x) for x in a])
        point.time_from_start.sec = seconds
        message.points.append(point)
    bus.publish("reference", message)


REFERENCES = pytest.mark.parametrize("kind", ["trajectory", "controller_state"])


@REFERENCES
def test_a_reference_of_some_joints_is_taken_by_all_nodes(kind):
    """As in dynamics_node, the other joints have no acceleration then; the last reference is replaced."""
    bus = SubsystemBus(CHARMIE, acceleration_source="reference", reference_type=kind)
    bus.set_time(1)
    refer(bus, kind, 1, bus.names, np.arange(19))
    stamp = step(bus, 1)
    expected = md.inverse_dynamics(bus.graph, *motion(bus, 1), np.arange(19.0))
    assert bus.vector(stamp) == pytest.approx(expected, abs=1e-9)
    refer(bus, kind, bus.time + 1, ["head_pan"], [3.0])
    stamp = step(bus, 2)
    a = 3.0 * np.eye(19)[bus.names.index("head_pan")]
    assert bus.vector(stamp) == pytest.approx(md.inverse_dynamics(bus.graph, *motion(bus, 2), a), abs=1e-9)


@REFERENCES
def test_a_reference_without_a_stamp_and_a_bad_one_of_another_subsystem_are_refused_by_all_nodes(kind):
    bus = SubsystemBus(CHARMIE, acceleration_source="reference", reference_type=kind)
    bus.set_time(1)
    refer(bus, kind, 1, bus.names, np.zeros(19))
    refer(bus, kind, 0, bus.names, np.ones(19))
    refer(bus, kind, 2, ["head_pan", "head_tilt"], [np.nan, 1.0])
    stamp = step(bus, 1)
    expected = md.inverse_dynamics(bus.graph, *motion(bus, 1), np.zeros(19))
    assert bus.vector(stamp) == pytest.approx(expected, abs=1e-9)
    for session in bus.sessions.values():
        texts = " ".join(session._node.log.texts("reference"))
        assert "its stamp is zero" in texts
        assert "head_pan" in texts
    refer(bus, kind, 3, ["wheel"], [1.0])
    for session in bus.sessions.values():
        assert "it names no joint of the robot" in " ".join(session._node.log.texts("reference"))


def test_without_a_reference_nothing_is_processed():
    bus = SubsystemBus(CHARMIE, acceleration_source="reference")
    assert bus.torques(step(bus, 1)) == {}


def test_states_of_several_publishers_are_processed_with_the_stamp_of_each(bus):
    """A message that holds no joint of a subsystem is processed by it, too: with what it knows."""
    left = [name for name in bus.names if name.startswith("left")]
    others = [name for name in bus.names if name not in left]
    assert bus.torques(step(bus, 0, left)) == {}
    (q, v), (q0, v0) = motion(bus, 1), motion(bus, 0)
    places = [bus.names.index(name) for name in left]
    q[places], v[places] = q0[places], v0[places]
    expected = md.inverse_dynamics(bus.graph, q, v, np.zeros(19))
    assert bus.vector(step(bus, 1, others)) == pytest.approx(expected, abs=1e-9)
    assert "neighbour missing" not in bus.sessions["head"].record.counts.rejected
    foreign = bus.sessions["head"].record.counts.of_other_joints
    bus.send(bus.time + 1, [0.0], [0.0], ["wheel"])
    assert bus.sessions["head"].record.counts.of_other_joints == foreign + 1


def test_a_joint_that_is_not_reported_any_more_stops_the_torques(bus):
    step(bus, 0)
    others = [name for name in bus.names if name != "head_pan"]
    assert len(bus.torques(step(bus, 1, others))) == 19
    late = bus.torques(step(bus, 60, others))  # 0.3 s later
    assert set(late) == {name for name in bus.names if name.startswith(("left", "right"))}


@pytest.mark.parametrize("lost", ["base", "torso", *ARMS])
def test_a_lost_subsystem_is_named_by_its_neighbours_and_nothing_wrong_is_published(bus, lost):
    assert len(bus.torques(step(bus, 0))) == 19
    bus.dead.add(lost)
    stamps = [step(bus, k) for k in range(1, 100)]
    needs_it = {
        "base": {"torso", *ARMS},
        "torso": {"base", *ARMS},
    }.get(lost, {"base", "torso"})
    neighbours = bus.sessions[lost].part.neighbours
    for name in bus.sessions.keys() - {lost}:
        assert bool(bus.errors(name)) == (name in needs_it), name
        assert (f"'{lost}'" in bus.errors(name)) == (name in neighbours), name
    # without a motion from the base nobody else is to blame
    assert "wrench" not in bus.errors("torso") or lost != "base"
    for stamp in stamps:
        q, v = motion(bus, stamps.index(stamp) + 1)
        expected = dict(zip(bus.names, md.inverse_dynamics(bus.graph, q, v, 0 * q), strict=True))
        torques = bus.torques(stamp)
        owners = {
            one.name for one in bus.graph.subsystems if {joint.name for joint in one.joints} & torques.keys()
        }
        assert owners == bus.sessions.keys() - {lost} - needs_it
        assert torques == pytest.approx({name: expected[name] for name in torques}, abs=1e-9)
    bus.start(lost)
    assert bus.vector(step(bus, 100)) == pytest.approx(
        md.inverse_dynamics(bus.graph, *motion(bus, 100), np.zeros(19)), abs=1e-9
    )
    step(bus, 101)
    assert [bus.errors(name) for name in bus.sessions] == [""] * 5


def test_a_lost_subsystem_is_noticed_within_stale_after(bus):
    step(bus, 0)
    bus.dead.add("head")
    for k in range(1, 40):
        step(bus, k)
        assert not bus.errors("torso")
    for k in range(40, 44):  # 0.2 s after the first state that it did not answer
        step(bus, k)
    assert "no wrench from subsystem 'head': none with the stamp of a joint" in bus.errors("torso")


def test_successors_without_a_motion_are_not_silent(bus):
    """The middleware brings the base's motions to the torso late, after it has named the base."""
    for k in range(10):
        step(bus, k)
    bus.freeze("base")
    for k in range(10, 90):
        step(bus, k)
    assert "no motion from subsystem 'base'" in bus.errors("torso")
    bus.dead.add("head")  # it answers none of the motions that come now
    bus.go_on("base")
    for k in range(90, 125):
        step(bus, k)
        assert "'head'" not in bus.errors("torso")
    for k in range(125, 140):  # 0.2 s after the first of them
        step(bus, k)
    assert "'head'" in bus.errors("torso")


def test_nobody_is_missing_when_no_joint_states_come_any_more(bus):
    step(bus, 0)
    bus.dead.add("head")
    for k in range(1, 60):
        step(bus, k)
    assert "'head'" in bus.errors("torso")
    end = bus.time
    for k in range(50):  # those that still waited for it are given up
        bus.set_time(end + k * 20 * MS)
    assert "'head'" in bus.errors("torso")
    for k in range(50, 200):
        bus.set_time(end + k * 20 * MS)
    assert [bus.errors(name) for name in bus.sessions] == [""] * 5


def test_two_states_of_one_stamp_are_never_mixed(bus):
    """The first one counts everywhere, although the torso's joints are in the second one."""
    step(bus, 0)
    arms = [name for name in bus.names if name.startswith(("left", "right"))]
    rest = [name for name in bus.names if name not in arms]
    stamp = step(bus, 1, arms)
    processed = bus.vector(stamp)
    (q0, v0), (q1, v1) = motion(bus, 0), motion(bus, 1)
    places = [bus.names.index(name) for name in arms]
    q0[places], v0[places] = q1[places], v1[places]
    assert processed == pytest.approx(md.inverse_dynamics(bus.graph, q0, v0, np.zeros(19)), abs=1e-9)
    step(bus, 1, rest)
    assert np.array_equal(bus.vector(stamp), processed)
    assert bus.sessions["torso"].record.counts.rejected["repeated stamp"] == 1
    assert bus.vector(step(bus, 2)) == pytest.approx(
        md.inverse_dynamics(bus.graph, *motion(bus, 2), np.zeros(19)), abs=1e-9
    )


def test_a_recording_that_begins_again_is_processed_again(bus):
    first = [bus.vector(step(bus, k)) for k in range(60)]
    for session in bus.sessions.values():
        session._node.sent["~/joint_torques"].clear()
        bus._delivered = {name: {} for name in bus.sessions}
        for messages in session._node.sent.values():
            messages.clear()
    again = [bus.vector(step(bus, k)) for k in range(60)]
    assert np.array_equal(again[1:], first[1:])


def test_a_state_without_a_stamp_is_refused(bus):
    session = bus.sessions["head"]
    session.receive(JointState(name=["head_pan", "head_tilt"], position=[0.0, 0.0]), message_info(1))
    assert session.record.counts.rejected == {"no stamp": 1}


def test_a_state_that_is_complete_too_late_is_not_processed_and_so_is_one_that_was_overtaken(bus):
    torso = bus.sessions["torso"]
    bus.dead.add("base")
    step(bus, 0)
    bus.dead.discard("base")
    bus.sessions["base"]._node.time = bus.time
    q, v = motion(bus, 0)
    message = JointState(name=bus.names, position=q.tolist(), velocity=v.tolist())
    message.header.stamp = stamp_message(bus.time)
    for session in bus.sessions.values():
        session._node.time = bus.time + 201 * MS
    bus.sessions["base"]._node.time = bus.time
    bus.sessions["base"].receive(message, message_info(bus.time))
    bus.deliver()
    assert torso.record.counts.rejected == {"too late": 1}
    assert torso._node.sent["~/wrench_out"] == []


def wrench(frame, force=(0.0, 0.0, 0.0), stamp=1):
    return WrenchWriter().write(stamp_message(stamp), frame, np.array([*force, 0.0, 0.0, 0.0]))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (wrench("head_tilt_link"), "is 'head_tilt_link'; it must be that of its connection"),
        (wrench("nowhere"), "is 'nowhere'; it must be"),
        (wrench("torso", (np.nan, 0.0, 0.0)), "NaN"),
        (wrench("torso", (0.0, 1e300, 0.0)), "wrench from 'head' refused: wrench in frame"),
        (wrench("torso", (0.0, 1e300, 0.0)), "holds 1e+300; sizes of at most 1e+09 are taken"),
        (wrench("torso", stamp=0), "no stamp"),
    ],
)
def test_a_bad_wrench_is_refused_and_a_good_one_still_counts(bus, message, words):
    bus.dead.add("head")
    stamp = step(bus, 0)
    link = bus.sessions["head"].part.connection.link
    message.header.frame_id = message.header.frame_id.replace("torso", link)
    if message.header.stamp.nanosec:
        message.header.stamp = stamp_message(stamp)
    bus.publish("head/wrench_out", message)
    assert words in " ".join(bus.sessions["torso"]._node.log.texts("neighbours"))
    assert set(bus.torques(stamp)) == {n for n in bus.names if n.startswith(("left", "right"))}
    bus.publish("head/wrench_out", wrench(link, stamp=stamp))
    assert len(bus.torques(stamp)) == 17


def test_a_foreign_program_is_one_of_the_subsystems(bus):
    """Without the head's node, a wrench from elsewhere: what it is, the torso and the base believe."""
    bus.dead.add("head")
    stamp = step(bus, 0)
    force = np.array([3.0, -4.0, 50.0])
    link = bus.sessions["head"].part.connection.link
    bus.publish("head/wrench_out", wrench(link, force, stamp))
    at = bus.graph.subsystem("head").connection
    zeta = md.algebra.adjoint(at.x_link_connection.conjugate(), md.DualQuaternion.pure(force, np.zeros(3)))
    given = {"head": zeta.vec6()}
    expected = md.inverse_dynamics(bus.graph, *motion(bus, 0), np.zeros(19), black_box_wrenches=given)
    known = ~np.isnan(expected)
    assert known.sum() == 17
    assert bus.vector(stamp)[known] == pytest.approx(expected[known], abs=1e-9)


@pytest.mark.parametrize("processed", [False, True])
def test_two_nodes_of_one_subsystem_that_disagree_are_named(bus, processed):
    """The first message of a stamp counts; that another one says something else must not stay hidden."""
    bus.dead |= {"head"} if processed else {"head", "left_arm"}
    stamp, link = step(bus, 0), bus.sessions["head"].part.connection.link
    texts = bus.sessions["torso"]._node.log.texts
    for force in ((3.0, 0.0, 0.0), (3.0, 0.0, 0.0)):  # twice the same: no harm
        bus.publish("head/wrench_out", wrench(link, force, stamp))
        assert texts("neighbours") == []
    assert (bus.sessions["torso"].record.counts.processed == 1) == processed
    bus.publish("head/wrench_out", wrench(link, (3.1, 0.0, 0.0), stamp))
    assert "different messages with one stamp came from 'head'" in texts("neighbours")[0]


def test_one_file_may_hold_the_parameters_of_all():
    order = ["left_elbow_flexion", "head_tilt", "head_pan"]
    bus = SubsystemBus(CHARMIE, absent_joints=("head_pan:=0.1",), controller_joints=tuple(order))
    names = [name for name in bus.names if name != "head_pan"]
    (q, v), stamp = motion(bus, 0), step(bus, 0, names)
    q[bus.names.index("head_pan")], v[bus.names.index("head_pan")] = 0.1, 0.0
    expected = md.inverse_dynamics(bus.graph, q, v, np.zeros(19))
    assert bus.vector(stamp) == pytest.approx(expected, abs=1e-9)
    (commands,) = bus.sessions["head"]._node.sent["~/effort_commands"]
    assert list(commands.data) == [bus.torques(stamp)[name] for name in order[1:]]
    with pytest.raises(RobotError, match="absent_joints names 'nose'"):
        SubsystemBus(CHARMIE, absent_joints=("nose:=0.1",))


@pytest.mark.parametrize(
    ("subsystem", "words"), [("tail", "has no subsystem 'tail'; it has base, torso"), ("", "no subsystem ''")]
)
def test_an_unknown_subsystem_is_refused(subsystem, words):
    with pytest.raises(RobotError, match=words):
        SubsystemSession.load(CHARMIE, SubsystemParameters(subsystem=subsystem))


def test_the_wrench_of_a_black_box_comes_from_elsewhere(four_link, boxed_branch):
    bus = SubsystemBus(four_link, boxed_branch)
    assert list(bus.sessions) == ["stem", "left_branch"]
    stamp = step(bus, 0)
    assert set(bus.torques(stamp)) == {"left"}
    bus.publish("right_branch/wrench_out", wrench("right_branch/connection_point", (1.0, 2.0, 3.0), stamp))
    given = {"right_branch": [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]}
    q, v = motion(bus, 0)
    expected = md.inverse_dynamics(
        bus.graph, q, v, np.zeros(4), external_wrenches=None, black_box_wrenches=given
    )
    assert bus.vector(stamp)[:3] == pytest.approx(expected[:3], abs=1e-9)


@pytest.mark.parametrize(
    ("prefix", "frame"),
    [
        ("right_branch/", "right_branch/connection_point"),
        ("right_branch/", "right_branch/right_branch/connection_point"),
        ("left/", "right_branch/connection_point"),
        ("left/", "left/right_branch/connection_point"),
    ],
)
def test_a_connection_point_is_known_with_and_without_the_prefix(four_link, boxed_branch, prefix, frame):
    """The prefix may be the successor's name."""
    bus = SubsystemBus(four_link, boxed_branch, frame_prefix=prefix)
    stamp = step(bus, 0)
    bus.publish("right_branch/wrench_out", wrench(frame, (1.0, 2.0, 3.0), stamp))
    assert bus.sessions["stem"]._node.log.texts("neighbours") == []
    given = {"right_branch": [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]}
    expected = md.inverse_dynamics(bus.graph, *motion(bus, 0), np.zeros(4), black_box_wrenches=given)
    assert bus.vector(stamp)[:3] == pytest.approx(expected[:3], abs=1e-9)


def test_a_robot_that_is_replaced_answers_no_more_and_the_next_one_counts_on(bus):
    """Its neighbours have the next robot from then on."""
    step(bus, 0)
    head = bus.sessions["head"]
    parameters = SubsystemParameters(subsystem="head")
    successor = SubsystemSession(head._node, SubsystemSession.load(CHARMIE, parameters), parameters)
    successor.activate(None)
    head.finish()
    successor.continue_from(head)
    bus.dead.add("head")
    head.deactivate()
    assert successor.record.counts.processed == 1
    stamp = step(bus, 1)  # to the one before
    assert not {"head_pan", "torso_lift"} & bus.torques(stamp).keys()


STALE_INPUT = "stale input: no joint state was processed for 0.2 s; publishing nothing"


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


def test_a_lost_neighbour_and_stale_input_last_until_a_state_is_processed(bus):
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
    assert not [line for line in log.lines if "resolved" in line]
    assert log.lines.count(STALE_INPUT) == 1
    bus.start("head")
    first = bus.time // 5_000_000 + 1
    for k in range(first, first + 800):  # 4 s, all of them processed
        step(bus, k)
        log.look()
    resolved = [line for line in log.lines if "resolved; it was: " in line]
    assert any(line.startswith("neighbours: ") and "subsystem 'head'" in line for line in resolved)
    assert STALE_INPUT.replace(": ", ": resolved; it was: ", 1) in resolved
    assert len(log.lines) == len({*log.lines})

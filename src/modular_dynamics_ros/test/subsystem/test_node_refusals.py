"""What subsystem sessions refuse, by itself and among others; foreign programs, parameters."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.nodes.subsystem_bus import SubsystemBus, motion, step
from helpers.paths import ROBOTS
from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.messages.geometry import WrenchWriter
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.parameters.nodes import SubsystemParameters
from modular_dynamics_ros.subsystem.node import SubsystemSession

pytestmark = pytest.mark.ros
CHARMIE = str(ROBOTS / "charmie.urdf")


@pytest.fixture
def bus():
    return SubsystemBus(CHARMIE)


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


@pytest.mark.parametrize("answered", [False, True])
def test_two_nodes_of_one_subsystem_that_disagree_are_named(bus, answered):
    """The first message of a stamp counts; that another one says something else must not stay hidden."""
    bus.dead |= {"head"} if answered else {"head", "left_arm"}
    stamp, link = step(bus, 0), bus.sessions["head"].part.connection.link
    texts = bus.sessions["torso"]._node.log.texts
    for force in ((3.0, 0.0, 0.0), (3.0, 0.0, 0.0)):  # twice the same: no harm
        bus.publish("head/wrench_out", wrench(link, force, stamp))
        assert texts("neighbours") == []
    assert (bus.sessions["torso"].record.counts.answered == 1) == answered
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
    assert successor.record.counts.answered == 1
    stamp = step(bus, 1)  # to the one before
    assert not {"head_pan", "torso_lift"} & bus.torques(stamp).keys()

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from helpers.nodes.lone_node import lone_node, message_info, receive
from helpers.paths import ROBOTS
from modular_dynamics_ros.exceptions import RobotError
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.status import ERROR
from modular_dynamics_ros.messages.subsystems import ConnectionWrenchesWriter
from modular_dynamics_ros.parameters.nodes import ReactionParameters
from modular_dynamics_ros.reactions.node import ReactionSession

pytestmark = pytest.mark.ros
NEAR, FAR = np.zeros(19), np.eye(19)[-1]  # the last joint jumps by 1 rad


@pytest.fixture
def session():
    parameters = ReactionParameters(rules_file=str(ROBOTS / "charmie_torso_rules.yaml"), loads="topics")
    computation = ReactionSession.load(str(ROBOTS / "charmie_torso.urdf"), parameters)
    made = ReactionSession(lone_node(), computation, parameters)
    made.activate(None)
    return made


def set_time(session, now):
    session._node.time = now


def send(session, stamp, q, *, with_wrenches=True):
    node, header = session._node, stamp_message(stamp)
    state = JointState(name=session.robot.state_names, position=q.tolist())
    state.header.stamp = header
    session.receive(state, message_info(node.time))
    if with_wrenches:
        send_wrenches(session, header, session.reactions.load_names)


def send_wrenches(session, stamp, names, **changes):
    root = session.robot.graph.ground.name
    message = ConnectionWrenchesWriter(names).write(stamp, lambda index: (root, np.zeros(6)))
    for field, value in changes.items():
        setattr(message, field, value)
    receive(session._node, "dynamics_node/connection_wrenches", message)


def test_a_refused_state_leaves_no_trace(session):
    send(session, 1, NEAR)
    for _ in range(2):  # a stamp that comes twice
        send(session, 2, FAR, with_wrenches=False)
    send_wrenches(session, stamp_message(2), session.reactions.load_names)  # of which of the two?
    send(session, 3, NEAR)
    send(session, 4, FAR, with_wrenches=False)
    set_time(session, 24 * 10**7)  # its wrenches never come
    session.on_watch()
    send(session, 24 * 10**7 + 5, NEAR)
    values = {key: value for status in session.statuses() for key, value in status.values.items()}
    assert (values["messages out"], values["messages rejected"]) == ("3", "2")
    assert values["answers with a new search for the assembly mode"] == "1"  # the first


def test_states_that_are_refused_for_long_show_where_the_loops_are_closed(session):
    for tenth in range(4):
        set_time(session, tenth * 10**8)
        session.on_watch()
        send(session, session._node.time + 1, NEAR, with_wrenches=tenth in (0, 3))
    assert session.record.last.state.stamp == 3 * 10**8 + 1
    assert session.record.last.configuration.continues_last


def test_a_state_continues_the_one_before_although_that_still_waits(session):
    send(session, 1, FAR, with_wrenches=False)
    send(session, 2, FAR)
    assert session.record.last.configuration.continues_last


@pytest.mark.parametrize("now", [0, -33 * 10**9])
def test_what_waits_is_given_up_although_the_clock_stands_still_or_is_set_back(session, now):
    send(session, 1, NEAR, with_wrenches=False)
    session._node.time, session._node.steady = now, lambda: 3 * 10**8
    session.on_watch()
    assert session.record.counts.rejected == {"no connection wrenches": 1}
    status = next(status for status in session.statuses() if status.name == "connection wrenches")
    assert status.level == ERROR


def test_what_waits_when_a_recording_begins_again_is_counted(session):
    set_time(session, 33 * 10**9)
    send(session, 33 * 10**9, NEAR, with_wrenches=False)
    set_time(session, 1)
    send(session, 1, NEAR)
    session.on_watch()
    counts = session.record.counts
    assert (counts.received, counts.answered) == (2, 1)
    assert counts.rejected == {"no connection wrenches": 1}


def test_wrenches_that_cannot_be_used_are_named_and_the_state_goes_on_waiting(session):
    names, stamp = session.reactions.load_names, stamp_message(1)
    send(session, 1, NEAR, with_wrenches=False)
    send_wrenches(session, stamp, names[1:])
    send_wrenches(session, stamp, names, frames=["head_of_another"] * len(names))
    texts = " ".join(session._node.log.texts("connection wrenches"))
    assert f"no wrench of '{names[0]}'" in texts
    assert "'head_of_another' of" in texts
    assert session.record.counts.answered == 0
    send_wrenches(session, stamp, names)
    assert session.record.counts.answered == 1


def test_rules_are_read_and_tried_where_the_robot_is_prepared():
    """That happens in a thread; a session is made between two joint states."""
    with pytest.raises(RobotError, match="rules_file is empty"):
        ReactionSession.load(str(ROBOTS / "charmie_torso.urdf"), ReactionParameters())

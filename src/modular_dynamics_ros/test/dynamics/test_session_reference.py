"""Joint states with and without a reference: what is processed, and what is said about it."""

import numpy as np
import pytest

from helpers.nodes.dynamics_harness import NAMES, Q, V, expected
from helpers.nodes.lone_node import hand_over, receive
from helpers.nodes.sessions.lone_session import LoneSession, S
from modular_dynamics_ros.dynamics.session import DynamicsSession
from modular_dynamics_ros.messages.status import OK, WARN
from modular_dynamics_ros.messages.trajectories import trajectory_message

A = np.array([0.5, -1.0, 2.0, 3.0])


class Session(LoneSession):
    """Takes references from 1 s to 2 s that end in motion, and joint states."""

    def __init__(self, description, **parameters):
        super().__init__(description, acceleration_source="reference", **parameters)

    def refer(self, names=NAMES, velocity=V):
        order = [NAMES.index(name) for name in names]
        points = [(Q[order], velocity[order], A[order])] * 2
        receive(self.node, "reference", trajectory_message(S, names, [0, S], points))

    def torques_at(self, time):
        """Of a state [s]; None where it is not processed."""
        sent = self.send(time)
        return sent[0].effort.tolist() if sent else None

    @property
    def warnings(self):
        return self.node.log._logger.warning.call_args_list


def test_a_large_reference_that_is_being_read_when_the_robot_is_changed_counts_for_the_changed_one(four_link):
    session = Session(four_link, without_reference="stop")
    node, count = session.node, 1000
    points, offsets = [(Q, V, A)] * count, [round(k * S / (count - 1)) for k in range(count)]
    receive(node, "reference", trajectory_message(S, NAMES, offsets, points))
    changed = Session.__new__(Session)  # in the same node
    prepared = Session.load(four_link, session.parameters)._replace(described=session.prepared.described)
    DynamicsSession.__init__(changed, node, prepared, session.parameters)
    changed.activate(None)
    changed.continue_from(session)
    session.finish()
    hand_over(changed._reference._worker)
    session.destroy()
    assert changed.torques_at(2.0) == expected(four_link, a=A).tolist()
    assert session.computation.accelerations.reference.active_at(S) is None


@pytest.mark.parametrize("without_reference", ["zero", "hold", "stop"])
def test_a_state_without_reference_is_processed_as_the_parameter_says(four_link, without_reference):
    session = Session(four_link, without_reference=without_reference)
    zero, last = (expected(four_link, a=a).tolist() for a in (np.zeros(4), A))
    nothing = None if without_reference == "stop" else zero
    assert session.torques_at(0.5) == nothing
    session.refer()
    assert session.torques_at(0.999) == nothing
    assert session.torques_at(2.0) == last
    for time in (2.000_001, 2.2):  # stale_after is 0.2 s
        assert session.torques_at(time) == (last if without_reference == "hold" else nothing)
    assert session.torques_at(2.201) == nothing


def test_that_the_end_of_a_reference_is_held_is_a_warning(four_link):
    session = Session(four_link, without_reference="hold")
    session.refer()
    for time, level, words in ((2.0, OK, ""), (2.000_001, WARN, "its last point is over")):
        session.torques_at(time)
        status = session.statuses()[0]
        assert (status.level, words in status.message) == (level, True)


def test_a_missing_reference_is_said_once(four_link):
    session = Session(four_link)
    for k in range(100):
        session.torques_at(0.5 + 0.002 * k)
    (warning,) = session.warnings
    assert warning.args[0] == "reference: none covers this instant: accelerations are taken as zero"
    status, output = session.statuses()[:2]
    assert (status.level, "reference: none covers this instant" in status.message) == (WARN, True)
    assert "none covers this instant" in output.values["acceleration source"]


def test_a_reference_that_ends_at_rest_is_no_problem(four_link):
    session = Session(four_link)
    session.refer(velocity=np.zeros(4))
    assert session.torques_at(2.5) == expected(four_link).tolist()
    assert session.warnings == []
    status, output = session.statuses()[:2]
    assert status.level == OK
    assert output.values["acceleration source"] == "reference: over: accelerations are zero"


def test_that_a_reference_ended_at_rest_does_not_help_where_one_is_needed(four_link):
    session = Session(four_link, without_reference="stop")
    session.refer(velocity=np.zeros(4))
    assert session.torques_at(2.5) is None
    assert "no reference covers the stamp" in session.node.log.texts("joint_states")[0]


def test_joints_that_the_reference_does_not_name_are_reported(four_link):
    session = Session(four_link)
    session.refer([NAMES[2], NAMES[0]])
    assert session.torques_at(1.0) == expected(four_link, a=A * [1.0, 0.0, 1.0, 0.0]).tolist()
    source = session.statuses()[1].values["acceleration source"]
    assert source == "reference: running; zero for 'bend', 'right', which it does not name"

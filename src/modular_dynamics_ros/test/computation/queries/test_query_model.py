"""Solvers of a robot for requests: wrenches, assembly modes, coordinates."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.query_subjects import hand, solve, subject_of
from helpers.robots.closed_robots import STATES, path
from helpers.wrenches import NOW
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.queries.errors import code_of
from modular_dynamics_ros.computation.queries.query_model import QueryModel
from modular_dynamics_ros.computation.queries.requested_state import RequestedState, state_of
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros

FORCE = np.array([5.0, -3.0, 2.0, 0.4, 0.6, -0.7])


def test_external_wrenches_on_one_link_add_up():
    subject = subject_of(hand())
    given = QueryModel(subject.robot, subject.settings).given(
        subject, [("l4", FORCE), ("l4", FORCE), ("l1", FORCE)]
    )
    assert given.external["l4"].tolist() == (2 * FORCE).tolist()
    assert given.external["l1"].tolist() == FORCE.tolist()
    with pytest.raises(BadMessage, match="no link 'nix' in 'hand'"):
        QueryModel(subject.robot, subject.settings).given(subject, [("nix", FORCE)])


def test_black_boxes_count_as_in_answers_to_joint_states(four_link, boxed_branch):
    last, boxes = (np.zeros(3), np.zeros(3)), {"right_branch": FORCE}
    subject = subject_of(four_link, partition=boxed_branch, last=last, boxes=boxes, stale_after=0.2)

    def given(**changed):
        asked = replace(subject, **changed)
        return QueryModel(asked.robot, asked.settings).given(asked, []).boxes.measured["right_branch"]

    assert given() == pytest.approx(FORCE, abs=1e-12)
    late = NOW + 300_000_000
    with pytest.raises(BadMessage, match="no wrench of black box 'right_branch' in the last"):
        given(now=late)
    assert subject.wrenches.black_box.stops == 0  # asking changes nothing
    zero = ComputationSettings(stale_after=0.2, on_stale_black_box="zero")
    assert not given(now=late, settings=zero).any()


def test_where_a_black_box_was_measured_is_known_after_an_answer_only(four_link, boxed_branch):
    subject = subject_of(four_link, partition=boxed_branch, boxes={"right_branch": FORCE})
    with pytest.raises(BadMessage, match="the wrench of black box 'right_branch' was measured") as refused:
        QueryModel(subject.robot, subject.settings).given(subject, [])
    assert code_of(refused.value) == "REFUSED"
    none = subject_of(four_link, partition=boxed_branch, boxes={"right_branch": np.zeros(6)})
    assert QueryModel(none.robot, none.settings).given(none, []).boxes.at({}) == {
        "right_branch": pytest.approx(0)
    }


def passive_state(subject, q, passive):
    names = [*subject.robot.state_names, *subject.robot.passive_names]
    return state_of(subject.robot, RequestedState(names, np.append(q, passive)), subject.last)


def test_loops_are_closed_from_the_last_answer_however_far():
    """In the mode that measured joints selected there."""
    name = "four_bar"
    subject = subject_of(path(name))
    model = QueryModel(subject.robot, subject.settings)
    usual = model.configuration(state_of(subject.robot, RequestedState(["J1"], np.array([0.7])), None), None)
    graph = subject.robot.graph
    places = [graph.q_slice(joint).start for joint in subject.robot.passive_names]
    other = usual.coordinates.copy()
    other[places] *= -1.0
    crossed = model.solver.solver.close([0.7], other)
    assert np.abs(crossed - usual.coordinates).max() > 0.5
    selected = model.configuration(passive_state(subject, [0.7], crossed[places]), None)
    assert selected.coordinates == pytest.approx(crossed, abs=1e-9)
    far = model.configuration(
        state_of(subject.robot, RequestedState(["J1"], np.array([2.0])), None), selected
    )
    assert far.coordinates == pytest.approx(model.solver.solver.close([2.0], crossed), abs=1e-9)
    assert np.abs(far.coordinates - model.solver.solver.close([2.0], usual.coordinates)).max() > 0.5


def test_passive_joints_elsewhere_are_refused_and_named():
    subject = subject_of(path("four_bar"))
    model = QueryModel(subject.robot, subject.settings)
    with pytest.raises(BadMessage, match="loops do not close with the passive joints as given") as refused:
        model.configuration(passive_state(subject, STATES["four_bar"], [1.0, 1.0]), None)
    assert subject.robot.passive_names[0] in str(refused.value)
    model.set_tolerance(10.0)
    model.configuration(passive_state(subject, STATES["four_bar"], [1.0, 1.0]), None)


def test_no_joints_mean_the_state_that_was_answered_however_passive_joints_were_measured():
    subject = subject_of(path("four_bar"))
    one, q = Computation(subject.robot, subject.settings), np.array([0.7])
    closed = one.compute(one.observe(NOW, q, q), NOW).configuration.coordinates
    places = [subject.robot.graph.q_slice(joint).start for joint in subject.robot.passive_names]
    measured = one.observe(NOW + 1, q, q, measured=closed[places] + 0.05)
    answer = one.compute(measured, NOW + 1)
    assert answer.configuration.disagreements
    model = QueryModel(subject.robot, subject.settings)
    again = model.configuration(state_of(subject.robot, RequestedState(), answer), answer.configuration)
    assert again.coordinates == pytest.approx(closed, abs=1e-9)


def test_velocities_keep_loops_closed():
    solved = solve(subject_of(path("crane")), STATES["crane"], [0.1, 0.2, 0.3])
    v = solved.model.velocities(solved.configuration, solved.state)
    dynamics = solved.model.solver.solve(solved.configuration, solved.state, solved.wrenches)
    assert v == pytest.approx(dynamics.result.velocities, abs=1e-12)

"""Solvers of a robot for requests: wrenches, assembly modes, coordinates."""

import numpy as np
import pytest

from helpers.query_subjects import hand, solve, subject_of
from helpers.robots.closed_robots import STATES, path
from helpers.wrenches import NOW, feed
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.queries.query_model import QueryModel, Subject
from modular_dynamics_ros.computation.queries.requested_state import RequestedState, state_of
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.exceptions import BadMessage

pytestmark = pytest.mark.ros

FORCE = np.array([5.0, -3.0, 2.0, 0.4, 0.6, -0.7])


def test_external_wrenches_on_one_link_add_up():
    subject = subject_of(hand())
    loads = QueryModel(subject.robot, subject.settings).loads(
        subject, [("l4", FORCE), ("l4", FORCE), ("l1", FORCE)]
    )
    assert loads.external["l4"].tolist() == (2 * FORCE).tolist()
    assert loads.external["l1"].tolist() == FORCE.tolist()
    with pytest.raises(BadMessage, match="no link 'nix' in 'hand'"):
        QueryModel(subject.robot, subject.settings).loads(subject, [("nix", FORCE)])


def test_black_boxes_count_as_in_answers_to_joint_states(four_link, boxed_branch):
    settings = ComputationSettings(stale_after=0.2)
    one = Computation(load_robot(four_link, boxed_branch), settings)
    feed(one, "right_branch", FORCE)

    def loads(now):
        subject = Subject(one.robot, one.settings, one.wrenches, None, now)
        return QueryModel(one.robot, one.settings).loads(subject, []).boxes

    assert "right_branch" in loads(NOW)
    with pytest.raises(BadMessage, match="no wrench of black box 'right_branch' in the last"):
        loads(NOW + 300_000_000)
    assert one.wrenches.black_box.stops == 0  # asking changes nothing
    one.apply_settings(ComputationSettings(stale_after=0.2, on_stale_black_box="zero"))
    assert not loads(NOW + 300_000_000)["right_branch"].values.any()


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


def test_velocities_keep_loops_closed():
    solved = solve(subject_of(path("crane")), STATES["crane"], [0.1, 0.2, 0.3])
    v = solved.model.velocities(solved.configuration, solved.state)
    dynamics = solved.model.solver.solve(solved.configuration, solved.state, solved.wrenches)
    assert v == pytest.approx(dynamics.result.velocities, abs=1e-12)

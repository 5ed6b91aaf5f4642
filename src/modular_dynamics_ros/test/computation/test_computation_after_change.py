"""A changed robot goes on where the one before was: filter, references, wrenches, loops, what holds it."""

import time
from contextlib import nullcontext

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics_ros.computation.accelerations.filtered_acceleration import (
    FilteredAcceleration,
    FilterState,
)
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot, robot_of
from modular_dynamics_ros.computation.values import ComputationSettings, Coverage, joint_indices
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival
from modular_dynamics_ros.exceptions import BadMessage

PERIOD, NOW = 2_000_000, 1_700_000_000_000_000_000
WRENCH = np.arange(1.0, 7.0)


def velocity(k):
    t = 2e-3 * k
    return np.array([np.sin(3 * t), 0.5 + t, np.cos(2 * t)])


@pytest.mark.parametrize("samples", [3, 60])  # before and after its period is known
def test_the_filter_goes_on_for_joints_that_stay_and_starts_with_a_new_one(samples):
    through, before, after, new = (FilteredAcceleration(n, 10.0) for n in (3, 3, 2, 3))
    for k in range(samples):
        for one in (through, before):
            one.update(NOW + k * PERIOD, velocity(k))
    after.continue_from(before, np.array([2, 0]))
    new.continue_from(before, np.array([2, -1, 0]))
    last = before.update(NOW + samples * PERIOD, velocity(samples))
    assert (last is None) == (samples == 3)  # it stays as it is
    for k in range(samples, samples + 80):
        stamp, v = NOW + k * PERIOD, velocity(k)
        expected, got = through.update(stamp, v), after.update(stamp, v[[2, 0]])
        assert (got is None) == (expected is None)
        if got is not None:
            assert got.tolist() == expected[[2, 0]].tolist()
        assert (new.update(stamp, v) is None) == (k < samples + 5)
    assert after.state is FilterState.RUNNING


def computation(four_link, change=lambda graph: graph, **settings):
    robot = load_robot(four_link)
    return Computation(robot_of(change(robot.graph)), ComputationSettings(**settings))


def changed(before, change, last=None):
    after = Computation(robot_of(change(before.robot.graph)), before.settings)
    after.keep_base_states(before)
    after.continue_after_change(before, last)
    return after


def lock(graph):
    return graph.lock({"bend": 0.2})


def attach(graph, urdf):
    return graph.attach(md.load_urdf(urdf), "left_branch", prefix="g/")


def test_no_state_is_refused_because_the_filter_would_start(four_link):
    before = computation(four_link, acceleration_source="filtered")
    q, names = np.zeros(4), before.robot.state_names

    def v(k):
        return 2e-3 * k * np.array([1.0, 2.0, 3.0, 4.0])  # constant accelerations

    for k in range(400):
        with pytest.raises(BadMessage, match="the filter starts") if k < 5 else nullcontext():
            before.observe(NOW + k * PERIOD, q, v(k))
    after = changed(before, lock)
    # joint states that are still on their way reach the filter by the robot before
    before.observe(NOW + 400 * PERIOD, q, v(400))
    where = joint_indices(after.robot.state_names, names)
    for k in range(401, 410):
        state = after.observe(NOW + k * PERIOD, q[where], v(k)[where])
        assert state.a == pytest.approx([1.0, 3.0, 4.0], abs=1e-4)


def test_changes_that_follow_without_a_state_between_pass_the_filter_on(four_link):
    before = computation(four_link, acceleration_source="filtered")
    for k in range(400):
        with_start = before.accelerations.filter.update(NOW + k * PERIOD, np.full(4, 2e-3 * k))
    assert with_start == pytest.approx(1.0, abs=1e-4)
    after = changed(changed(before, lock), lambda graph: graph.with_payload("base", mass=1.0))
    state = after.observe(NOW + 400 * PERIOD, np.zeros(3), np.full(3, 0.8))
    assert state.a == pytest.approx(1.0, abs=1e-4)


def test_references_stay_in_force(four_link, gripper_urdf):
    before = computation(four_link, acceleration_source="reference", without_reference="stop")
    instants = np.array([NOW, NOW + 10**9])
    a = np.array([[1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]])
    before.accelerations.reference.add(ReferenceTrajectory.through(instants, accelerations=a), NOW)
    after = changed(before, lambda graph: attach(lock(graph), gripper_urdf))
    state = after.observe(NOW + 5 * 10**8, np.zeros(4), np.zeros(4))
    assert (state.a.tolist(), state.coverage) == ([1.5, 3.5, 4.5, 0.0], Coverage.COVERED)
    assert "zero for 'g/finger', which it does not name" in after.accelerations.description(state)
    assert before.observe(NOW, np.zeros(4), np.zeros(4)).a.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_wrenches_stay_where_their_links_do(four_link, gripper_urdf):
    before = computation(four_link, lambda graph: attach(graph, gripper_urdf))
    arrival = Arrival(NOW, time.monotonic_ns())
    for link in ("g/jaw", "left_branch"):
        before.wrenches.take_external(link, WRENCH, arrival)
    after = changed(before, lambda graph: graph.without("g/palm"))
    external, _ = after.wrenches.current(NOW, after.settings)
    assert {link: wrench.tolist() for link, wrench in external.items()} == {"left_branch": WRENCH.tolist()}
    assert before.wrenches.current(NOW, before.settings)[0].keys() == {"g/jaw", "left_branch"}


def test_the_wrench_of_a_black_box_stays_valid(four_link, boxed_branch):
    robot = load_robot(four_link, boxed_branch)
    before = Computation(robot, ComputationSettings())
    before.wrenches.take_black_box("right_branch", "upper_stem", WRENCH, Arrival(NOW, time.monotonic_ns()))
    after = changed(before, lambda graph: graph.with_payload("left_branch", mass=1.0))
    state = after.observe(NOW, np.zeros(3), np.zeros(3))
    got, expected = (
        one.compute(state, NOW).wrenches.black_box["right_branch"].tolist() for one in (after, before)
    )
    assert got == expected


def test_the_position_measured_last_is_held_by_the_changed_robot(four_link):
    before = computation(four_link)
    q = np.array([0.3, -0.5, 0.7, 0.2])
    last = before.compute(before.observe(NOW, q, np.ones(4)), NOW)
    after = changed(
        before, lambda graph: graph.with_payload("left_branch", mass=2.0).lock({"turn": 0.3}), last
    )
    held = after.hold(after.answer_after_change(before.robot, last))
    graph = after.robot.graph
    assert held.effort.tolist() == md.gravity_torque(graph, q[1:]).tolist()


def test_a_new_joint_is_nowhere_to_be_held(four_link, gripper_urdf):
    before = computation(four_link)
    last = before.compute(before.observe(NOW, np.zeros(4), np.zeros(4)), NOW)
    after = changed(before, lambda graph: attach(graph, gripper_urdf), last)
    assert after.answer_after_change(before.robot, last) is None
    assert after.positions(None) == {}


@pytest.mark.parametrize("with_gripper", [False, True])
def test_loops_keep_their_assembly_mode(root, gripper_urdf, with_gripper):
    robot = load_robot(root / "urdf/four_bar.urdf")
    before = Computation(robot, ComputationSettings())
    q, rest = np.array([0.5]), np.zeros(1)
    usual = before.compute(before.observe(NOW, q, rest), NOW).configuration.coordinates
    other = _other_mode(robot, q, usual)
    measured = np.array([other[robot.graph.q_slice(name)][0] for name in robot.passive_names])
    last = before.compute(before.observe(NOW, q, rest, (), measured), NOW)
    assert np.abs(last.configuration.coordinates - usual).max() > 0.1  # the other one, as measured

    def change(graph):
        loaded = graph.with_payload(graph.bodies[0].name, mass=1.0)
        return loaded.attach(md.load_urdf(gripper_urdf), graph.bodies[0].name) if with_gripper else loaded

    after = changed(before, change, last)
    names = after.robot.state_names
    state = np.array([{"finger": 0.02}.get(name, 0.501) for name in names])
    answer = after.compute(after.observe(NOW + PERIOD, state, np.zeros(len(names))), NOW)
    assert answer.configuration.continues_last
    found = [
        answer.configuration.coordinates[after.robot.graph.q_slice(n)][0] for n in robot.graph.joint_names
    ]
    assert found == pytest.approx(last.configuration.coordinates, abs=0.02)


def _other_mode(robot, q, usual):
    rng = np.random.default_rng(0)
    for _ in range(50):
        guess = rng.uniform(-3.0, 3.0, robot.graph.nq)
        try:
            closed = md.close_loops(robot.graph, q, guess)
        except md.ModularDynamicsError:
            continue
        if np.abs(np.sin((closed - usual) / 2)).max() > 0.1:
            return closed
    raise AssertionError("there is no other assembly mode")

"""Open chains and black boxes, and changed robots, which go on where the one before was; without ROS."""

import time
from contextlib import nullcontext, suppress
from dataclasses import replace

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint
from helpers.robots.urdf_text import robot as robot_text
from helpers.wrenches import NOW, arrival, feed
from modular_dynamics_ros.computation.accelerations.filtered_acceleration import (
    FilteredAcceleration,
    FilterState,
)
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceTrajectory
from modular_dynamics_ros.computation.computation import Computation, limit_efforts
from modular_dynamics_ros.computation.robot import FRICTION_SPEED, friction_torques, load_robot, robot_of
from modular_dynamics_ros.computation.values import ComputationSettings, Coverage, joint_indices
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival
from modular_dynamics_ros.dynamics.crosscheck import PinocchioCheck
from modular_dynamics_ros.exceptions import BadMessage, RobotError

pytestmark = pytest.mark.ros

S = 1_000_000_000
Q, V, REST = np.array([0.3, -0.5, 0.7, 0.2]), np.array([1.0, -2.0, 0.5, 0.1]), np.zeros(4)


@pytest.mark.parametrize("name", ["four_link", "exoskeleton"])
def test_gravity_is_turned_between_two_states(root, name):
    """Torques, and those that hold, are a robot's that was loaded with it; the cross-check follows."""
    path, turned = str(root / f"urdf/{name}.urdf"), (4.0, -3.0, -8.0)
    one = Computation(load_robot(path), ComputationSettings())
    other = Computation(load_robot(path, gravity=turned), ComputationSettings())
    check = PinocchioCheck.of(one.robot)
    q = np.full(len(one.robot.state_names), 0.1)
    before = one.compute(one.observe(NOW, q, q), NOW, None)
    one.set_gravity(turned)
    other.observe(NOW, q, q)
    assert one.hold(before).effort.tolist() == other.hold(before).effort.tolist()
    after, expected = (c.compute(c.observe(NOW + 10**8, q, q), NOW, before) for c in (one, other))
    assert after.effort.tolist() == expected.effort.tolist()
    assert abs(after.effort - before.effort).max() > 0.1
    assert [check(given).relative < 1e-11 for given in (before, after, before)] == [True] * 3


def test_the_cross_check_follows_gravity_where_black_boxes_are_left_out(four_link, boxed_branch):
    one = Computation(load_robot(four_link, boxed_branch), ComputationSettings())
    check, q = PinocchioCheck.of(one.robot), np.full(3, 0.1)
    for gravity in ((0.0, 0.0, -9.81), (1.0, 2.0, 3.0)):
        one.set_gravity(gravity)
        feed(one, "right_branch", np.ones(6), NOW)
        assert check(one.compute(one.observe(NOW, q, q), NOW, None)).relative < 1e-12


@pytest.fixture
def make(four_link, boxed_branch):
    robot = load_robot(four_link, boxed_branch)

    def computation(**settings):
        return Computation(robot, ComputationSettings(**settings))

    return computation


def effort(one, q=Q[:3], now=NOW):
    return one.compute(one.observe(now, q, np.zeros(3)), now).effort[:3]


def test_a_black_box_whose_wrench_stops_follows_the_parameter(make):
    later, wrench = NOW + 1_000_000_000, np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    for on_stale, expected in (("hold", wrench), ("zero", np.zeros(6))):
        one, reference = make(on_stale_black_box=on_stale), make()
        with pytest.raises(BadMessage, match="has come yet"):  # not even zeros before the first one
            effort(one)
        feed(one, "right_branch", wrench)
        feed(reference, "right_branch", expected, later)
        assert effort(one, 2.0 * Q[:3], later).tolist() == effort(reference, 2.0 * Q[:3], later).tolist()
    one = make()
    feed(one, "right_branch", wrench)
    with pytest.raises(BadMessage, match=r"no wrench of black box 'right_branch' in the last 0\.2 s"):
        effort(one, now=later)
    feed(one, "right_branch", wrench, later)
    assert effort(one, now=later) == pytest.approx(effort(one, now=later))


def test_an_external_wrench_that_stops_follows_the_parameter(make):
    later, push = NOW + 1_000_000_000, np.array([0.0, 10.0, 0.0, 0.0, 0.0, 0.0])

    def after(on_stale, wrench):
        one = make(on_stale_external_wrench=on_stale, on_stale_black_box="hold")
        feed(one, "right_branch", np.zeros(6))
        free = effort(one)
        one.wrenches.take_external("left_branch", wrench, arrival())
        pushed = effort(one)
        assert (np.abs(pushed - free).max() > 0.1) == wrench.any()
        return free.tolist(), pushed.tolist(), lambda: effort(one, now=later).tolist()

    free, _, stopped = after("zero", push)
    assert stopped() == free
    _, pushed, stopped = after("hold", push)
    assert stopped() == pushed
    *_, stopped = after("stop", push)
    with pytest.raises(BadMessage, match="no external wrench in frame 'left_branch'"):
        stopped()
    free, _, ended = after("stop", np.zeros(6))  # an explicit zero is a clean end
    assert ended() == free


def test_reversed_sensors_are_turned_by_a_parameter_alone(make):
    wrench = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    turned, plain = make(reversed_black_boxes=("right_branch",)), make()
    feed(turned, "right_branch", -wrench)
    feed(plain, "right_branch", wrench)
    assert effort(turned).tolist() == effort(plain).tolist()
    with pytest.raises(
        RobotError, match="names 'left_branch', but the black boxes of 'four_link' are right_"
    ):
        make(reversed_black_boxes=("left_branch",))


@pytest.fixture(scope="module")
def robot(four_link):
    return load_robot(four_link)


@pytest.fixture
def boxed(four_link, boxed_branch):
    """The same with a black box instead of the right branch."""
    return load_robot(four_link, boxed_branch)


def computation(robot, **settings) -> Computation:
    return Computation(robot, ComputationSettings(**settings))


def answer(one, q=Q, v=V, stamp=NOW, now=NOW):
    return one.compute(one.observe(stamp, q, v), now, None)


def relative_difference(given) -> float:
    """From Pinocchio's torques."""
    return PinocchioCheck.of(given.dynamics.robot)(given).relative


def test_torques_are_the_librarys(robot):
    given = answer(computation(robot))
    assert given.effort.tolist() == md.inverse_dynamics(robot.graph, Q, V, np.zeros(4)).tolist()
    assert relative_difference(given) < 1e-12


def test_an_answer_is_a_value_that_later_ones_do_not_change(robot):
    one = computation(robot)
    first = answer(one)
    kept = [part.copy() for part in (first.state.q, first.state.v, first.effort)]
    wrench = first.dynamics.tree.connection_wrench_in_link(0)[1].copy()
    answer(one, 2.0 * Q, 3.0 * V, NOW + 1)
    for before, part in zip(kept, (first.state.q, first.state.v, first.effort), strict=True):
        assert part.tolist() == before.tolist()
    assert first.dynamics.tree.connection_wrench_in_link(0)[1].tolist() == wrench.tolist()


def test_gravity_modes(robot):
    gravity = md.inverse_dynamics(robot.graph, Q, REST, REST)
    full = md.inverse_dynamics(robot.graph, Q, V, REST)
    for output, expected in (("gravity", gravity), ("full_minus_gravity", full - gravity)):
        given = answer(computation(robot, output=output))
        assert given.effort == pytest.approx(expected, abs=1e-13)
        # the wrenches are those of the motion in every mode
        moving = answer(computation(robot)).dynamics.tree
        assert given.dynamics.tree.connection_wrenches == pytest.approx(moving.connection_wrenches, abs=1e-12)


def test_holding_is_gravity_at_the_position_measured_last(robot):
    before, rest = np.zeros(4), REST.tolist()
    gravity = md.inverse_dynamics(robot.graph, Q, REST, REST)
    for output, expected in (("full", gravity), ("full_minus_gravity", REST)):
        one = computation(robot, output=output, acceleration_source="filtered")
        given = answer(computation(robot), before)
        with pytest.raises(BadMessage, match="no velocity"):
            one.observe(NOW, Q, REST, ("bend",))  # such a state is not processed
        held = one.hold(given)
        assert held.effort == pytest.approx(expected, abs=1e-13)
        assert (held.state.q.tolist(), held.state.v.tolist()) == (Q.tolist(), rest)
    one.forget()
    with pytest.raises(BadMessage, match="no position was measured"):
        one.hold(given)


def test_a_state_that_overflows_leaves_no_trace(robot):
    one = computation(robot, effort_limits="clip")
    before = answer(one, Q, 10.0 * V)
    assert before.exceeded.any()
    with np.errstate(all="ignore"), pytest.raises(BadMessage, match="so large"):
        answer(one, 2.0 * Q, np.full(4, 1e200), NOW + 1, NOW + 1)
    gravity = md.inverse_dynamics(robot.graph, 2.0 * Q, REST, REST)  # the position was good
    assert one.hold(before).effort == pytest.approx(gravity, abs=1e-13)


def test_an_overflow_does_not_stay_in_the_filter(robot, monkeypatch):
    one = computation(robot, acceleration_source="filtered")
    for k in range(20):
        with suppress(BadMessage):
            one.observe(NOW + k * 2_000_000, Q, np.zeros(4))
    state = one.observe(NOW + 20 * 2_000_000, Q, np.zeros(4))

    def overflowing(tau, limits, mode):
        return np.full_like(tau, np.nan), np.zeros(len(tau), bool)

    monkeypatch.setattr(Computation.__module__ + ".limit_efforts", overflowing)
    with pytest.raises(BadMessage, match="so large"):
        one.compute(state, NOW, None)
    with pytest.raises(BadMessage, match="the filter starts"):
        one.observe(NOW + 21 * 2_000_000, Q, np.zeros(4))


def test_a_state_without_its_black_boxs_wrench_leaves_no_trace(boxed):
    one = computation(boxed, stale_after=0.5)
    feed(one, "right_branch", np.ones(6))
    good = answer(one, Q[:3], V[:3])
    with pytest.raises(BadMessage, match="no wrench"):
        answer(one, np.ones(3), np.ones(3), NOW + S, NOW + S)
    held = one.hold(good)  # where it is now, with the last wrench that was known
    graph, q = one.robot.graph, np.array([1.0, 1.0, 1.0, 0.0])
    expected = md.inverse_dynamics(
        graph, q, REST, REST, external_wrenches=None, black_box_wrenches={"right_branch": np.ones(6)}
    )
    assert held.effort == pytest.approx(expected[:3], abs=1e-12)


@pytest.mark.parametrize(("parent", "mimic"), [("b", ""), ("a", "<mimic joint='j2' multiplier='2'/>")])
def test_joints_beyond_a_black_box_feel_how_it_stands(chain, parent, mimic):
    robot = load_robot(chain(parent, mimic))
    q, v = np.array([0.1, 1.5, 0.3])[: robot.graph.nv], np.array([0.4, -0.7, 0.2])[: robot.graph.nv]
    wrench = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    one = computation(robot)
    feed(one, "box", wrench)
    given = answer(one, q, v)
    a = np.zeros(robot.graph.nv)
    expected = md.inverse_dynamics(
        robot.graph, q, v, a, external_wrenches=None, black_box_wrenches={"box": wrench}
    )[robot.indices]
    assert np.isnan(expected).tolist() == [name == "j2" for name in robot.state_names]
    assert given.effort == pytest.approx(expected, abs=1e-12, nan_ok=True)
    at_zero = md.inverse_dynamics(
        robot.graph, [q[0], 0, *q[2:]], v, a, external_wrenches=None, black_box_wrenches={"box": wrench}
    )
    assert np.nanmax(np.abs(at_zero - expected)) > 0.1  # it does matter where the box stands


def test_a_new_cutoff_starts_a_new_filter_and_only_that(robot):
    assert computation(robot).accelerations.filter is None
    one = computation(robot, acceleration_source="filtered")
    before = one.accelerations.filter
    one.apply_settings(replace(one.settings, output="gravity"))
    assert one.accelerations.filter is before
    one.apply_settings(replace(one.settings, filter_cutoff=20.0))
    assert one.accelerations.filter.cutoff == 20.0


def test_velocities_do_not_matter_for_gravity_alone(robot):
    assert computation(robot).needs_velocity
    assert not computation(robot, output="gravity").needs_velocity
    assert computation(robot, output="gravity", friction="urdf").needs_velocity


TAU = np.array([10.0, -20.0, 3.0])
GRAVITY = np.array([4.0, -5.0, 6.0])
SPEED = np.array([2.0, -1.0, 0.0])
DAMPING, DRY = np.array([0.5, 1.0, 2.0]), np.array([0.3, 0.4, 0.5])


def test_friction_is_damping_and_dry_friction_along_the_motion():
    assert friction_torques(SPEED, DAMPING, DRY) == pytest.approx([0.5 * 2 + 0.3, -1.0 - 0.4, 0.0])


def test_dry_friction_rises_linearly_through_rest():
    slow = np.full(3, 0.5 * FRICTION_SPEED)
    assert friction_torques(slow, DAMPING, DRY) == pytest.approx(0.5 * DRY + 0.5 * FRICTION_SPEED * DAMPING)


def test_clip_cuts_each_joint_and_scale_keeps_the_direction():
    limits = np.array([5.0, 10.0, np.inf])
    tau = TAU.copy()
    clipped, exceeded = limit_efforts(tau, limits, "clip")
    assert (clipped.tolist(), exceeded.tolist()) == ([5.0, -10.0, 3.0], [True, True, False])
    scaled, exceeded = limit_efforts(tau, limits, "scale")
    assert scaled == pytest.approx(TAU / 2.0)
    assert exceeded.tolist() == [True, True, False]
    left, exceeded = limit_efforts(tau, limits, "off")
    assert left is tau
    assert not exceeded.any()
    assert tau.tolist() == TAU.tolist()  # they belong to the inverse dynamics, too


def test_a_mimic_joint_loads_its_driver():
    body = inertial(1.0, (0, 0, 0), np.eye(3))
    parts = ["<link name='base'/>", f"<link name='a'>{body}</link>", f"<link name='b'>{body}</link>"]
    own, follows = "<dynamics damping='0.5' friction='0.25'/>", "<mimic joint='driver' multiplier='-2'/>"
    more = f"<dynamics damping='1.0' friction='2.0'/>{follows}"
    parts.append(joint("driver", "revolute", "base", "a", (0, 0, 0), more=own))
    parts.append(joint("follower", "revolute", "base", "b", (0, 0, 0), more=more))
    graph = md.load_urdf(robot_text("gripper", parts))
    damping, dry = md.friction_coefficients(graph.joints, graph.joint_names)
    assert graph.joint_names == ("driver",)
    assert damping.tolist() == [0.5 + 4.0 * 1.0]  # virtual power: (-2 qd) 1.0 (-2 qd)
    assert dry.tolist() == [0.25 + 2.0 * 2.0]


PERIOD = 2_000_000  # [ns]
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


def changeable(four_link, change=lambda graph: graph, **settings):
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
    before = changeable(four_link, acceleration_source="filtered")
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
    before = changeable(four_link, acceleration_source="filtered")
    for k in range(400):
        with_start = before.accelerations.filter.update(NOW + k * PERIOD, np.full(4, 2e-3 * k))
    assert with_start == pytest.approx(1.0, abs=1e-4)
    after = changed(changed(before, lock), lambda graph: graph.with_payload("base", mass=1.0))
    state = after.observe(NOW + 400 * PERIOD, np.zeros(3), np.full(3, 0.8))
    assert state.a == pytest.approx(1.0, abs=1e-4)


def test_references_stay_in_force(four_link, gripper_urdf):
    before = changeable(four_link, acceleration_source="reference", without_reference="stop")
    instants = np.array([NOW, NOW + 10**9])
    a = np.array([[1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]])
    before.accelerations.reference.add(ReferenceTrajectory.through(instants, accelerations=a), NOW)
    after = changed(before, lambda graph: attach(lock(graph), gripper_urdf))
    state = after.observe(NOW + 5 * 10**8, np.zeros(4), np.zeros(4))
    assert (state.a.tolist(), state.coverage) == ([1.5, 3.5, 4.5, 0.0], Coverage.COVERED)
    assert "zero for 'g/finger', which it does not name" in after.accelerations.description(state)
    assert before.observe(NOW, np.zeros(4), np.zeros(4)).a.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_wrenches_stay_where_their_links_do(four_link, gripper_urdf):
    before = changeable(four_link, lambda graph: attach(graph, gripper_urdf))
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
    before = changeable(four_link)
    q = np.array([0.3, -0.5, 0.7, 0.2])
    last = before.compute(before.observe(NOW, q, np.ones(4)), NOW)
    after = changed(
        before, lambda graph: graph.with_payload("left_branch", mass=2.0).lock({"turn": 0.3}), last
    )
    held = after.hold(after.answer_after_change(before.robot, last))
    graph = after.robot.graph
    assert held.effort.tolist() == md.gravity_torque(graph, q[1:]).tolist()


def test_a_new_joint_is_nowhere_to_be_held(four_link, gripper_urdf):
    before = changeable(four_link)
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

from contextlib import nullcontext, suppress
from dataclasses import replace

import numpy as np
import pytest
import yaml

import modular_dynamics as md
from modular_dynamics_ros.computation.open_chain import Computation
from modular_dynamics_ros.computation.reference import ReferenceTrajectory
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.messages.bad_message import BadMessage
from modular_dynamics_ros.parameters.nodes import DynamicsParameters

pytestmark = pytest.mark.ros

NOW = 1_700_000_000_000_000_000
S = 1_000_000_000
Q, V = np.array([0.3, -0.5, 0.7, 0.2]), np.array([1.0, -2.0, 0.5, 0.1])
BOX = {
    "version": 1,
    "subsystems": [
        {"name": "stem", "joints": ["turn", "bend"]},
        {"name": "left_branch", "joints": ["left"]},
        {"name": "right_branch", "root_link": "right_branch", "black_box": True},
    ],
}


@pytest.fixture(scope="module")
def robot(four_link):
    return load_robot(four_link)


def computation(robot, **parameters) -> Computation:
    return Computation(robot, DynamicsParameters(**parameters))


def test_torques_are_the_librarys(robot):
    one = computation(robot)
    one.observe(NOW, Q, V)
    one.compute(NOW)
    assert one.effort.tolist() == md.inverse_dynamics(robot.graph, Q, V, np.zeros(4)).tolist()
    assert one.cross_check().relative < 1e-12


def test_the_reference_gives_the_accelerations(robot):
    one = computation(robot, acceleration_source="reference")
    with pytest.raises(BadMessage, match="no reference"):
        one.observe(NOW, Q, V)
    a = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    one.reference.add(ReferenceTrajectory(np.array([NOW, NOW + S]), a))
    one.observe(NOW + S, Q, V)
    one.compute(NOW)
    assert one.effort.tolist() == md.inverse_dynamics(robot.graph, Q, V, a[1]).tolist()


def test_filtered_velocities_give_the_accelerations(robot):
    one = computation(robot, acceleration_source="filtered")
    for k in range(600):
        with pytest.raises(BadMessage, match="the filter starts") if k < 5 else nullcontext():
            one.observe(NOW + k * 2_000_000, Q, V * 0.002 * k)
    one.compute(NOW)
    # a steady acceleration V comes out of the filter as it is, once the transient is below 1e-8
    expected = md.inverse_dynamics(robot.graph, Q, V * 0.002 * 599, V)
    assert one.effort == pytest.approx(expected, rel=1e-6)


def test_filtered_needs_velocities(robot):
    one = computation(robot, acceleration_source="filtered")
    with pytest.raises(BadMessage, match="no velocity of 'bend'"):
        one.observe(NOW, Q, V, ("bend",))


def test_gravity_modes(robot):
    rest = np.zeros(4)
    gravity = md.inverse_dynamics(robot.graph, Q, rest, rest)
    full = md.inverse_dynamics(robot.graph, Q, V, rest)
    for output, expected in (("gravity", gravity), ("full_minus_gravity", full - gravity)):
        one = computation(robot, output=output)
        one.observe(NOW, Q, V)
        one.compute(NOW)
        assert one.effort == pytest.approx(expected, abs=1e-13)
        # the wrenches are those of the motion in every mode
        reference = md.InverseDynamics(robot.graph).solve(Q, V, rest)
        assert robot.solver.result.connection_wrenches == pytest.approx(
            reference.connection_wrenches, abs=1e-12
        )


def test_external_wrenches_expire(robot):
    wrench, rest = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3]), np.zeros(4)
    one = computation(robot, stale_after=0.5)
    one.external.set("left_branch", wrench, NOW)
    one.observe(NOW, Q, V)
    one.compute(NOW + S // 4)
    loaded = md.inverse_dynamics(robot.graph, Q, V, rest, {"left_branch": wrench})
    assert one.effort == pytest.approx(loaded, abs=1e-13)
    assert one.cross_check().relative < 1e-12
    one.compute(NOW + S)
    assert one.effort == pytest.approx(md.inverse_dynamics(robot.graph, Q, V, rest), abs=1e-13)


def test_a_black_box_takes_its_wrench_from_outside(robot, four_link, tmp_path):
    path = tmp_path / "partition.yaml"
    path.write_text(yaml.safe_dump(BOX))
    boxed = computation(load_robot(four_link, str(path)))
    whole = computation(robot)
    whole.observe(NOW, Q, V)
    whole.compute(NOW)
    wrench = robot.solver.result.connection_wrenches[2]
    boxed.observe(NOW, Q[:3], V[:3])
    with pytest.raises(BadMessage, match="no wrench of black box 'right_branch'"):
        boxed.compute(NOW)
    boxed.black_box.set("right_branch", wrench, NOW)
    boxed.compute(NOW)
    assert boxed.effort == pytest.approx(whole.effort[:3], abs=1e-12)  # the bound
    with pytest.raises(BadMessage, match=r"in the last 0\.2 s"):
        boxed.compute(NOW + S)
    boxed.hold()
    assert np.isfinite(boxed.effort).all()


def test_holding_is_gravity_at_the_last_position(robot):
    rest = np.zeros(4)
    for output, expected in (
        ("full", md.inverse_dynamics(robot.graph, Q, rest, rest)),
        ("full_minus_gravity", rest),
    ):
        one = computation(robot, output=output)
        one.observe(NOW, Q, V)
        one.compute(NOW)
        one.hold()
        assert one.effort == pytest.approx(expected, abs=1e-13)


def test_a_state_that_overflows_leaves_no_trace(robot):
    one = computation(robot, effort_limits="clip")
    one.observe(NOW, Q, 10.0 * V)
    one.compute(NOW)
    before = [part.copy() for part in (one.q, one.v, one.a, one.effort, one.exceeded)]
    assert before[-1].any()
    one.observe(NOW + 1, np.zeros(4), np.full(4, 1e200))
    with np.errstate(all="ignore"), pytest.raises(BadMessage, match="so large"):
        one.compute(NOW + 1)
    for kept, part in zip(before, (one.q, one.v, one.a, one.effort, one.exceeded), strict=True):
        assert part.tolist() == kept.tolist()
    one.hold()
    rest = np.zeros(4)
    assert one.effort == pytest.approx(md.inverse_dynamics(robot.graph, Q, rest, rest), abs=1e-13)


def test_an_overflow_does_not_stay_in_the_filter(robot):
    one = computation(robot, acceleration_source="filtered")
    for k in range(20):
        with suppress(BadMessage):
            one.observe(NOW + k * 2_000_000, Q, np.zeros(4))
    one.observe(NOW + 20 * 2_000_000, Q, np.full(4, 1e200))
    with np.errstate(all="ignore"), pytest.raises(BadMessage, match="so large"):
        one.compute(NOW)
    with pytest.raises(BadMessage, match="the filter starts"):
        one.observe(NOW + 21 * 2_000_000, Q, np.zeros(4))


def test_holding_has_the_finite_check_too(robot, monkeypatch):
    one = computation(robot)
    one.observe(NOW, Q, V)
    one.compute(NOW)
    good = one.effort.copy()
    monkeypatch.setattr(one, "feedforward", lambda tau, gravity, v, out: out.fill(np.nan))
    with pytest.raises(BadMessage, match="so large"):
        one.hold()
    assert one.effort.tolist() == good.tolist()
    assert one.v.tolist() == V.tolist()


def test_a_state_without_its_black_boxs_wrench_leaves_no_trace(four_link, tmp_path):
    path = tmp_path / "partition.yaml"
    path.write_text(yaml.safe_dump(BOX))
    one = computation(load_robot(four_link, str(path)), stale_after=0.5)
    one.black_box.set("right_branch", np.ones(6), NOW)
    one.observe(NOW, Q[:3], V[:3])
    one.compute(NOW)
    one.observe(NOW + S, np.ones(3), np.ones(3))
    with pytest.raises(BadMessage, match="no wrench"):
        one.compute(NOW + S)
    assert (one.q.tolist(), one.v.tolist()) == (Q[:3].tolist(), V[:3].tolist())
    one.hold()  # at the last good state, with the wrench that belongs to it
    rest = np.zeros(4)
    graph, q = one.robot.graph, np.append(Q[:3], 0.0)
    held = md.inverse_dynamics(graph, q, rest, rest, None, {"right_branch": np.ones(6)})
    assert one.effort == pytest.approx(held[:3], abs=1e-12)


@pytest.mark.parametrize("last", ["<origin xyz='.1 0 .3'/>", "<mimic joint='j2' multiplier='2'/>"])
def test_joints_beyond_a_black_box_feel_how_it_stands(chain, last):
    parent = "a" if "mimic" in last else "b"
    robot = load_robot(chain(parent, last))
    q, v = np.array([0.1, 1.5, 0.3])[: robot.graph.nv], np.array([0.4, -0.7, 0.2])[: robot.graph.nv]
    wrench = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    one = computation(robot)
    one.black_box.set("box", wrench, NOW)
    one.observe(NOW, q, v)
    one.compute(NOW)
    a = np.zeros(robot.graph.nv)
    expected = md.inverse_dynamics(robot.graph, q, v, a, None, {"box": wrench})[robot.indices]
    assert np.isnan(expected).tolist() == [name == "j2" for name in robot.state_names]
    assert one.effort == pytest.approx(expected, abs=1e-12, nan_ok=True)
    at_zero = md.inverse_dynamics(robot.graph, [q[0], 0, *q[2:]], v, a, None, {"box": wrench})
    assert np.nanmax(np.abs(at_zero - expected)) > 0.1  # it does matter where the box stands


def test_limits_and_parameters_change_at_run_time(robot):
    one = computation(robot)
    one.observe(NOW, Q, 10.0 * V)
    one.compute(NOW)
    assert not one.exceeded.any()
    free = one.effort.copy()
    over = np.abs(free) > robot.effort_limits
    assert over.any()
    one.set_parameters(replace(one.parameters, effort_limits="clip"))
    one.compute(NOW)
    assert one.exceeded.tolist() == over.tolist()
    assert one.effort == pytest.approx(np.clip(free, -robot.effort_limits, robot.effort_limits))


def test_a_new_cutoff_starts_a_new_filter_and_only_that(robot):
    assert computation(robot).filter is None
    one = computation(robot, acceleration_source="filtered")
    before = one.filter
    one.set_parameters(replace(one.parameters, output="gravity"))
    assert one.filter is before
    one.set_parameters(replace(one.parameters, filter_cutoff=20.0))
    assert one.filter.cutoff == 20.0


def test_velocities_do_not_matter_for_gravity_alone(robot):
    assert computation(robot).needs_velocity
    assert not computation(robot, output="gravity").needs_velocity
    assert computation(robot, output="gravity", friction="urdf").needs_velocity

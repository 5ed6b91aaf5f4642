"""Robots with closed loops: what dynamics_node does per message, without ROS."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.closed_robots import OUT_OF_REACH, STATES, change_point, path
from helpers.robots.spatial_mechanisms import platform, spinning_rod, spinning_rod_on_a_ball
from helpers.wrenches import NOW, arrival
from modular_dynamics.loops import ClosedLoopSolver
from modular_dynamics.loops.assembly.least_squares import LeastSquares
from modular_dynamics_ros.computation.assembly_mode import CANNOT_CLOSE, SINGULAR
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.diagnostics.statuses import closure_status
from modular_dynamics_ros.dynamics.crosscheck import PinocchioCheck
from modular_dynamics_ros.exceptions import BadMessage, RobotError
from modular_dynamics_ros.messages.status import ERROR, OK, WARN

pytestmark = pytest.mark.ros

MS = 1_000_000


def computation(description, **settings):
    return Computation(load_robot(description), ComputationSettings(**settings))


def answer(one, q, stamp=NOW, previous=None, v=None, measured=None):
    return one.compute(one.observe(stamp, q, 0.3 * q if v is None else v, (), measured), stamp, previous)


def solved(*arguments, **named):
    """The library's result behind an answer."""
    return answer(*arguments, **named).dynamics.result


def relative_difference(given) -> float:
    """From Pinocchio's torques."""
    return PinocchioCheck.of(given.dynamics.robot)(given).relative


@pytest.mark.parametrize("name", STATES)
def test_torques_and_all_joints_are_the_librarys(name):
    one, q = computation(path(name)), STATES[name]
    graph = one.robot.graph
    expected = md.InverseDynamics(graph).solve(q, 0.3 * q, 0.0 * q)
    given = answer(one, q)
    result = given.dynamics.result
    assert one.robot.state_names == one.robot.joint_names == graph.independent_joint_names
    assert given.effort == pytest.approx(expected.tau, abs=1e-11 * np.abs(expected.tau).max())
    assert result.coordinates == pytest.approx(expected.coordinates, abs=1e-12)
    assert result.velocities == pytest.approx(expected.velocities, abs=1e-12)
    assert max(result.residual.values()) < 1e-12
    assert relative_difference(given) < 1e-11


def test_a_wrench_from_outside_is_carried_and_checked():
    one = computation(path("exoskeleton"))
    q, wrench = STATES["exoskeleton"], np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    unloaded = solved(one, q).tau
    one.wrenches.take_external("body_7", wrench, arrival())
    given = answer(one, q)
    loaded = given.dynamics.result.tau
    expected = md.inverse_dynamics(
        one.robot.graph, q, 0.3 * q, 0 * q, guess=None, external_wrenches={"body_7": wrench}
    )
    assert loaded == pytest.approx(expected, abs=1e-10)
    assert np.abs(loaded - unloaded).max() > 0.1
    assert relative_difference(given) < 1e-11


def test_the_connection_wrenches_bear_what_crosses_the_cuts():
    one = computation(path("four_bar"))
    solution = answer(one, STATES["four_bar"]).dynamics
    result = solution.result
    _, wrench = solution.tree.connection_wrench_in_link(0)  # of the ground on the crank, in the crank's frame
    assert wrench[5] == pytest.approx(result.tau[0], abs=1e-12)  # about the axis it is the motor's torque
    assert solution.tree.connection_wrench_in_link(1)[1][5] == pytest.approx(0.0, abs=1e-12)  # J4 is passive
    link, cut = solution.cut_wrenches["J2"]
    assert link == "coupler"
    assert np.linalg.norm(cut[:3]) == pytest.approx(np.linalg.norm(result.wrenches["J2"][:3]))
    assert np.abs(result.wrenches["J2"]).max() > 1.0


def test_gravity_modes_and_friction_of_passive_joints():
    text = change_point().replace('xyz="0.23 0 0"', 'xyz="0.1 0 0"')
    joint = '<origin xyz="0.15 0 0" rpy="1.5707963267948966 0 0"/>'
    text = text.replace(joint, f'{joint}<dynamics damping="0.4" friction="0.2"/>')
    q, v = np.array([0.7]), np.array([1.5])
    one = computation(text, friction="urdf")
    graph = one.robot.graph
    given = answer(one, q, v=v)
    result = given.dynamics.result
    W = md.explicit_constraint_jacobian(graph, q)
    speed = result.velocities[graph.v_slice("J4")][0]
    felt = W[graph.v_slice("J4"), 0][0] * (0.4 * speed + 0.2 * np.sign(speed))
    assert abs(felt) > 1e-2
    assert given.effort - result.tau == pytest.approx([felt], abs=1e-12)
    at_rest = md.inverse_dynamics(graph, q, [0.0], [0.0])
    for output, expected in (("gravity", at_rest), ("full_minus_gravity", result.tau - at_rest)):
        one.apply_settings(replace(one.settings, output=output, friction="none"))
        assert answer(one, q, v=v).effort == pytest.approx(expected, abs=1e-12)


def test_holding_is_the_rest_at_the_position_measured_last():
    one, q = computation(path("exoskeleton")), STATES["exoskeleton"]
    given = answer(one, q)
    nearby = q + 0.02
    one.note_position(NOW + MS, nearby, np.full(len(one.robot.passive_names), np.nan))
    held = one.hold(given)
    rest = md.InverseDynamics(one.robot.graph).solve(nearby, 0 * q, 0 * q)
    assert held.effort == pytest.approx(rest.tau, abs=1e-10)
    assert held.dynamics.result.coordinates == pytest.approx(rest.coordinates, abs=1e-9)
    assert max(held.dynamics.result.residual.values()) < 1e-9
    assert not held.dynamics.result.velocities.any()
    one.note_position(NOW + 2 * MS, OUT_OF_REACH, np.full(len(one.robot.passive_names), np.nan))
    with pytest.raises(BadMessage, match="cannot close") as first:
        one.hold(held)
    with (
        patch.object(ClosedLoopSolver, "close", side_effect=AssertionError("searched again")),
        pytest.raises(BadMessage, match="cannot close") as again,
    ):
        one.hold(held)
    assert (again.value.cause, str(again.value)) == (first.value.cause, str(first.value))
    one.note_position(NOW + 3 * MS, nearby, np.full(len(one.robot.passive_names), np.nan))
    assert one.hold(held).effort == pytest.approx(rest.tau, abs=1e-10)


def test_out_of_reach_is_refused_leaves_no_trace_and_the_next_good_state_is_processed():
    one, q = computation(path("exoskeleton")), STATES["exoskeleton"]
    with pytest.raises(BadMessage, match=r"cannot close: the loops of 'exoskeleton'.*open are") as first:
        answer(one, OUT_OF_REACH)
    assert first.value.cause == CANNOT_CLOSE
    good = answer(one, q)
    result = good.dynamics.result
    kept = good.state.q.copy(), good.effort.copy()
    with pytest.raises(BadMessage):
        answer(one, OUT_OF_REACH, NOW + MS, good)
    graph = one.robot.graph
    measured = np.array([result.coordinates[graph.q_slice(name)][0] for name in one.robot.passive_names])
    with pytest.raises(BadMessage, match="cannot close"):  # whatever the sensors say
        answer(one, OUT_OF_REACH, NOW + MS, good, measured=measured)
    assert (good.state.q.tolist(), good.effort.tolist()) == tuple(part.tolist() for part in kept)
    again = answer(one, q, NOW + 2 * MS, good)
    assert again.dynamics.result.tau == pytest.approx(result.tau, abs=1e-11)
    assert again.configuration.continues_last
    assert not good.configuration.continues_last


def test_why_a_state_is_out_of_reach_is_not_searched_for():
    """That takes a second or more, in which the joint states behind it become old."""
    one, q = computation(path("crane")), STATES["crane"].copy()
    good = answer(one, q)
    q[one.robot.state_names.index("jib_cylinder")] = -1.0
    with (
        patch.object(LeastSquares, "search", side_effect=AssertionError("searched")),
        pytest.raises(BadMessage, match=r"cannot close: .*open are jib_pin"),
    ):
        answer(one, q, NOW + MS, good)


def test_a_singular_configuration_is_refused_by_name_and_left_again():
    one = computation(change_point())
    good = answer(one, np.array([0.3]))
    singular = r"^singular configuration: .*'four_bar'.*condition number"
    with pytest.raises(BadMessage, match=singular) as caught:
        answer(one, np.array([0.0]), NOW + MS, good)
    assert caught.value.cause == SINGULAR
    assert np.isfinite(solved(one, np.array([0.2]), NOW + 2 * MS, good).tau).all()


@pytest.fixture
def modes():
    """The four-bar, and its two assembly modes at one crank angle."""
    one, q = computation(path("four_bar")), STATES["four_bar"]
    graph = one.robot.graph
    usual, other = md.close_loops(graph, q), md.close_loops(graph, q, [0.7, -2.4, -1.6])
    assert np.abs(usual - other)[1:].min() > 1.0
    return one, q, usual, other


def test_measured_passive_joints_decide_the_assembly_mode(modes):
    one, q, usual, other = modes
    assert one.robot.passive_names == ("J4", "J3")
    first = answer(one, q)
    assert first.configuration.coordinates == pytest.approx(usual, abs=1e-9)
    noisy = other[1:] + np.array([0.004, -0.003])
    second = answer(one, q, NOW + MS, first, measured=noisy)
    assert second.configuration.coordinates == pytest.approx(other, abs=1e-9)
    assert second.configuration.disagreements == {}
    # carried on without a sensor ...
    assert solved(one, q + 0.01, NOW + 2 * MS, second).coordinates == pytest.approx(
        md.close_loops(one.robot.graph, q + 0.01, other), abs=1e-9
    )
    # ... and a turn more or less is no difference
    turned = other[1:] + np.array([2.0 * np.pi, -2.0 * np.pi])
    configuration = answer(one, q, NOW + 3 * MS, measured=turned).configuration
    assert np.cos(configuration.coordinates - other) == pytest.approx(np.ones(3), abs=1e-12)
    assert configuration.disagreements == {}


@pytest.mark.parametrize("offset", [[0.0, 0.2], [0.03, 0.0], [0.5, -0.5]])
def test_a_measured_joint_that_contradicts_the_loops_is_named_and_not_used(modes, offset):
    one, q, usual, _ = modes
    configuration = answer(one, q, NOW + MS, answer(one, q), measured=usual[1:] + offset).configuration
    assert configuration.coordinates == pytest.approx(usual, abs=1e-9)
    apart = {name: value for name, value in zip(("J4", "J3"), offset, strict=True) if value}
    assert configuration.disagreements == pytest.approx(apart)


def test_after_a_gap_a_jump_or_stamps_that_go_back_the_loops_are_closed_anew(modes):
    one, q, usual, other = modes
    for stamp, to, mode in (
        (NOW + 200 * MS, q, other),
        (NOW + 300 * MS, q, usual),
        (NOW - MS, q, usual),
        (NOW + MS, q + 0.6, None),
    ):
        first = answer(one, q, NOW, measured=other[1:])
        coordinates = solved(one, to, stamp, first).coordinates
        expected = md.close_loops(one.robot.graph, to) if mode is None else mode
        assert coordinates == pytest.approx(expected, abs=1e-9)


def test_status_of_the_closure():
    one, q = computation(path("exoskeleton")), STATES["exoskeleton"]
    assert closure_status(None, 0, [], []).message == "the loops of no joint state have been closed yet"
    given = answer(one, q)
    result, status = given.dynamics.result, closure_status(given, 1, [], [])
    assert status.level == OK
    assert float(status.values["condition number"]) == pytest.approx(result.condition, rel=1e-3)
    assert float(status.values["tension of spring [N]"]) == pytest.approx(result.tensions["spring"], rel=1e-5)
    assert float(status.values["largest residual [m or 1]"]) < 1e-12
    assert {f"residual of {loop} [m or 1]" for loop in "EBA"} < set(status.values)
    assert closure_status(given, 1, [], ["'rho_3' measured elsewhere"]).level == WARN
    assert closure_status(given, 1, ["singular configuration"], ["x"]).level == ERROR


def test_springs_alone_and_loops_that_never_close(four_link):
    text = Path(four_link).read_text()
    links = md.load_urdf(four_link).links
    spring = (
        f'<spring name="s" stiffness="100" free_length="0.01"><anchor link="{links[0]}"/>'
        f'<anchor link="{links[-1]}"/></spring></modular_dynamics>'
    )
    one = computation(text.replace("</modular_dynamics>", spring))
    q = np.array([0.3, -0.5, 0.7, 0.2])
    given = answer(one, q)
    assert given.dynamics.result.tensions["s"] > 1.0
    assert one.robot.passive_names == ()
    assert relative_difference(given) < 1e-12
    near = '<predecessor link="crank" xyz="0.05 0 0"/>'
    far = Path(path("four_bar")).read_text().replace(near, near.replace("0.05", "9"))
    with pytest.raises(RobotError, match="the loops of 'four_bar' do not close"):
        computation(far)


DAMPING = '<dynamics damping="0.3"/></joint>'


ROBOTS = {
    "platform": lambda: platform(floating=True).urdf,
    "rod": lambda: spinning_rod(2).urdf,
    "rod on a ball": lambda: spinning_rod_on_a_ball().urdf,
}


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("friction", ["none", "urdf"])
def test_torques_of_robots_with_free_joints_are_the_librarys(name, friction):
    text = ROBOTS[name]()
    if friction == "urdf":
        text = text.replace("</joint>", DAMPING)
    one = Computation(load_robot(text), ComputationSettings(friction=friction))
    graph = one.robot.graph
    assert one.robot.state_names == graph.independent_joint_names
    assert all(graph.joint(joint).type.nq == 1 for joint in one.robot.passive_names)
    q, previous, guess = np.full(len(one.robot.state_names), 0.03), None, None
    for k in range(3):
        state = one.observe(NOW + k * 1_000_000, q, 0.3 * q, (), None)
        previous = given = one.compute(state, state.stamp, previous)
        expected = md.InverseDynamics(graph, friction=friction).solve(q, 0.3 * q, 0.0 * q, guess=guess)
        assert given.effort == pytest.approx(expected.tau, rel=1e-9, abs=1e-9)
        assert PinocchioCheck.of(one.robot)(given).relative < 1e-11
        q, guess = q + 0.002, expected.coordinates
    assert bool(expected.free) == (name != "platform")

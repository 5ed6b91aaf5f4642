"""Rounding errors are no disagreement, and wrong torques are, also where torques cancel or are zero."""

from contextlib import suppress

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.robots.urdf_text import inertial, joint, robot

THRESHOLD = 1e-9  # the nodes' default
ROUNDING = 1e-14  # 60 times the smallest step of a float: sums of some hundred terms
NAMES = sorted(path.stem for path in ROBOTS.glob("*.urdf"))


def tree(load_robot, name, **options):
    graph = load_robot(name, **options)
    return graph.tree if graph.loop_joints or graph.passive_joints else graph


def states(graph, rng):
    """Configurations, velocities and accelerations whose torques are large, small, cancelling or zero."""
    rest = np.zeros(graph.nv)
    yield graph.neutral(), rest, rest
    for exponent in (-170.0, -12.0, -6.0, 0.0, 3.0):
        q, v, a = graph.random_configuration(rng), *rng.normal(size=(2, graph.nv)) * 10.0**exponent
        yield q, rest, rest
        yield q, v, rest
        yield q, v, a
        with suppress(md.StateError):  # a joint without inertia
            yield q, v, md.forward_dynamics(graph, q, v, rng.normal(size=graph.nv) * 1e-6)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (0.0, 0.0, 0.0)])
@pytest.mark.parametrize("floating_base", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_rounding_error_is_small_and_an_error_of_a_millionth_is_not(load_robot, name, floating_base, gravity):
    graph = tree(load_robot, name, gravity=gravity, floating_base=floating_base)
    check, rng = md.crosscheck.CrossCheck(graph), np.random.default_rng(0)
    for state in states(graph, rng):
        tau = md.inverse_dynamics(graph, *state)
        assert max(check(*state, tau).of_terms.values()) < ROUNDING
    q, motion = graph.random_configuration(rng), rng.normal(size=(2, graph.nv))
    tau = md.inverse_dynamics(graph, q, *motion)
    tau[np.argmax(np.abs(tau))] *= 1.0 + 1e-6
    assert max(check(q, *motion, tau).of_terms.values()) > THRESHOLD


def test_torques_that_cancel_are_no_alarm(load_robot):
    """The largest torque is rounding error here, and says nothing about the size of an error."""
    graph, rng = load_robot("four_link"), np.random.default_rng(3)
    q, v, rest = graph.random_configuration(rng), rng.normal(size=graph.nv), np.zeros(graph.nv)
    state = q, v, md.forward_dynamics(graph, q, v, rest)  # it falls freely
    residual = md.crosscheck.CrossCheck(graph)(*state, md.inverse_dynamics(graph, *state))
    assert residual.relative > THRESHOLD
    assert max(residual.of_terms.values()) < ROUNDING


ARM, POINT = inertial(2.0, (0.4, 0.1, 0.0), 0.01 * np.eye(3)), inertial(10.0, (0, 0, 0), np.zeros((3, 3)))
POINT_AT_THE_JOINT = robot(
    "swing",
    [
        f'<link name="ground"/><link name="arm">{ARM}</link><link name="point">{POINT}</link>',
        joint("swing", "revolute", "ground", "arm", (0, 0, 0), axis=(0, 0, 1)),
        joint("turn", "revolute", "arm", "point", (0.7, 0.2, 0), axis=(0, 0, 1)),
    ],
)


def test_a_point_mass_at_its_joint_is_no_alarm():
    """It takes no torque, and Pinocchio's velocity x momentum leaves rounding error there."""
    graph, rng = md.load_urdf(POINT_AT_THE_JOINT), np.random.default_rng(0)
    check = md.crosscheck.CrossCheck(graph)
    for exponent in (-120.0, -6.0, 3.0, 0.0):
        for _ in range(50):
            state = graph.random_configuration(rng), *rng.normal(size=(2, graph.nv)) * 10.0**exponent
            tau = md.inverse_dynamics(graph, *state)
            assert max(check(*state, tau).of_terms.values()) < ROUNDING
    tau[graph.v_slice("turn")] += 1e-3
    assert check(*state, tau).of_terms["swing"] > THRESHOLD


def test_gravity_that_changes_is_a_term(load_robot):
    graph = load_robot("four_link", gravity=(0.0, 0.0, 0.0))
    state, error = np.zeros((3, graph.nv)), np.full(graph.nv, 1e-12)
    check = md.crosscheck.CrossCheck(graph)
    assert max(check(*state, error).of_terms.values()) > 1.0
    gravity = np.array([0.0, 0.0, -9.81])
    check.set_gravity(gravity)
    tau = md.inverse_dynamics(load_robot("four_link", gravity=tuple(gravity)), *state)
    assert max(check(*state, tau + error).of_terms.values()) < THRESHOLD


def test_wrenches_are_terms(load_robot):
    graph, rng = load_robot("four_link"), np.random.default_rng(1)
    q, rest, wrench = graph.random_configuration(rng), np.zeros(graph.nv), np.full(6, 1e9)
    check, error = md.crosscheck.CrossCheck(graph), np.array([1e-9, 1e-9, 0.0, 0.0])

    def of_terms(external=None, boxes=None):
        tau = md.inverse_dynamics(graph, q, rest, rest, external_wrenches=external, black_box_wrenches=boxes)
        return check(q, rest, rest, tau + error, external, boxes).of_terms["stem"]

    assert of_terms() > 1e-12
    assert of_terms({"right_branch": wrench}) < ROUNDING
    assert of_terms(None, {"right_branch": wrench}) < ROUNDING


@pytest.mark.parametrize("term", ["armature", "stiffness", "rest position"])
def test_springs_and_armatures_are_terms(load_robot, term):
    numbers = {"joint turn stiffness": 1.0} | {f"joint turn {term}": 1e9}
    graph, state = load_robot("four_link").with_parameters(numbers), np.full((3, 4), 0.1)
    tau = md.inverse_dynamics(graph, *state) + np.array([1e-7, 0.0, 0.0, 0.0])
    assert max(md.crosscheck.CrossCheck(graph)(*state, tau).of_terms.values()) < ROUNDING
    plain = load_robot("four_link")
    assert max(md.crosscheck.CrossCheck(plain)(*state, tau).of_terms.values()) > THRESHOLD


def test_a_nan_is_no_agreement(load_robot):
    graph = load_robot("four_link")
    state = np.zeros((3, graph.nv))
    of_terms = md.crosscheck.CrossCheck(graph)(*state, [0.0, np.nan, 0.0, 0.0]).of_terms
    assert np.isnan(of_terms["stem"])
    assert np.isfinite([of_terms["left_branch"], of_terms["right_branch"]]).all()

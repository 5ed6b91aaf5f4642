"""urdf/charmie_torso.urdf: its forces against the tree model, its energy and the open tree under cuts."""

import re

import numpy as np
import pytest

import modular_dynamics as md
from helpers.robots.charmie_torso import SMOOTH, TIMES, TORSO, lengths, motion, of
from modular_dynamics.closure import internal_wrenches


@pytest.fixture(scope="module")
def graph(load_robot):
    return load_robot("charmie_torso", strict=True)


@pytest.fixture(scope="module")
def tree(load_robot):
    return load_robot("charmie")


def slope(function, step):
    """Derivative at zero by five points."""
    near, far = (function(s) - function(-s) for s in (step, 2 * step))
    return (8 * near - far) / (12 * step)


def tree_state(graph, tree, result):
    """The same state in the tree model's coordinates: loops leave torso_lift and torso_pitch."""
    rows = [graph.q_slice(name).start for name in tree.joint_names]
    return result.coordinates[rows], result.velocities[rows], result.accelerations[rows]


def test_torques_of_base_arms_and_head_are_those_of_the_tree_model(graph, tree):
    for t in TIMES:
        result = md.closed_loop_inverse_dynamics(graph, *motion(graph, t))
        torques = md.inverse_dynamics(tree, *tree_state(graph, tree, result))
        expected = dict(zip(tree.joint_names, torques, strict=True))
        for name, found in zip(graph.independent_joint_names, result.tau, strict=True):
            if name not in TORSO:
                assert found == pytest.approx(expected[name], abs=1e-9), (t, name)


def test_actuators_carry_the_trees_torso_and_the_springs_over_their_levers(graph, tree):
    """tau_act dL_act/dq = tau_tree + F dL_spring/dq, for they have no mass."""
    for t in TIMES[::5]:
        result = md.closed_loop_inverse_dynamics(graph, *motion(graph, t))
        q, v, vdot = tree_state(graph, tree, result)
        at = [tree.q_slice(name).start for name in ("torso_lift", "torso_pitch")]
        forces = np.array([of(graph, name, result.tau) for name in TORSO])
        pulls = np.array([2 * result.tensions["sr4"], result.tensions["s5"]])
        moves = np.empty((4, 2))
        for k, unit in enumerate(np.eye(2)):
            moves[:, k] = slope(lambda s, unit=unit, torso=q[at]: lengths(*(torso + s * unit)), 1e-4)
        expected = md.inverse_dynamics(tree, q, v, vdot)[at] + moves[2:].T @ pulls
        assert moves[:2].T @ forces == pytest.approx(expected, abs=1e-8)


def test_torso_lift_and_pitch_describe_the_same_mechanism(graph):
    instead = {"act4": "torso_lift", "act5": "torso_pitch"}
    other = graph.with_independent_joints(*(instead.get(n, n) for n in graph.independent_joint_names))
    assert "act4" not in other.independent_joint_names
    for t in TIMES[::10]:
        result = md.closed_loop_inverse_dynamics(graph, *motion(graph, t))
        places = [graph.q_slice(name).start for name in other.independent_joint_names]
        again = md.closed_loop_inverse_dynamics(
            other, result.coordinates[places], result.velocities[places], result.accelerations[places]
        )
        assert again.coordinates == pytest.approx(result.coordinates, abs=1e-10)
        assert again.accelerations == pytest.approx(result.accelerations, abs=1e-9)
        W = md.constraint_projection(other, result.coordinates[places])
        mine = [graph.v_slice(name).start for name in graph.independent_joint_names]
        assert W[mine].T @ result.tau == pytest.approx(again.tau, abs=1e-8)  # the same virtual power


def scaled(graph, **laws):
    """The robot with other spring constants."""
    text = graph.urdf
    for key, factor in laws.items():
        text = re.sub(
            rf'(<spring [^>]*{key}=")([^"]+)"', lambda m, f=factor: f'{m[1]}{f * float(m[2])}"', text
        )
    return md.load_urdf(text)


@pytest.mark.parametrize(
    "laws", [{}, {"stiffness": 0.0, "initial_force": 0.0}, {"stiffness": 3.0, "free_length": 0.5}]
)
def test_at_rest_body_2_carries_545_4_newton_whatever_the_springs_do(graph, laws):
    robot = scaled(graph, **laws)
    solver = md.InverseDynamics(robot.tree)
    pulls = set()
    for t in TIMES[::5]:
        result = md.closed_loop_inverse_dynamics(robot, motion(robot, t)[0], np.zeros(19), np.zeros(19))
        tree = solver.solve(result.coordinates, np.zeros(27), np.zeros(27), internal_wrenches(robot, result))
        force = tree.joint_wrenches[robot.joint_index("base_yaw"), :3]
        assert force[2] == pytest.approx(545.4, abs=0.05)  # 55.6 kg times 9.81 m/s^2, digits as printed
        assert force == pytest.approx([0.0, 0.0, 55.6 * 9.81], abs=1e-9)
        pulls.add(round(result.tensions["sr4"], 3))
    assert len(pulls) == (1 if laws.get("stiffness") == 0.0 else len(TIMES[::5]))


def energy(graph, q, v):
    """Of the whole robot, in independent coordinates."""
    return md.energy(graph, md.close_loops(graph, q), md.constraint_projection(graph, q) @ v)


def test_power_of_all_actuators_is_the_rate_of_the_energy(graph):
    for t in SMOOTH:
        q, v, vdot = motion(graph, t)
        tau = md.closed_loop_inverse_dynamics(graph, q, v, vdot).tau
        rate = slope(lambda s, t=t: energy(graph, *motion(graph, t + s)[:2]), 1e-3)
        assert tau @ v == pytest.approx(rate, abs=1e-7), t


@pytest.mark.parametrize("name", TORSO)
def test_actuator_forces_are_those_of_the_energy(graph, name):
    """Lagrange: d/dt dT/dv - d(T - V)/dq, with T + V = energy(q, v), V = energy(q, 0)."""
    unit = np.eye(19)[graph.independent_joint_names.index(name)]

    def momentum(t):
        q, v, _ = motion(graph, t)
        return 0.5 * (energy(graph, q, v + unit) - energy(graph, q, v - unit))  # exact: T is quadratic in v

    def lagrangian(q, v):
        return energy(graph, q, v) - 2.0 * energy(graph, q, np.zeros(19))

    for t in SMOOTH:
        q, v, vdot = motion(graph, t)
        expected = slope(lambda s, t=t: momentum(t + s), 2e-3)
        expected -= slope(lambda s, q=q, v=v: lagrangian(q + s * unit, v), 1e-4)
        found = of(graph, name, md.closed_loop_inverse_dynamics(graph, q, v, vdot).tau)
        assert found == pytest.approx(expected, abs=1e-7), t

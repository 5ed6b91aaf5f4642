"""Forward dynamics against Pinocchio, against the equation that it solves, and itself in batches."""

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import ROBOT_NAMES, accelerations_by_pinocchio, random_state, random_states


def assert_solves(graph, q, v, tau, a):
    """M a + h = tau, relative to the size of its terms: the residual, whatever the condition of M is."""
    M, h = md.mass_matrix(graph, q), md.nonlinear_effects(graph, q, v)
    size = np.abs(M).max() * np.abs(a).max() + np.abs(h).max() + np.abs(tau).max()
    assert np.abs(M @ a + h - tau).max() <= 1e-10 * size


@pytest.mark.slow
@examples(100)
@given(tree=random_trees(largest=20))
def test_random_trees_satisfy_the_equation_of_motion(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, tau = random_state(graph, tree.seed)
    M = md.mass_matrix(graph, q)
    if np.linalg.cond(M / np.sqrt(np.outer(np.diag(M), np.diag(M)))) > 1e8:  # perhaps refused, perhaps not
        return
    assert_solves(graph, q, v, tau, md.forward_dynamics(graph, q, v, tau))


@examples(60)
@given(tree=random_trees(largest=15))
def test_random_trees_against_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, tau = tree.state(graph)
    condition = np.linalg.cond(md.mass_matrix(graph, q))
    if condition > 1e8 or any(joint.mimic for joint in graph.joints):  # aba knows no mimic joints
        return
    result, expected = md.forward_dynamics(graph, q, v, tau), accelerations_by_pinocchio(graph, q, v, tau)
    assert np.abs(result - expected).max() <= max(1e-10, 1e-14 * condition) * np.abs(expected).max()


# floating, the others' massless root links could accelerate at will
@pytest.mark.parametrize(
    ("name", "floating_base"), [*((name, False) for name in ROBOT_NAMES), ("vendor_arm", True)]
)
def test_robots_there_and_back(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    q, v, a = random_state(graph, 1)
    tau = md.inverse_dynamics(graph, q, v, a)
    result = md.forward_dynamics(graph, q, v, tau)
    condition = np.linalg.cond(md.mass_matrix(graph, q))
    assert np.abs(result - a).max() <= max(1e-10, 1e-15 * condition) * np.abs(a).max()


@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "four_link"])
def test_robots_against_pinocchio(load_robot, name):
    graph = load_robot(name)
    q, v, tau = random_state(graph, 2)
    expected = accelerations_by_pinocchio(graph, q, v, tau)
    result = md.forward_dynamics(graph, q, v, tau)
    condition = np.linalg.cond(md.mass_matrix(graph, q))
    assert np.abs(result - expected).max() <= max(1e-10, 1e-14 * condition) * np.abs(expected).max()


def test_external_wrenches_count(load_robot):
    graph = load_robot("branched_38dof")
    q, v, a = random_state(graph, 3)
    external = {graph.bodies[-1].name: np.arange(6.0)}
    tau = md.inverse_dynamics(graph, q, v, a, external_wrenches=external)
    assert md.forward_dynamics(graph, q, v, tau, external_wrenches=external) == pytest.approx(a, abs=1e-9)
    without = md.forward_dynamics(graph, q, v, tau)
    assert np.abs(without - a).max() > 0.1
    batch = md.forward_dynamics(graph, [q], [v], [tau], external_wrenches=external)
    assert batch[0] == pytest.approx(a, abs=1e-9)


@pytest.mark.parametrize("name", ["branched_38dof", "vendor_arm"])
@pytest.mark.parametrize("count", [0, 1, 8, 1030])
def test_batch_equals_single_calls(load_robot, name, count):
    graph = load_robot(name)
    q, v, tau = random_states(graph, count, 4)
    batch = md.forward_dynamics(graph, q, v, tau, threads=2)
    assert batch.shape == (count, graph.nv)
    for row in {0, count // 2, count - 1} if count else ():
        single = md.forward_dynamics(graph, q[row], v[row], tau[row])
        scale = np.abs(single).max() * max(1.0, 1e-4 * np.linalg.cond(md.mass_matrix(graph, q[row])))
        assert np.abs(batch[row] - single).max() <= 1e-12 * scale


@pytest.mark.parametrize("robot", ["four_link", "charmie"])
@pytest.mark.parametrize("turns", [1, 10**3, 10**6, 10**9])
def test_forward_dynamics_at_large_angles(load_robot, robot, turns):
    """Against the equation of motion, whose matrices see the same large angles."""
    graph = load_robot(robot)
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, graph.nv))
    turning = [graph.v_slice(n).start for n in graph.joint_names if graph.joint(n).type.value != "prismatic"]
    q[turning] += 2.0 * np.pi * turns
    M, h = md.mass_matrix(graph, q), md.nonlinear_effects(graph, q, v)
    expected = np.linalg.solve(M, tau - h)
    scale = 1e-15 * np.linalg.cond(M) * np.abs(expected).max()
    assert np.abs(md.forward_dynamics(graph, q, v, tau) - expected).max() <= 100.0 * scale
    result = md.forward_dynamics(graph, *(np.tile(x, (9, 1)) for x in (q, v, tau)))
    assert np.abs(result - expected).max() <= 100.0 * scale


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["vendor_arm", "four_link"])  # with and without mimic joints
def test_accelerations_that_overflow_are_refused(load_robot, name):
    graph = load_robot(name)
    q, v, tau = (np.zeros((20, graph.nv)) for _ in range(3))
    tau[7] = 1.7e308
    with pytest.raises(md.StateError, match="so large that the accelerations"):
        md.forward_dynamics(graph, q[7], v[7], tau[7])
    with pytest.raises(md.StateError, match=r"row 7: .*so large that the accelerations"):
        md.forward_dynamics(graph, q, v, tau)


def test_joints_without_inertia_are_named(load_robot):
    graph = load_robot("charmie", floating_base=True)  # its base moves on two slides and turns besides
    text = "joints 'root_joint', 'base_x', 'base_y' and 'base_yaw' together move no inertia"
    with pytest.raises(md.StateError, match=f"^{text}"):
        md.forward_dynamics(graph, graph.neutral(), *np.zeros((2, graph.nv)))
    with pytest.raises(md.StateError, match=f"^row 0: {text}"):
        md.forward_dynamics(graph, [graph.neutral()], *np.zeros((2, 1, graph.nv)))

"""Forward dynamics against Pinocchio, against the equation that it solves, and itself in batches."""

import threading
import tracemalloc

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from modular_dynamics.dynamics import forward_by_matrix


def state_of(graph, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=graph.nq), *rng.normal(size=(2, graph.nv))


def assert_solves(graph, q, v, tau, vdot):
    """M vdot + h = tau, relative to the size of its terms: the residual, whatever the condition of M is."""
    M, h = md.mass_matrix(graph, q), md.bias(graph, q, v)
    size = np.abs(M).max() * np.abs(vdot).max() + np.abs(h).max() + np.abs(tau).max()
    assert np.abs(M @ vdot + h - tau).max() <= 1e-10 * size


@pytest.mark.slow
@examples(100)
@given(tree=random_trees(largest=20))
def test_random_trees_satisfy_the_equation_of_motion(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, tau = state_of(graph, tree.seed)
    M = md.mass_matrix(graph, q)
    if np.linalg.cond(M / np.sqrt(np.outer(np.diag(M), np.diag(M)))) > 1e8:  # perhaps refused, perhaps not
        return
    assert_solves(graph, q, v, tau, md.forward_dynamics(graph, q, v, tau))


def aba(graph, q, v, tau):
    """Pinocchio's accelerations."""
    pin = md.crosscheck.PinocchioModel(graph)
    fold = np.array([pin.v(unit) for unit in np.eye(graph.nv)]).T
    return fold.T @ pinocchio.aba(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(tau))


@examples(60)
@given(tree=random_trees(largest=15))
def test_random_trees_against_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, tau = tree.state(graph)
    condition = np.linalg.cond(md.mass_matrix(graph, q))
    if condition > 1e8 or any(joint.mimic for joint in graph.joints):  # aba knows no mimic joints
        return
    found, expected = md.forward_dynamics(graph, q, v, tau), aba(graph, q, v, tau)
    assert np.abs(found - expected).max() <= max(1e-10, 1e-14 * condition) * np.abs(expected).max()


# floating, the others' massless root links could accelerate at will
@pytest.mark.parametrize(
    ("name", "floating_base"),
    [
        ("charmie", False),
        ("branched_38dof", False),
        ("four_link", False),
        ("vendor_arm", False),
        ("vendor_arm", True),
    ],
)
def test_robots_there_and_back(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    q, v, vdot = state_of(graph, 1)
    tau = md.inverse_dynamics(graph, q, v, vdot)
    found = md.forward_dynamics(graph, q, v, tau)
    condition = np.linalg.cond(md.mass_matrix(graph, q))
    assert np.abs(found - vdot).max() <= max(1e-10, 1e-15 * condition) * np.abs(vdot).max()


@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "four_link"])
def test_robots_against_pinocchio(load_robot, name):
    graph = load_robot(name)
    q, v, tau = state_of(graph, 2)
    expected = aba(graph, q, v, tau)
    found = md.forward_dynamics(graph, q, v, tau)
    condition = np.linalg.cond(md.mass_matrix(graph, q))
    assert np.abs(found - expected).max() <= max(1e-10, 1e-14 * condition) * np.abs(expected).max()


def test_external_wrenches_count(load_robot):
    graph = load_robot("branched_38dof")
    q, v, vdot = state_of(graph, 3)
    link = graph.bodies[-1].name if hasattr(graph.bodies[-1], "name") else graph.joints[-1].child_link
    external = {link: np.arange(6.0)}
    tau = md.inverse_dynamics(graph, q, v, vdot, external)
    assert md.forward_dynamics(graph, q, v, tau, external) == pytest.approx(vdot, abs=1e-9)
    without = md.forward_dynamics(graph, q, v, tau)
    assert np.abs(without - vdot).max() > 0.1
    batch = md.forward_dynamics_batch(graph, [q], [v], [tau], external_wrenches=external)
    assert batch[0] == pytest.approx(vdot, abs=1e-9)


@pytest.mark.parametrize("name", ["branched_38dof", "vendor_arm"])
@pytest.mark.parametrize("count", [0, 1, 8, 1030])
def test_batch_equals_single_calls(load_robot, name, count):
    graph = load_robot(name)
    rng = np.random.default_rng(4)
    q, v, tau = rng.normal(size=(count, graph.nq)), *rng.normal(size=(2, count, graph.nv))
    batch = md.forward_dynamics_batch(graph, q, v, tau, 2)
    assert batch.shape == (count, graph.nv)
    for row in {0, count // 2, count - 1} if count else ():
        single = md.forward_dynamics(graph, q[row], v[row], tau[row])
        scale = np.abs(single).max() * max(1.0, 1e-4 * np.linalg.cond(md.mass_matrix(graph, q[row])))
        assert np.abs(batch[row] - single).max() <= 1e-12 * scale


@pytest.mark.parametrize("which", [1, 2])
def test_out_may_be_one_of_the_arguments(load_robot, which):
    graph = load_robot("charmie")
    state = list(state_of(graph))
    expected = md.forward_dynamics(graph, *state)
    assert np.array_equal(md.forward_dynamics(graph, *state, out=state[which]), expected)


def test_with_out_nothing_is_allocated(load_robot):
    graph = load_robot("charmie")
    state, out = state_of(graph), np.empty(19)
    md.forward_dynamics(graph, *state, out=out)
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    for _ in range(1000):
        md.forward_dynamics(graph, *state, out=out)
    grown = sum(max(0, d.size_diff) for d in tracemalloc.take_snapshot().compare_to(before, "filename"))
    tracemalloc.stop()
    assert grown < 20_000  # less than 20 bytes a call: nothing of an array's size stays


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(18)}, r"q has shape \(18,\)"),
        ({"tau": np.full(19, np.nan)}, r"tau\[0\] of joint 'base_x' is nan"),
        ({"v": np.full(19, 1e200)}, "so large that the accelerations"),
        ({"out": np.zeros(18)}, r"out is float64 \(18,\)"),
        ({"external_wrenches": {"nothing": np.zeros(6)}}, "no link 'nothing'"),
    ],
)
def test_bad_input_is_named(load_robot, change, message):
    arguments = {name: np.zeros(19) for name in ("q", "v", "tau")} | change
    with pytest.raises(md.StateError, match=message):
        md.forward_dynamics(load_robot("charmie"), **arguments)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["vendor_arm", "four_link"])  # with and without mimic joints
def test_accelerations_that_overflow_are_refused(load_robot, name):
    graph = load_robot(name)
    q, v, tau = (np.zeros((20, graph.nv)) for _ in range(3))
    tau[7] = 1.7e308
    with pytest.raises(md.StateError, match="so large that the accelerations"):
        md.forward_dynamics(graph, q[7], v[7], tau[7])
    with pytest.raises(md.StateError, match=r"row 7: .*so large that the accelerations"):
        md.forward_dynamics_batch(graph, q, v, tau)


def test_rows_that_a_thread_took_and_failed_with_are_not_passed_over(load_robot, monkeypatch):
    graph = load_robot("vendor_arm")  # its finger mimics
    state = np.zeros((3, 2000, graph.nv))
    md.forward_dynamics_batch(graph, *state)
    taken, whole = threading.Event(), forward_by_matrix._first_bad

    def without_memory(*states):
        if threading.current_thread() is not threading.main_thread():
            taken.set()
            raise MemoryError("none left")
        if len(states[-1]) > 1:  # a single state, for the blocks of zeros, comes before the threads
            taken.wait(20.0)
        return whole(*states)

    monkeypatch.setattr(forward_by_matrix, "_first_bad", without_memory)
    with pytest.raises(MemoryError, match="none left"):
        md.forward_dynamics_batch(graph, *state, threads=2)


def test_a_joint_without_inertia_is_named(load_robot):
    graph = load_robot("charmie", floating_base=True)
    with pytest.raises(md.StateError, match="joint 'root_joint' moves no inertia"):
        md.forward_dynamics(graph, graph.neutral(), *np.zeros((2, graph.nv)))
    with pytest.raises(md.StateError, match="row 0: joint 'root_joint' moves no inertia"):
        md.forward_dynamics_batch(graph, [graph.neutral()], *np.zeros((2, 1, graph.nv)))


def test_a_black_box_has_no_known_accelerations():
    tool = {"name": "tool", "root_link": "tv7_gripper_base", "black_box": True}
    graph = md.load_urdf(ROBOTS / "vendor_arm.urdf", {"version": 1, "subsystems": [tool]})
    with pytest.raises(md.StateError, match="its black boxes are tool"):
        md.forward_dynamics(graph, *np.zeros((3, graph.nv)))

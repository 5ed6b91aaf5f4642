"""tau = Y theta: inverse dynamics, Pinocchio, composition; identification; batches; bad input."""

import re
import tracemalloc

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import partitions, random_trees

ROBOT_NAMES = ["charmie", "branched_38dof", "four_link", "vendor_arm"]


def assert_same(ours, theirs):
    assert np.abs(ours - theirs).max() <= 1e-10 * max(np.abs(theirs).max(), 1e-9)


def states(graph, count, seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-3, 3, (count, graph.nq)), *rng.normal(size=(2, count, graph.nv))


def pinocchios(graph, q, v, vdot):
    """Pinocchio's regressor and parameters in the graph's order of joints and bodies."""
    pin = md.crosscheck.PinocchioModel(graph)
    theirs = pinocchio.computeJointTorqueRegressor(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(vdot))
    theirs = theirs.reshape(pin.model.nv, -1)  # one row comes as 1-D
    columns = np.concatenate([10 * (index - 1) + np.arange(10) for index in pin.ids])
    theta = np.concatenate([pin.model.inertias[index].toDynamicParameters() for index in pin.ids])
    Y = np.zeros((graph.nv, columns.size))
    for joint in graph.joints:  # a mimic joint's torque is its driver's
        scale = 1.0 if joint.mimic is None else joint.mimic.multiplier
        Y[graph.v_slice(graph.driver(joint))] += scale * theirs[pin.v_slice(joint), columns]
    return Y, theta


@pytest.mark.slow
@examples(100)
@given(data=st.data(), tree=random_trees())
def test_random_trees_agree_with_inverse_dynamics_and_pinocchio(data, tree):
    graph = md.load_urdf(tree.urdf, data.draw(partitions(tree)))
    state = tree.state(graph)
    Y, theta = md.regressor(graph, *state), md.inertial_parameters(graph)
    assert_same(Y @ theta, md.inverse_dynamics(graph, *state))
    theirs, their_theta = pinocchios(graph, *state)
    assert_same(Y, theirs)
    assert_same(theta, their_theta)


@pytest.mark.parametrize("name", ROBOT_NAMES)
@pytest.mark.parametrize("floating_base", [False, True])
def test_robots_agree_with_inverse_dynamics_and_pinocchio(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    theta = md.inertial_parameters(graph)
    for state in zip(*states(graph, 5, 1), strict=True):
        Y = md.regressor(graph, *state)
        theirs, their_theta = pinocchios(graph, *state)
        assert_same(Y, theirs)
        assert_same(theta, their_theta)
        assert_same(Y @ theta, md.inverse_dynamics(graph, *state))


@pytest.mark.parametrize("name", ["four_link", "vendor_arm"])
def test_other_parameters_same_regressor(load_robot, name):
    """The composition of a robot with other masses, centres of mass and inertias."""
    graph = load_robot(name, floating_base=True)
    rng = np.random.default_rng(2)
    inertial = re.compile(r"<inertial>.*?</inertial>", re.DOTALL)

    def another(_):
        mass, d = rng.uniform(1, 5), rng.uniform(-0.2, 0.2, 3)
        return (
            f'<inertial><origin xyz="{d[0]} {d[1]} {d[2]}" rpy="1 2 3"/><mass value="{mass}"/>'
            '<inertia ixx="0.1" ixy="0.01" ixz="0.02" iyy="0.12" iyz="-0.01" izz="0.15"/></inertial>'
        )

    other = md.load_urdf(inertial.sub(another, graph.urdf), floating_base=True)
    assert other.joint_names == graph.joint_names
    (q,), (v,), (vdot,) = states(graph, 1, 3)
    Y = md.regressor(graph, q, v, vdot)
    assert np.array_equal(md.regressor(other, q, v, vdot), Y)
    assert not np.allclose(md.inertial_parameters(other), md.inertial_parameters(graph))
    assert_same(Y @ md.inertial_parameters(other), md.compose(other, q, v, vdot).tau)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOT_NAMES)
@pytest.mark.parametrize("floating_base", [False, True])
def test_identification(load_robot, name, floating_base):
    """Least squares on simulated torques finds what torques of other motions depend on."""
    graph = load_robot(name, floating_base=floating_base)
    count = 4 * 10 * len(graph.bodies) // graph.nv
    seen, unseen = states(graph, count, 4), states(graph, 20, 5)
    Y = md.regressor_batch(graph, *seen)
    tau = md.inverse_dynamics_batch(graph, *seen)
    theta, _, rank, _ = np.linalg.lstsq(Y.reshape(-1, Y.shape[2]), tau.ravel(), rcond=1e-10)
    assert rank < theta.size  # so these are not the true parameters, but as good
    predicted = md.regressor_batch(graph, *unseen) @ theta
    expected = md.inverse_dynamics_batch(graph, *unseen)
    assert np.abs(predicted - expected).max() <= 1e-9 * np.abs(expected).max()


def test_gravity_is_included(load_robot):
    graph = load_robot("vendor_arm")
    q, rest = np.random.default_rng(6).normal(size=graph.nq), np.zeros(graph.nv)
    Y = md.regressor(graph, q, rest, rest)
    assert_same(Y @ md.inertial_parameters(graph), md.gravity_torque(graph, q))
    weightless = md.load_urdf(ROBOTS / "vendor_arm.urdf", gravity=(0, 0, 0))
    assert np.array_equal(md.regressor(weightless, q, rest, rest), np.zeros_like(Y))


@examples(20)
@given(tree=random_trees(largest=20))
def test_batches_equal_single_calls(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, vdot = states(graph, 11, tree.seed)
    each = np.array([md.regressor(graph, *state) for state in zip(q, v, vdot, strict=True)])
    assert np.abs(md.regressor_batch(graph, q, v, vdot) - each).max() <= 1e-12 * np.abs(each).max()


def test_batch_options(load_robot):
    graph = load_robot("four_link")
    q, v, vdot = states(graph, 2100, 7)
    out, seen = np.empty((2100, graph.nv, 10 * len(graph.bodies))), []
    found = md.regressor_batch(graph, q, v, vdot, 2, out=out, progress=lambda *at: seen.append(at))
    assert found is out
    assert seen[-1] == (2100, 2100)
    assert_same(out[2099], md.regressor(graph, q[2099], v[2099], vdot[2099]))


def test_out_and_what_can_be_converted(load_robot):
    graph = load_robot("charmie")
    q, v, vdot = np.ones((3, graph.nv))
    out = np.full((graph.nv, 10 * len(graph.bodies)), np.nan)
    assert md.regressor(graph, q, v, vdot, out) is out
    assert np.array_equal(out, md.regressor(graph, q.tolist(), v.astype(np.float32), np.ones(38)[::2]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"v": np.ones(18)}, r"v has shape \(18,\); 'charmie' needs \(19,\)"),
        ({"vdot": np.full(19, np.nan)}, r"vdot\[0\] of joint 'base_x' is nan"),
        ({"q": ["a"] * 19}, "q is not an array of numbers"),
        ({"v": np.full(19, 1e200)}, "finite, but so large that the result is not"),
        ({"out": np.empty((19, 10))}, r"out is float64 \(19, 10\); a writeable contiguous float64 array"),
        ({"out": np.empty((190, 19)).T}, "out is float64"),
    ],
)
def test_bad_input_is_named(load_robot, change, message):
    graph = load_robot("charmie")
    given_ = {"q": np.ones(19), "v": np.ones(19), "vdot": np.ones(19)} | change
    with pytest.raises(md.StateError, match=message):
        md.regressor(graph, **given_)


def test_bad_rows_are_named(load_robot):
    graph = load_robot("charmie")
    v = np.ones((3, 19))
    v[1, 4] = np.inf
    with pytest.raises(md.StateError, match=r"row 1: v\[4\]"):
        md.regressor_batch(graph, np.ones((3, 19)), v, np.ones((3, 19)))


def test_black_boxes_and_closed_loops_are_refused(load_robot):
    box = [{"name": "tool", "root_link": "tv7_gripper_base", "black_box": True}]
    graph = md.load_urdf(ROBOTS / "vendor_arm.urdf", {"version": 1, "subsystems": box})
    rest = np.zeros(graph.nv)
    with pytest.raises(md.StateError, match=r"the regressor of .* is not known: its black boxes are tool"):
        md.regressor(graph, rest, rest, rest)
    with pytest.raises(md.StateError, match=r"theta of .* is not known: its black boxes are tool"):
        md.inertial_parameters(graph)
    text = load_robot("four_link").urdf.replace(
        "</modular_dynamics>", '<passive joint="bend"/></modular_dynamics>'
    )
    closed = md.load_urdf(text)
    with pytest.raises(md.UnsupportedModelError, match="regressor of 'four_link' is not supported"):
        md.regressor(closed, *np.zeros((3, closed.nv)))


def test_nothing_is_allocated(load_robot):
    graph = load_robot("charmie")
    solver = md.Regressor(graph)
    q, v, vdot = np.ones((3, graph.nv))
    out = np.empty(solver.shape)
    solver(q, v, vdot, out)
    tracemalloc.start()
    try:
        solver(q, v, vdot, out)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in range(1000):
            solver(q, v, vdot, out)
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert now - before < 300
    assert peak - before < 1500

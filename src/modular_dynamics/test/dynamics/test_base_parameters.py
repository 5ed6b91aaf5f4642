"""Base inertial parameters: closed form, Pinocchio's regressor, identification, ranks that are not clear."""

import numpy as np
import pinocchio
import pytest
from hypothesis import assume, given

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.robots.urdf_text import inertial, joint, robot
from helpers.tree_dynamics import random_states


def arm(axis=(0, 1, 0)):
    """A joint about y, and another one about ``axis`` at x = 0.5."""
    first = inertial(2.0, [0.2, 0.01, 0.03], np.diag([0.01, 0.02, 0.03]))
    second = inertial(1.5, [0.3, 0.02, 0.04], np.diag([0.02, 0.03, 0.04]))
    links = [
        '<link name="base"/>',
        f'<link name="upper">{first}</link>',
        f'<link name="lower">{second}</link>',
    ]
    joints = [
        joint("shoulder", "revolute", "base", "upper", [0, 0, 0], axis=[0, 1, 0]),
        joint("elbow", "revolute", "upper", "lower", [0.5, 0, 0], axis=axis),
    ]
    return md.load_urdf(robot("arm", [*links, *joints]))


def assert_same_torques(graph, base, seed):
    """Of any theta, physical or not, at states that were not drawn."""
    rng = np.random.default_rng(seed)
    q, v, a = random_states(graph, 20, seed)
    Y, theta = md.regressor(graph, q, v, a), rng.normal(size=10 * len(graph.bodies))
    tau = Y @ theta
    reduced = Y[:, :, base.independent] @ (base.combination @ theta)
    assert np.abs(tau - reduced).max() <= 1e-9 * np.abs(tau).max()


def test_two_parallel_joints_have_six():
    """The mass of the second body counts to the first one."""
    graph = arm()
    base = md.base_parameters(graph)
    expected = {
        "mcx(upper) + 0.5 m(lower)": 2.0 * 0.2 + 0.5 * 1.5,
        "mcz(upper)": 2.0 * 0.03,
        "Iyy(upper) + 0.25 m(lower)": 0.02 + 2.0 * (0.2**2 + 0.03**2) + 0.25 * 1.5,
        "mcx(lower)": 1.5 * 0.3,
        "mcz(lower)": 1.5 * 0.04,
        "Iyy(lower)": 0.03 + 1.5 * (0.3**2 + 0.04**2),
    }
    assert base.expressions == tuple(expected)
    assert base.values == pytest.approx(list(expected.values()), rel=1e-12)
    assert str(base).splitlines()[1] == "+6.000000e-02 = mcz(upper)"
    assert_same_torques(graph, base, 1)
    without = {base.names[k].partition("(")[0] for k in base.without_effect if "lower" in base.names[k]}
    assert without == {"mcy", "Ixx", "Ixy", "Ixz", "Iyz", "Izz"}


@examples(30)
@given(tree=random_trees(largest=12))
def test_their_number_is_the_rank_of_pinocchios_regressor(tree):
    """Where that rank is clear: a random axis may be vertical to nine digits, or mimic joints turn alike."""
    graph = md.load_urdf(tree.urdf)
    pin, rows = md.crosscheck.PinocchioModel(graph), []
    count = 40 + 30 * len(graph.bodies) // graph.nv
    for q, v, a in zip(*random_states(graph, count, 7), strict=True):
        arguments = pin.q(q), pin.v(v), pin.v(a)
        Y = pinocchio.computeJointTorqueRegressor(pin.model, pin.data, *arguments).reshape(pin.model.nv, -1)
        rows.append(np.array([pin.tau(column) for column in Y.T]).T)
    Y = np.concatenate(rows)
    sizes = np.linalg.norm(Y, axis=0) / np.linalg.norm(Y, axis=0).max()
    used = sizes > 1e-9
    values = np.linalg.svd(Y[:, used] / sizes[used], compute_uv=False)
    values /= values[0]
    for small in (sizes, values):
        assume(not ((small > 1e-12) & (small < 1e-6)).any())
    base = md.base_parameters(graph)
    assert (values > 1e-8).sum() == len(base.independent)
    assert_same_torques(graph, base, tree.seed)
    assert np.array_equal(base.combination[:, base.independent], np.eye(len(base.independent)))


@pytest.mark.parametrize("floating", [False, True])
def test_they_can_be_identified(load_robot, floating):
    """Least squares with one unknown for each finds their values, which no other parameters' does."""
    graph = load_robot("vendor_arm", floating_base=floating)
    base = md.base_parameters(graph)
    states = random_states(graph, 60, 4)
    Y = md.regressor(graph, *states)[:, :, base.independent].reshape(-1, len(base.independent))
    tau = md.inverse_dynamics(graph, *states)
    found, _, rank, _ = np.linalg.lstsq(Y, tau.ravel(), rcond=1e-12)
    assert rank == len(base.independent)
    assert np.abs(found - base.values).max() <= 1e-8 * np.abs(base.values).max()
    another = md.base_parameters(graph, seed=1)
    assert np.array_equal(another.independent, base.independent)
    assert another.combination == pytest.approx(base.combination, abs=1e-8)


def test_bad_robots_are_refused(boxed_arm, load_robot):
    with pytest.raises(md.StateError, match="its black boxes are tool"):
        md.base_parameters(boxed_arm)
    with pytest.raises(md.StateError, match="the number of base parameters of 'arm' is not clear"):
        md.base_parameters(arm(axis=(3e-9, 1, 0)))  # nearly parallel


@pytest.mark.parametrize("seed", [-1, 1.5, "x", None, True])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(md.StateError, match=r"seed is .*; a whole number from 0 on is needed"):
        md.base_parameters(arm(), seed=seed)

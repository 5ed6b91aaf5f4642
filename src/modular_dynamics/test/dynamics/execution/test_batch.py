"""Batches equal single calls, whatever their size, threads and precision; bad rows are named."""

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import assert_close, random_states

SHARED = np.zeros((5, 19))
#: For one state (q, v, vdot), and for many. Forward dynamics, less exact, has its own test.
FUNCTIONS = {
    "inverse_dynamics": (md.inverse_dynamics, md.inverse_dynamics_batch),
    "bias": (
        lambda g, q, v, a: md.bias(g, q, v),
        lambda g, q, v, a, *rest, **more: md.bias_batch(g, q, v, *rest, **more),
    ),
    "gravity_torque": (
        lambda g, q, v, a: md.gravity_torque(g, q),
        lambda g, q, v, a, *rest, **more: md.gravity_torque_batch(g, q, *rest, **more),
    ),
    "mass_matrix": (
        lambda g, q, v, a: md.mass_matrix(g, q),
        lambda g, q, v, a, *rest, **more: md.mass_matrix_batch(g, q, *rest, **more),
    ),
    "frame_poses": (
        lambda g, q, v, a: md.frame_poses(g, q),
        lambda g, q, v, a, *rest, **more: md.frame_poses_batch(g, q, None, *rest, **more),
    ),
    "jacobian": (
        lambda g, q, v, a: md.jacobian(g, q, g.links[-1]),
        lambda g, q, v, a, *rest, **more: md.jacobian_batch(g, q, g.links[-1], "root", *rest, **more),
    ),
    "jacobian in the link": (
        lambda g, q, v, a: md.jacobian(g, q, g.links[-1], "link"),
        lambda g, q, v, a, *rest, **more: md.jacobian_batch(g, q, g.links[-1], "link", *rest, **more),
    ),
    "regressor": (md.regressor, md.regressor_batch),
    "derivatives": (
        lambda *state: np.array(md.inverse_dynamics_derivatives(*state)),
        lambda *rows, **more: np.stack(md.inverse_dynamics_derivatives_batch(*rows, **more), axis=1),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@examples(30)
@given(tree=random_trees(largest=30))
def test_batches_equal_single_calls_on_random_trees(name, tree):
    graph = md.load_urdf(tree.urdf)
    states = random_states(graph, 11, tree.seed)
    single, batch = FUNCTIONS[name]
    each = np.array([single(graph, *state) for state in zip(*states, strict=True)])
    assert_close(batch(graph, *states), each, 1e-12)


@examples(40)
@given(tree=random_trees(largest=30))
def test_single_precision_on_random_trees(tree):
    graph = md.load_urdf(tree.urdf)
    states = random_states(graph, 11, tree.seed)
    single = md.inverse_dynamics_batch(graph, *states, dtype=np.float32)
    assert single.dtype == np.float32
    assert_close(single, md.inverse_dynamics_batch(graph, *states), 1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(("robot", "count"), [("four_link", 2100), ("branched_38dof", 19)])
def test_options_and_no_states(load_robot, name, robot, count):
    graph = load_robot(robot)
    states, seen = random_states(graph, count, 7), []
    single, batch = FUNCTIONS[name]
    expected = single(graph, *(rows[-1] for rows in states))
    out = None if name == "derivatives" else np.empty((count, *expected.shape))  # which takes a result
    found = batch(graph, *states, 2, out=out, progress=lambda *at: seen.append(at))
    assert out is None or found is out
    assert seen[-1] == (count, count)
    assert_close(found[-1], expected, 1e-12)
    assert batch(graph, *(rows[:0] for rows in states)).shape == (0, *expected.shape)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1024, 1025, 10_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_every_row_is_answered(load_robot, count, threads):
    graph = load_robot("four_link")
    q, v, vdot = random_states(graph, count)
    seen = []
    tau = md.inverse_dynamics_batch(graph, q, v, vdot, threads, progress=lambda *at: seen.append(at))
    assert tau.shape == (count, graph.nv)
    for row in {0, count // 2, count - 1} if count else ():
        single = md.inverse_dynamics(graph, q[row], v[row], vdot[row])
        assert tau[row] == pytest.approx(single, abs=1e-12)
    if count:
        assert seen[-1] == (count, count)
        assert seen == sorted(seen)


def test_out_strides_and_other_dtypes(load_robot):
    graph = load_robot("charmie")
    q, v, vdot = random_states(graph, 100)
    expected = md.inverse_dynamics_batch(graph, q, v, vdot)
    out = np.empty_like(expected)
    assert md.inverse_dynamics_batch(graph, q, v, vdot, out=out) is out
    assert np.array_equal(out, expected)
    strided = [np.repeat(x, 2, axis=1)[:, ::2] for x in (q, v, vdot)]
    assert np.array_equal(md.inverse_dynamics_batch(graph, *strided), expected)
    assert np.array_equal(md.inverse_dynamics_batch(graph, np.asfortranarray(q), v.tolist(), vdot), expected)


def test_wrenches_hold_for_every_state(load_robot):
    graph = load_robot("charmie")
    q, v, vdot = random_states(graph, 20)
    external, boxes = {"body_12a": np.arange(6.0)}, {"head": np.ones(6)}
    batch = md.inverse_dynamics_batch(graph, q, v, vdot, external_wrenches=external, black_box_wrenches=boxes)
    expected = [md.inverse_dynamics(graph, *s, external, boxes) for s in zip(q, v, vdot, strict=True)]
    np.testing.assert_allclose(batch, expected, atol=1e-12 * np.nanmax(np.abs(batch)), rtol=0)


def test_angles_of_any_size_in_single_precision(load_robot):
    graph = load_robot("vendor_arm")
    q, v, vdot = random_states(graph, 16)
    expected = md.inverse_dynamics_batch(graph, q, v, vdot)
    turned = q.copy()
    turned[:, :7] += 2 * np.pi * 100_000
    found = md.inverse_dynamics_batch(graph, turned, v, vdot, dtype=np.float32)
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros((5, 18))}, r"q has shape \(5, 18\); 'charmie' needs \(n, 19\)"),
        ({"q": np.zeros(19)}, r"q has shape \(19,\)"),
        ({"v": np.zeros((4, 19))}, r"v has shape \(4, 19\); 'charmie' needs \(5, 19\)"),
        ({"threads": 0}, "threads is 0; a whole number from 1 on"),
        ({"threads": 1.5}, r"threads is 1\.5"),
        ({"dtype": np.int32}, "dtype is int32; float64 or float32"),
        ({"out": np.zeros((5, 18))}, r"out is float64 \(5, 18\)"),
        ({"out": np.zeros((5, 19), np.float32)}, r"out is float32 .*contiguous float64 array \(5, 19\)"),
        (
            {"vdot": np.vstack([np.zeros((3, 19)), np.full((2, 19), np.nan)])},
            r"row 3: vdot\[0\] of joint 'base_x'",
        ),
        ({"q": [["a"] * 19] * 5}, "not an array of numbers"),
        ({"v": np.full((5, 19), 1e200)}, "row 0 or soon after: .*too large for the dtype"),
        (
            {"v": np.full((5, 19), 1e60), "dtype": np.float32},
            "row 0 or soon after: .*too large for the dtype",
        ),
        ({"v": SHARED, "out": SHARED}, "out shares memory"),
    ],
)
def test_bad_input_is_named(load_robot, change, message):
    graph = load_robot("charmie")
    arguments = {"q": np.zeros((5, 19)), "v": np.zeros((5, 19)), "vdot": np.zeros((5, 19))} | change
    with pytest.raises(md.StateError, match=message):
        md.inverse_dynamics_batch(graph, **arguments)


def test_of_bad_rows_the_first_is_named_whatever_is_wrong(load_robot):
    graph = load_robot("four_link")
    q, v = np.zeros((2, 100, 4))
    v[17], v[60] = 1e200, np.nan
    with pytest.raises(md.StateError, match=r"row 16 or soon after: .*too large"):
        md.inverse_dynamics_batch(graph, q, v, v)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_quaternion_whose_square_overflows_is_named(load_robot, dtype):
    graph = load_robot("four_link", floating_base=True)
    q = np.tile(graph.neutral(), (30, 1))
    q[18, 6] = 1e200
    rates = np.zeros((30, graph.nv))
    with pytest.raises(md.StateError, match=r"row 16 or soon after: .*too large for the dtype"):
        md.inverse_dynamics_batch(graph, q, rates, rates, dtype=dtype)
    with pytest.raises(md.StateError, match=r"finite, but so large"):
        md.inverse_dynamics(graph, q[18], rates[0], rates[0])


def test_a_zero_quaternion_is_named(load_robot):
    graph = load_robot("four_link", floating_base=True)
    q = np.tile(graph.neutral(), (3, 1))
    q[2, 3:7] = 0.0
    rates = np.zeros((3, graph.nv))
    with pytest.raises(md.StateError, match=r"row 2: .*zero quaternion"):
        md.inverse_dynamics_batch(graph, q, rates, rates)

"""Batches equal single calls, whatever their size, threads and precision; bad rows are named."""

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees

SHARED = np.zeros((5, 19))


def states(graph, count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, graph.nq)), *rng.normal(size=(2, count, graph.nv))


@examples(40)
@given(tree=random_trees(largest=30))
def test_batch_equals_single_calls_on_random_trees(tree):
    graph = md.load_urdf(tree.urdf)
    q, v, vdot = states(graph, 11, tree.seed)
    expected = np.array([md.inverse_dynamics(graph, *state) for state in zip(q, v, vdot, strict=True)])
    scale = np.abs(expected).max()
    batch = md.inverse_dynamics_batch(graph, q, v, vdot)
    assert np.abs(batch - expected).max() <= 1e-12 * scale
    single = md.inverse_dynamics_batch(graph, q, v, vdot, dtype=np.float32)
    assert single.dtype == np.float32
    assert np.abs(single - expected).max() <= 1e-5 * scale


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1024, 1025, 10_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_every_row_is_answered(load_robot, count, threads):
    graph = load_robot("four_link")
    q, v, vdot = states(graph, count)
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
    q, v, vdot = states(graph, 100)
    expected = md.inverse_dynamics_batch(graph, q, v, vdot)
    out = np.empty_like(expected)
    assert md.inverse_dynamics_batch(graph, q, v, vdot, out=out) is out
    assert np.array_equal(out, expected)
    strided = [np.repeat(x, 2, axis=1)[:, ::2] for x in (q, v, vdot)]
    assert np.array_equal(md.inverse_dynamics_batch(graph, *strided), expected)
    assert np.array_equal(md.inverse_dynamics_batch(graph, np.asfortranarray(q), v.tolist(), vdot), expected)


def test_wrenches_hold_for_every_state(load_robot):
    graph = load_robot("charmie")
    q, v, vdot = states(graph, 20)
    external, boxes = {"body_12a": np.arange(6.0)}, {"head": np.ones(6)}
    batch = md.inverse_dynamics_batch(graph, q, v, vdot, external_wrenches=external, black_box_wrenches=boxes)
    expected = [md.inverse_dynamics(graph, *s, external, boxes) for s in zip(q, v, vdot, strict=True)]
    np.testing.assert_allclose(batch, expected, atol=1e-12 * np.nanmax(np.abs(batch)), rtol=0)


def test_angles_of_any_size_in_single_precision(load_robot):
    graph = load_robot("vendor_arm")
    q, v, vdot = states(graph, 16)
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

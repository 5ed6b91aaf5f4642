"""Derivatives of inverse dynamics against Pinocchio, finite differences and themselves in batches."""

import tracemalloc

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees


def state_of(graph, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=graph.nq), *rng.normal(size=(2, graph.nv))


def assert_close(found, expected, tolerance):
    assert np.abs(found - expected).max() <= tolerance * max(1e-3, np.abs(expected).max())


def by_pinocchio(graph, q, v, vdot):
    """The same three matrices, in our order of joints, mimic joints folded in."""
    pin = md.crosscheck.PinocchioModel(graph)
    theirs = pinocchio.computeRNEADerivatives(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(vdot))
    # columns of dv_pinocchio / dv: linear, so read off unit velocities
    fold = np.array([pin.v(unit) for unit in np.eye(graph.nv)]).T
    return [fold.T @ np.asarray(matrix) @ fold for matrix in theirs]


def differences(function, x, step=1e-6):
    columns = [(function(x + d) - function(x - d)) / (2 * step) for d in step * np.eye(len(x))]
    return np.array(columns).T


@examples(100)
@given(tree=random_trees(largest=14))
def test_random_trees_against_pinocchio(tree):
    graph = md.load_urdf(tree.urdf)
    state = state_of(graph, tree.seed)
    for found, expected in zip(
        md.inverse_dynamics_derivatives(graph, *state), by_pinocchio(graph, *state), strict=True
    ):
        assert_close(found, expected, 1e-10)


@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "four_link", "vendor_arm"])
@pytest.mark.parametrize("floating_base", [False, True])
def test_robots_against_pinocchio_and_differences(load_robot, name, floating_base):
    graph = load_robot(name, floating_base=floating_base)
    q, v, vdot = state_of(graph, 1)
    dq, dv, dvdot = md.inverse_dynamics_derivatives(graph, q, v, vdot)
    assert_close(dvdot, md.mass_matrix(graph, q), 1e-12)
    assert_close(dv, differences(lambda x: md.inverse_dynamics(graph, q, x, vdot), v), 1e-7)
    if floating_base:
        q[3:7] /= np.linalg.norm(q[3:7])
    else:
        assert_close(dq, differences(lambda x: md.inverse_dynamics(graph, x, v, vdot), q), 1e-7)
    found = md.inverse_dynamics_derivatives(graph, q, v, vdot)
    for ours, theirs in zip(found, by_pinocchio(graph, q, v, vdot), strict=True):
        assert_close(ours, theirs, 1e-10)


def test_external_wrenches_count(load_robot):
    graph = load_robot("charmie")
    q, v, vdot = state_of(graph, 2)
    external = {"body_12a": np.arange(6.0)}
    dq = md.inverse_dynamics_derivatives(graph, q, v, vdot, external).dq
    assert_close(dq, differences(lambda x: md.inverse_dynamics(graph, x, v, vdot, external), q), 1e-7)
    without = md.inverse_dynamics_derivatives(graph, q, v, vdot).dq
    assert np.abs(dq - without).max() > 0.1


@pytest.mark.parametrize("count", [0, 1, 8, 19])
def test_batch_equals_single_calls(load_robot, count):
    graph = load_robot("branched_38dof")
    rng = np.random.default_rng(3)
    q, v, vdot = rng.normal(size=(3, count, graph.nv))
    batch = md.inverse_dynamics_derivatives_batch(graph, q, v, vdot, 2)
    assert batch.dq.shape == (count, graph.nv, graph.nv)
    for row in range(count):
        single = md.inverse_dynamics_derivatives(graph, q[row], v[row], vdot[row])
        for many, one in zip(batch, single, strict=True):
            assert_close(many[row], one, 1e-12)
    again = md.inverse_dynamics_derivatives_batch(graph, q, v, vdot, 1, out=batch)
    assert again is batch


def test_out_is_written_again_without_allocating(load_robot):
    graph = load_robot("charmie")
    state = state_of(graph)
    out = md.inverse_dynamics_derivatives(graph, *state)
    expected = [part.copy() for part in out]
    out.dq[:] = 7.0
    assert md.inverse_dynamics_derivatives(graph, *state, out=out) is out
    assert all(np.array_equal(a, b) for a, b in zip(out, expected, strict=True))
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    for _ in range(1000):
        md.inverse_dynamics_derivatives(graph, *state, out=out)
    grown = sum(max(0, d.size_diff) for d in tracemalloc.take_snapshot().compare_to(before, "filename"))
    tracemalloc.stop()
    assert grown < 20_000  # less than 20 bytes a call: nothing of an array's size stays


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(18)}, r"q has shape \(18,\)"),
        ({"v": np.full(19, np.nan)}, r"v\[0\] of joint 'base_x' is nan"),
        ({"vdot": ["a"] * 19}, "vdot is not an array of numbers"),
        ({"v": np.full(19, 1e200)}, "so large that the derivatives"),
        ({"out": np.zeros((3, 19, 19))}, "out is ndarray; the unchanged result of an earlier call"),
        ({"external_wrenches": {"nothing": np.zeros(6)}}, "no link 'nothing'"),
    ],
)
def test_bad_input_is_named(load_robot, change, message):
    arguments = {name: np.zeros(19) for name in ("q", "v", "vdot")} | change
    with pytest.raises(md.StateError, match=message):
        md.inverse_dynamics_derivatives(load_robot("charmie"), **arguments)


def test_only_what_a_call_returned_is_written_to(load_robot):
    graph = load_robot("four_link")
    states = np.zeros((3, 9, graph.nv))
    whole = md.inverse_dynamics_derivatives_batch(graph, *states)
    one = md.inverse_dynamics_derivatives(graph, *states[:, 0])
    swapped, apart = type(one)(one.dv, one.dq, one.dvdot), type(one)(*(part.copy() for part in one))
    row = type(one)(*(part[3] for part in whole))
    assert md.inverse_dynamics_derivatives(graph, *states[:, 3], out=row) is row  # one row of a batch
    fixed = type(one)(*(part.view() for part in one))
    fixed.dv.flags.writeable = False
    for wrong in (swapped, apart, whole, fixed, tuple(one), (), 5, type(one)(None, None, None)):
        with pytest.raises(md.StateError, match="the unchanged result of an earlier call"):
            md.inverse_dynamics_derivatives(graph, *states[:, 0], out=wrong)
    short = type(one)(*(part[:5] for part in whole))
    for wrong in (one, short, list(whole), 5):
        with pytest.raises(md.StateError, match="out is"):
            md.inverse_dynamics_derivatives_batch(graph, *states, out=wrong)


def test_lists_and_strides_are_taken(load_robot):
    graph = load_robot("four_link")
    q, v, vdot = state_of(graph)
    expected = md.inverse_dynamics_derivatives(graph, q, v, vdot)
    found = md.inverse_dynamics_derivatives(graph, q.tolist(), np.repeat(v, 2)[::2], vdot.astype(np.float64))
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_a_black_box_has_no_known_derivatives():
    boxes = {
        "version": 1,
        "subsystems": [{"name": "tool", "root_link": "tv7_gripper_base", "black_box": True}],
    }
    graph = md.load_urdf(ROBOTS / "vendor_arm.urdf", boxes)
    with pytest.raises(md.StateError, match="its black boxes are tool"):
        md.inverse_dynamics_derivatives(graph, *np.zeros((3, graph.nv)))

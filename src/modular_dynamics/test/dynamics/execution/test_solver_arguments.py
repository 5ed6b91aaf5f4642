"""Every public function on arrays that kernels cannot take as they are, and on nonsense."""

import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import modular_dynamics as md

WRENCH = {"left_branch": np.ones(6)}
FUNCTIONS = {
    "inverse_dynamics": md.inverse_dynamics,
    "with a wrench": lambda g, q, v, a, **out: md.inverse_dynamics(
        g, q, v, a, {"left_branch": np.ones(6)}, **out
    ),
    "forward_dynamics": md.forward_dynamics,
    "mass_matrix": lambda g, q, v, a, **out: md.mass_matrix(g, q, **out),
    "gravity_torque": lambda g, q, v, a, **out: md.gravity_torque(g, q, **out),
    "bias": lambda g, q, v, a, **out: md.bias(g, q, v, **out),
    "jacobian": lambda g, q, v, a, **out: md.jacobian(g, q, "left_branch", **out),
    "frame_poses": lambda g, q, v, a: md.frame_poses(g, q),
    "regressor": md.regressor,
    "derivatives": lambda g, q, v, a: np.array(md.inverse_dynamics_derivatives(g, q, v, a)),
}
TAKING_OUT = [name for name in FUNCTIONS if name not in ("frame_poses", "derivatives")]


def misaligned(array):
    moved = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


@pytest.fixture
def graph(load_robot):
    return load_robot("four_link")


@pytest.fixture
def state(graph):
    return [np.linspace(0.1, 1.0, graph.nv) * k for k in (1.0, 2.0, 3.0)]


@pytest.mark.parametrize(
    "order", [(misaligned, lambda x: x.astype(">f8")), (lambda x: x.astype(">f8"), misaligned)]
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_misaligned_and_other_byte_order(graph, state, name, order):
    expected = FUNCTIONS[name](graph, *state)
    for change in order:
        for k in range(3):
            given = [change(x) if j == k else x for j, x in enumerate(state)]
            assert_allclose(FUNCTIONS[name](graph, *given), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (misaligned, "not aligned"),
        (lambda x: x.astype(">f8"), ">f8"),
        (lambda x: np.repeat(x, 2, axis=-1)[..., ::2], "not contiguous"),
    ],
)
@pytest.mark.parametrize("name", TAKING_OUT)
def test_an_out_of_another_kind_is_refused(graph, state, name, change, fault):
    expected = FUNCTIONS[name](graph, *state)
    out = change(np.full_like(expected, 7.0))
    with pytest.raises(md.StateError, match=f"out is .*{fault}.* is needed"):
        FUNCTIONS[name](graph, *state, out=out)
    assert (out == 7.0).all()


def test_a_read_only_out_of_derivatives_is_refused_every_time(graph, state):
    out = md.inverse_dynamics_derivatives(graph, *state)
    md.inverse_dynamics_derivatives(graph, *state, out=out)
    for part in out:
        part.flags.writeable = False
    with pytest.raises(md.StateError, match="out is"):
        md.inverse_dynamics_derivatives(graph, *state, out=out)


@pytest.mark.parametrize("robot", ["four_link", "charmie"])
@pytest.mark.parametrize("turns", [1, 10**3, 10**6, 10**9])
def test_forward_dynamics_at_large_angles(load_robot, robot, turns):
    """Against the equation of motion, whose matrices see the same large angles."""
    graph = load_robot(robot)
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, graph.nv))
    turning = [graph.v_slice(n).start for n in graph.joint_names if graph.joint(n).type.value != "prismatic"]
    q[turning] += 2.0 * np.pi * turns
    M, h = md.mass_matrix(graph, q), md.bias(graph, q, v)
    expected = np.linalg.solve(M, tau - h)
    scale = 1e-15 * np.linalg.cond(M) * np.abs(expected).max()
    assert np.abs(md.forward_dynamics(graph, q, v, tau) - expected).max() <= 100.0 * scale
    found = md.forward_dynamics_batch(graph, *(np.tile(x, (9, 1)) for x in (q, v, tau)))
    assert np.abs(found - expected).max() <= 100.0 * scale


ROWS = np.zeros((3, 4))
NONSENSE = {
    "complex": (
        lambda g: md.inverse_dynamics_batch(g, ROWS + 1j, ROWS, ROWS),
        "q is not an array of numbers: compl",
    ),
    "a number": (lambda g: md.gravity_torque_batch(g, 3.0), r"q has shape \(\)"),
    "nothing": (lambda g: md.gravity_torque_batch(g, None), "q "),
    "ragged": (lambda g: md.gravity_torque_batch(g, [[1], [1, 2]]), "q is not an array of numbers"),
    "ragged v": (lambda g: md.bias_batch(g, ROWS, [[1], [1, 2]]), "v is not an array of numbers"),
    "dtype": (lambda g: md.inverse_dynamics_batch(g, ROWS, ROWS, ROWS, dtype="foo"), "dtype is 'foo'"),
    "progress": (lambda g: md.mass_matrix_batch(g, ROWS, progress=3), "progress is 3; a function"),
    "wrenches": (lambda g: md.inverse_dynamics(g, *ROWS, np.zeros(6)), "external_wrenches is .*a mapping"),
    "no wrenches": (lambda g: md.inverse_dynamics(g, *ROWS, []), "external_wrenches is .*a mapping"),
    "boxes": (
        lambda g: md.inverse_dynamics(g, *ROWS, None, np.zeros(6)),
        "black_box_wrenches is .*a mapping",
    ),
    "forward": (lambda g: md.forward_dynamics(g, *ROWS, np.zeros(6)), "external_wrenches is .*a mapping"),
    "forward batch": (
        lambda g: md.forward_dynamics_batch(g, ROWS, ROWS, ROWS, external_wrenches=np.zeros(6)),
        "external_wrenches is .*a mapping",
    ),
    "derivatives": (
        lambda g: md.inverse_dynamics_derivatives(g, *ROWS, np.zeros(6)),
        "external_wrenches is .*a mapping",
    ),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_named(graph, name):
    call, message = NONSENSE[name]
    with pytest.raises(md.StateError, match=message):
        call(graph)


def test_whole_numbers_of_numpy_are_threads(graph):
    tau = md.inverse_dynamics_batch(graph, ROWS, ROWS, ROWS, np.int64(2))
    assert_array_equal(tau, md.inverse_dynamics_batch(graph, ROWS, ROWS, ROWS, 1))


def test_a_small_batch_does_not_wait_for_a_large_one(load_robot):
    """While helpers are busy elsewhere the calling thread does its work alone."""
    graph = load_robot("four_link")
    rng = np.random.default_rng(0)
    many, few = (rng.normal(size=(count, graph.nv)) for count in (400_000, 600))
    md.inverse_dynamics_batch(graph, few, few, few, 2)
    large = threading.Thread(
        target=lambda: [md.inverse_dynamics_batch(graph, many, many, many, 2) for _ in range(5)]
    )
    large.start()
    waited = 0
    while large.is_alive():
        md.inverse_dynamics_batch(graph, few, few, few, 2)
        waited += 1
        time.sleep(0.001)  # the large ones' thread needs the lock, too
    large.join()
    assert waited > 5  # a large one each, if they waited

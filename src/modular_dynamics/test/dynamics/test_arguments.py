"""Every public function on arrays that kernels cannot take as they are, unsupported robots, and nonsense."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import modular_dynamics as md
from helpers import tree_dynamics

FUNCTIONS = dict(tree_dynamics.FUNCTIONS)
FUNCTIONS["with a wrench"] = lambda g, *state, **out: md.inverse_dynamics(
    g, *state, external_wrenches={g.links[-1]: np.ones(6)}, **out
)
ALL = FUNCTIONS | tree_dynamics.FUNCTIONS_OF_NEW_ARRAYS
ALLOCATING = "with a wrench", "regressor of joints"
TAKING_OUT = [name for name in FUNCTIONS if name != "derivatives"]  # whose result is views of it


def misaligned(array):
    moved = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


@pytest.fixture
def graph(load_robot):
    return load_robot("four_link")


@pytest.fixture
def state(graph):
    return [np.arange(1.0, 1.0 + graph.nv) * k for k in (0.25, 0.5, 0.75)]  # exact in single precision


@pytest.mark.parametrize("name", ALL)
def test_what_can_be_converted(graph, state, name):
    """Also of many states, where single precision of all would be that of the torques."""
    expected = ALL[name](graph, *state)
    for change in (lambda x: x.tolist(), lambda x: np.repeat(x, 2)[::2], lambda x: x.astype(np.float32)):
        assert_array_equal(ALL[name](graph, *map(change, state)), expected)
    rows = [np.tile(x, (3, 1)) for x in state]
    expected = ALL[name](graph, *rows)
    for change in (lambda x: x.tolist(), lambda x: np.repeat(x, 2, axis=1)[:, ::2], np.asfortranarray):
        assert_array_equal(ALL[name](graph, *map(change, rows)), expected)


@pytest.mark.parametrize("name", ALL)
def test_misaligned_and_other_byte_order(graph, state, name):
    expected = ALL[name](graph, *state)
    for change in (misaligned, lambda x: x.astype(">f8")):
        for k in range(3):
            given = [change(x) if j == k else x for j, x in enumerate(state)]
            assert_allclose(ALL[name](graph, *given), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", TAKING_OUT)
def test_the_result_is_written_into_out(graph, state, name):
    expected = FUNCTIONS[name](graph, *state)
    out = np.full_like(expected, np.nan)
    assert FUNCTIONS[name](graph, *state, out=out) is out
    assert_array_equal(out, expected)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_out_may_be_one_of_the_arguments(load_robot, name, which):
    graph = load_robot("charmie")
    state = list(np.random.default_rng(8).normal(size=(3, graph.nv)))
    expected = FUNCTIONS[name](graph, *state)
    assert_array_equal(FUNCTIONS[name](graph, *state, out=state[which]), expected)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ALLOCATING])
def test_with_out_nothing_is_allocated(load_robot, name):
    graph = load_robot("branched_38dof")
    state, function = np.ones((3, graph.nv)), FUNCTIONS[name]
    if name == "derivatives":
        function = md.inverse_dynamics_derivatives
    out = np.array(function(graph, *state))
    function(graph, *state, out=out)

    def growth_and_peak():
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in range(1000):
            function(graph, *state, out=out)
        now, peak = tracemalloc.get_traced_memory()
        return now - before, peak - before

    tracemalloc.start()
    try:
        growth, peak = min(growth_and_peak() for _ in range(3))  # others may allocate once
    finally:
        tracemalloc.stop()
    # an array of nv doubles has 304 bytes and its header 112, J has 1800; a call's frames, lists and
    # dictionary stay below
    assert growth < 300
    assert peak < 1500


@pytest.mark.parametrize("name", TAKING_OUT)
def test_an_out_of_another_kind_is_refused(graph, state, name):
    expected = FUNCTIONS[name](graph, *state)
    for change in (
        misaligned,
        lambda x: x.astype(">f8"),
        lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
        lambda x: x.astype(np.float32),
        lambda x: x[:-1].copy(),
        lambda x: x.tolist(),
    ):
        out = change(np.full_like(expected, 7.0))
        with pytest.raises(
            md.StateError, match=r"^out is .*; a writeable, aligned, contiguous float64 array"
        ):
            FUNCTIONS[name](graph, *state, out=out)
        assert (np.array(out) == 7.0).all()


def test_derivatives_are_views_of_out(graph, state):
    out = np.empty((3, graph.nv, graph.nv))
    found = md.inverse_dynamics_derivatives(graph, *state, out=out)
    assert all(np.shares_memory(part, out) for part in found)
    assert_array_equal(out, md.inverse_dynamics_derivatives(graph, *state))
    out.flags.writeable = False
    with pytest.raises(md.StateError, match=r"out is .*; a writeable"):
        md.inverse_dynamics_derivatives(graph, *state, out=out)


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("mass_matrix", "the mass matrix"),
        ("forward_dynamics", "forward dynamics"),
        ("derivatives", "derivatives of inverse dynamics"),
        ("regressor", "the regressor"),
    ],
)
def test_what_depends_on_the_masses_of_a_black_box_is_not_known(boxed_arm, name, quantity):
    with pytest.raises(md.StateError, match=f"{quantity} of .* is not known: its black boxes are tool"):
        FUNCTIONS[name](boxed_arm, *np.zeros((3, boxed_arm.nv)))


@pytest.mark.parametrize("tag", ['<passive joint="bend"/>', '<gear joint="bend" driver="turn" ratio="-1"/>'])
def test_closed_loops_are_refused_by_name(graph, state, tag):
    closed = md.load_urdf(graph.urdf.replace("</modular_dynamics>", f"{tag}</modular_dynamics>"))
    for function in (
        lambda g, q, v, a: md.coriolis_matrix(g, q, v),
        md.compose,
        lambda g, *_: md.crosscheck.CrossCheck(g),
    ):
        with pytest.raises(md.UnsupportedModelError, match=r"of 'four_link' is not supported: it has"):
            function(closed, *state)


@pytest.mark.parametrize("name", ALL)
def test_bad_states_are_named(load_robot, name):
    graph, good = load_robot("charmie"), np.full(19, 0.1)
    rows, bad = np.tile(good, (3, 1)), np.where(np.arange(19) == 4, np.inf, good)
    wrong = rows.copy()
    wrong[1, 4] = np.nan
    for q, message in (
        (good[1:], r"^q has shape \(18,\); 'charmie' needs \(19,\)"),
        (["a"] * 19, "^q is not an array of numbers"),
        (good + 1j, "^q is not an array of numbers: complex"),
        (None, "^q is not an array of numbers"),
        (bad, r"^q\[4\] of joint 'torso_pitch' is inf"),
    ):
        with pytest.raises(md.StateError, match=message):
            ALL[name](graph, q, good, good)
    for q, message in (
        (rows[:, 1:], r"^q has shape \(3, 18\); 'charmie' needs \(n, 19\)"),
        ([rows], r"^q has shape \(1, 3, 19\)"),
        ([[1], [1, 2]], "^q is not an array of numbers"),
        (wrong, r"^row 1: q\[4\] of joint 'torso_pitch' is nan"),
    ):
        with pytest.raises(md.StateError, match=message):
            ALL[name](graph, q, rows, rows)
    for threads in (0, 1.5, "x"):
        with pytest.raises(md.StateError, match=f"^threads is {threads!r}; a whole number from 1 on"):
            ALL[name](graph, rows, rows, rows, threads=threads)
    one, *others = (ALL[name](graph, rows, rows, rows, threads=k) for k in (1, np.int64(2), 10**6))
    assert all(np.array_equal(one, same) for same in others)  # the last are more than the core runs
    assert np.isfinite(ALL[name](graph, good, good, good)).all()  # the next good call is computed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"v": np.zeros((19, 1))}, r"v has shape \(19, 1\)"),
        ({"v": np.full(19, 1e200)}, "so large that the torques are not"),
        ({"a": np.full(19, np.nan)}, r"a\[0\] of joint 'base_x' is nan"),
        ({"q": np.zeros((5, 19))}, r"v has shape \(19,\); 'charmie' needs \(5, 19\)"),
        ({"friction": "coulomb"}, "friction is 'coulomb'; 'none' or 'urdf' is needed"),
        ({"external_wrenches": {"body_5": "push"}}, "six finite numbers"),
        ({"external_wrenches": [1, 2]}, "a mapping of names to"),
        ({"external_wrenches": {"nose": np.zeros(6)}}, "no link 'nose' in 'charmie'"),
        ({"external_wrenches": {"body_5": np.zeros(3)}}, "six finite numbers"),
        (
            {"external_wrenches": {"body_5": np.zeros(6), "body_7a": [np.inf] * 6}},
            "on link 'body_7a' is .inf",
        ),
        ({"black_box_wrenches": 5}, "a mapping of names to"),
        ({"black_box_wrenches": {"tail": np.zeros(6)}}, "no subsystem 'tail'.*left_arm"),
        ({"black_box_wrenches": {"head": [np.nan] * 6}}, "wrench of black box 'head'"),
    ],
)
def test_bad_arguments_of_inverse_dynamics_are_named(load_robot, change, message):
    good = dict.fromkeys(("q", "v", "a"), np.zeros(19))
    with pytest.raises(md.StateError, match=message):
        md.inverse_dynamics(load_robot("charmie"), **good | change)


@pytest.mark.parametrize("function", [md.forward_dynamics, md.inverse_dynamics_derivatives])
def test_so_are_wrenches_friction_and_overflow_of_others(load_robot, function):
    graph, (q, v, a) = load_robot("charmie"), np.zeros((3, 19))
    for change, message in (
        ({"external_wrenches": {"nothing": np.zeros(6)}}, "no link 'nothing'"),
        ({"external_wrenches": np.zeros(6)}, "external_wrenches is .*a mapping"),
        ({"friction": None}, "friction is None; 'none' or 'urdf' is needed"),
    ):
        for state in ((q, v, a), (q[None], v[None], a[None])):
            with pytest.raises(md.StateError, match=message):
                function(graph, *state, **change)
    with pytest.raises(md.StateError, match=r"finite, but so large that the (accelerations|derivatives) are"):
        function(graph, q, v + 1e200, a)


@pytest.mark.parametrize("shared", ["q", "v", "a"])
@pytest.mark.parametrize("solve", [md.inverse_dynamics, md.forward_dynamics])
def test_out_that_is_an_argument_does_not_hide_an_overflow(load_robot, solve, shared):
    graph = load_robot("charmie")
    states = dict(zip("qva", np.zeros((3, graph.nv)), strict=True))
    states["v"][:] = 1e200
    with pytest.raises(md.StateError, match="finite, but so large that the"):
        solve(graph, *states.values(), out=states[shared])


@pytest.mark.parametrize("out", [True, False])
@pytest.mark.parametrize("given", [{"threads": 0}, {"friction": None}, {"friction": np.array(["none"])}])
def test_of_one_state_threads_and_friction_are_checked_too(load_robot, given, out):
    graph = load_robot("charmie")
    with pytest.raises(md.StateError, match=f"^{next(iter(given))} is "):
        md.inverse_dynamics(graph, *np.zeros((3, graph.nv)), out=np.empty(graph.nv) if out else None, **given)
